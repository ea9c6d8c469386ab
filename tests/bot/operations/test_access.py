"""Who may do what: roles by id and by group, and no door that opens because somebody could not be asked."""

import pytest

from bot.errors import RefusedError
from bot.nouns import Actor, Role, Standing
from bot.operations.access import check, role_of, who_may
from bot.operations.status import STATUS
from bot.operations.work import CANCEL
from bot.ports import Grants
from bot.requests import Door
from tests.doubles.ports import ANNA, BEN, CARLA, DANA, OPERATORS, TEAM, House


@pytest.mark.parametrize(("who", "role"), [(ANNA, Role.ADMIN), (BEN, Role.OPERATOR), (DANA, Role.VIEWER), (CARLA, Role.NOBODY)])
async def test_the_highest_role_that_was_given_counts(who: Actor, role: Role) -> None:
    assert await role_of(House().services, who, Door.COMMAND) is role


@pytest.mark.parametrize("standing", [Standing.GUEST, Standing.STRANGER, Standing.BOT])
async def test_only_full_members_may_look_even_from_a_user_group(standing: Standing) -> None:
    house = House()
    house.people.standings[BEN.user_id] = standing
    assert await role_of(house.services, BEN, Door.COMMAND) is Role.NOBODY


async def test_somebody_of_another_workspace_may_nothing_whatever_their_id() -> None:
    house = House()
    stranger = Actor(team_id="T2", user_id=ANNA.user_id)
    assert await role_of(house.services, stranger, Door.COMMAND) is Role.NOBODY
    assert house.people.asked == []


async def test_a_failed_look_up_denies() -> None:
    house = House()
    house.people.away = True
    with pytest.raises(RefusedError) as refused:
        await role_of(house.services, BEN, Door.COMMAND)
    assert str(refused.value) == "I could not check with Slack who you are, so I did nothing."


async def test_who_was_named_by_id_gets_in_while_slack_is_away() -> None:
    house = House()
    house.people.away = True
    assert await role_of(house.services, ANNA, Door.COMMAND) is Role.ADMIN


async def test_an_operator_by_id_needs_no_group() -> None:
    house = House(grants=Grants(operators=(DANA.user_id,)))
    assert await role_of(house.services, DANA, Door.COMMAND) is Role.OPERATOR


async def test_an_admin_group_makes_admins() -> None:
    house = House(grants=Grants(admins=(OPERATORS,), operators=(OPERATORS,)))
    assert await role_of(house.services, BEN, Door.COMMAND) is Role.ADMIN


async def test_an_unmapped_user_of_the_terminal_looks_and_no_more() -> None:
    shell = Actor(team_id=TEAM, user_id="terminal:root")
    assert await role_of(House().services, shell, Door.TERMINAL) is Role.VIEWER


async def test_no_slack_user_becomes_a_terminal_by_name() -> None:
    house = House()
    house.people.standings["terminal:root"] = Standing.STRANGER
    assert await role_of(house.services, Actor(team_id=TEAM, user_id="terminal:root"), Door.COMMAND) is Role.NOBODY


def test_a_refusal_names_who_may() -> None:
    with pytest.raises(RefusedError) as refused:
        check(House().services, CANCEL, Role.VIEWER)
    assert (str(refused.value), refused.value.needs) == ("Only operators can do this.", f"{OPERATORS} {ANNA.user_id}")
    assert refused.value.telling.untouched == "Nothing was changed."


def test_nobody_may_not_even_look() -> None:
    with pytest.raises(RefusedError, match="Only full members"):
        check(House().services, STATUS, Role.NOBODY)


def test_where_nobody_was_given_a_role_nobody_is_named() -> None:
    assert who_may(House(grants=Grants()).services, Role.OPERATOR) == ""
