"""Roles given and taken back from Slack: by admins, to members and groups, audited, and never so that nobody is admin."""

from dataclasses import replace
from typing import Any

import pytest

from bot.errors import BotError, RefusedError, RetryLater, UsageError
from bot.nouns import Role, Standing
from bot.operations import OPERATIONS
from bot.operations.access import role_of
from bot.operations.execute import Outcome, execute
from bot.ports import Grants
from bot.requests import Door
from bot.view import View, plain
from tests.bot.operations.house_doubles import HouseInMemory
from tests.doubles.ports import ANNA, BEN, CARLA, DANA, OPERATORS, House

BOSS = Grants(admins=(ANNA.user_id,))


class World:
    """Anna is admin from Slack, Ben's group by the settings."""

    def __init__(self, slack: Grants = BOSS, settings: Grants | None = None) -> None:
        self.people = House(grants=settings if settings is not None else Grants(operators=(OPERATORS,)))
        self.inside = HouseInMemory(grants=slack)

    @property
    def services(self) -> Any:
        return replace(self.people.services, house=self.inside.house(), audit=self.inside)

    async def say(self, words: str, by: Any = ANNA, door: Door = Door.COMMAND) -> Outcome:
        return await execute(OPERATIONS, self.services, self.people.request(words, by, door))


@pytest.fixture
def world() -> World:
    return World()


def told(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines)))


@pytest.mark.parametrize("said", [f"<@{DANA.user_id}|dana>", f"<@{DANA.user_id}>", DANA.user_id])
@pytest.mark.parametrize(("word", "role"), [("admin", Role.ADMIN), ("operator", Role.OPERATOR)])
async def test_a_member_is_given_a_role_and_has_it_at_once(world: World, said: str, word: str, role: Role) -> None:
    outcome = await world.say(f"setup {word} {said}")
    assert f"is an {word} now" in told(outcome.view)
    assert await role_of(world.services, DANA, Door.COMMAND) is role
    (entry,) = world.inside.entries
    assert (entry["who"], entry["operation"]) == (ANNA.user_id, f"setup.{word}")
    assert DANA.user_id in entry["arguments"]


@pytest.mark.parametrize("said", ["<!subteam^S9NIGHT|@night-shift>", "<!subteam^S9NIGHT>", "S9NIGHT"])
async def test_a_group_is_given_a_role_and_its_people_have_it(world: World, said: str) -> None:
    world.people.people.groups["S9NIGHT"] = {DANA.user_id}
    await world.say(f"setup operator {said}")
    assert await role_of(world.services, DANA, Door.COMMAND) is Role.OPERATOR


async def test_what_was_given_is_taken_back_by_its_button(world: World) -> None:
    given = await world.say(f"setup operator {DANA.user_id}")
    taken = await world.say(given.view.buttons[0].words)
    assert "is no operator any more" in told(taken.view)
    assert await role_of(world.services, DANA, Door.COMMAND) is Role.VIEWER
    back = await world.say(taken.view.buttons[0].words)
    assert "is an operator now" in told(back.view)


async def test_the_last_admin_stays(world: World) -> None:
    for words in (f"setup remove {ANNA.user_id}", f"setup operator {ANNA.user_id}"):
        with pytest.raises(RefusedError, match="only admin"):
            await world.say(words)
    await world.say(f"setup admin {DANA.user_id}")
    await world.say(f"setup remove {ANNA.user_id}")
    assert world.inside.grants == Grants(admins=(DANA.user_id,))


@pytest.mark.parametrize("standing", [Standing.GUEST, Standing.STRANGER, Standing.BOT])
async def test_only_full_members_can_have_one(world: World, standing: Standing) -> None:
    world.people.people.standings[CARLA.user_id] = standing
    with pytest.raises(RefusedError, match=f"this is a {standing}"):
        await world.say(f"setup operator {CARLA.user_id}")
    assert world.inside.grants == BOSS


async def test_while_slack_cannot_be_asked_nobody_is_given_one(world: World) -> None:
    world.people.people.away = True
    for who in (DANA.user_id, "S9NIGHT"):
        with pytest.raises(RetryLater):
            await world.say(f"setup admin {who}")
    assert world.inside.grants == BOSS


@pytest.mark.parametrize("by", [BEN, DANA])
@pytest.mark.parametrize("words", ["setup admin U1BEN", "setup operator U1DANA", "setup remove U1ANNA", "setup roles"])
async def test_only_admins_do(world: World, by: Any, words: str) -> None:
    with pytest.raises(RefusedError, match="Only admins"):
        await world.say(words, by)
    assert world.inside.grants == BOSS


@pytest.mark.parametrize("door", [Door.MODEL, Door.MCP])
async def test_a_model_gives_no_roles(world: World, door: Door) -> None:
    with pytest.raises(RefusedError, match="Only a person"):
        await world.say(f"setup admin {DANA.user_id}", door=door)


async def test_what_the_settings_say_is_not_taken_back_here(world: World) -> None:
    with pytest.raises(UsageError, match="comes from the settings"):
        await world.say(f"setup remove {OPERATORS}")
    with pytest.raises(UsageError, match="No role was given"):
        await world.say(f"setup remove {DANA.user_id}")


@pytest.mark.parametrize("who", ["@dana", "dana", "<@dana>", "<#C1|ops>", "<!channel>", "everyone", "<@U1|x> <@U2|y>"])
async def test_what_is_no_person_and_no_group_is_refused(world: World, who: str) -> None:
    with pytest.raises(BotError):
        await world.say(f"setup admin {who}")
    assert world.inside.grants == BOSS


async def test_all_are_shown_with_where_it_was_given(world: World) -> None:
    said = told((await world.say("setup roles")).view)
    assert f"Admins by Slack: @{ANNA.user_id}" in said
    assert f"Operators by the settings: @{OPERATORS}" in said
    assert "2 people and groups have a role" in said
