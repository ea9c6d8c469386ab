"""`token key`: a key that nobody types and nobody is shown, for a yes that was given."""

import re
from dataclasses import replace

import pytest

from bot.errors import NotConnectedError, PersonMovesNext, RefusedError, RetryLater
from bot.nouns import Actor, Deployment
from bot.operations.approvals import NO, YES
from bot.operations.execute import Outcome, execute
from bot.operations.token_key import TOKEN_KEY, new_key
from bot.requests import Door
from bot.view import View, plain
from tests.doubles.ports import ANNA, BEN, DANA, House
from tests.doubles.vault import Vault
from tests.doubles.yard import Yard

TABLE = (TOKEN_KEY, YES, NO)


class World:
    """One deployment, prod, and a vault."""

    def __init__(self) -> None:
        self.house, self.vault = House(), Vault()
        self.house.names.known = [Deployment(name="prod")]

    async def say(self, words: str, by: Actor = ANNA, door: Door = Door.COMMAND) -> Outcome:
        services = replace(self.house.services, capacity=replace(Yard().capacity(), secrets=self.vault))
        return await execute(TABLE, services, self.house.request(words, by, door))

    async def agree(self, words: str) -> Outcome:
        asked = await self.say(words)
        await self.say(asked.view.buttons[0].words)
        return await self.again()

    async def again(self) -> Outcome:
        """What the yes set free, as a worker takes it."""
        services = replace(self.house.services, capacity=replace(Yard().capacity(), secrets=self.vault))
        return await execute(TABLE, services, self.house.questions.works[-1])


@pytest.fixture
def world() -> World:
    return World()


def told(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines)))


def test_a_key_is_long_random_and_holds_nothing_that_a_header_cannot() -> None:
    keys = {new_key().get_secret_value() for _ in range(50)}
    assert len(keys) == 50
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", key) for key in keys)


async def test_nothing_is_made_before_a_yes(world: World) -> None:
    asked = await world.say("token key prod")
    assert asked.asked is not None
    assert "refused from then on" in told(asked.view)
    assert asked.view.buttons[0].label == "Make a new key for prod"
    assert not world.vault.kept


async def test_a_yes_makes_one_and_the_answer_names_its_place_and_not_the_key(world: World) -> None:
    outcome = await world.agree("token key")
    (key,) = world.vault.kept["gemma-api-key-prod"]
    said = told(outcome.view)
    assert "prod has a new API key · gemma-api-key-prod, version 1" in said
    assert "gcloud secrets versions access latest --secret=gemma-api-key-prod" in said
    everything = outcome.model_dump_json() + repr(world.house) + repr(world.vault)
    assert key.get_secret_value() not in everything
    assert world.vault.leaves[0].work_id == world.house.questions.works[-1].id


async def test_a_repeat_makes_another_and_tells_of_the_one_before(world: World) -> None:
    await world.agree("token key prod")
    assert "Version 1 still works" in told((await world.again()).view)
    assert len({one.get_secret_value() for one in world.vault.kept["gemma-api-key-prod"]}) == 2


async def test_a_store_that_fails_is_told_and_audited(world: World) -> None:
    world.vault.errors.append(RetryLater("Secret Manager does not answer."))
    with pytest.raises(RetryLater):
        await world.agree("token key prod")
    assert world.house.book.lines[-1]["ended"] == "failed: Secret Manager does not answer."


async def test_a_deployment_to_come_may_have_its_key_waiting(world: World) -> None:
    assert "There is no deployment lab yet" in told((await world.say("token key lab")).view)
    await world.agree("token key lab")
    assert list(world.vault.kept) == ["gemma-api-key-lab"]


async def test_without_any_deployment_one_has_to_be_named(world: World) -> None:
    world.house.names.known = []
    with pytest.raises(NotConnectedError):
        await world.say("token key")


@pytest.mark.parametrize("by", [BEN, DANA])
async def test_only_admins(world: World, by: Actor) -> None:
    with pytest.raises(RefusedError, match="Only admins"):
        await world.say("token key prod", by)


async def test_a_model_may_only_propose_it(world: World) -> None:
    assert (await world.say("token key prod", door=Door.MODEL)).asked is not None
    assert not world.vault.kept


async def test_words_that_are_no_name_are_refused(world: World) -> None:
    with pytest.raises(PersonMovesNext):
        await world.say("token key ../../etc")
