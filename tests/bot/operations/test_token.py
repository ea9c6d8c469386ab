"""`token`: what is handed over in person is kept, and nothing else has it."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.cloud.absent import NoSecrets
from bot.errors import NotConnectedError, RefusedError, RetryLater, UsageError
from bot.nouns import Actor
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Registry
from bot.operations.token import TOKEN, token_operation
from bot.ports import Services
from bot.requests import Door
from bot.view import View, plain
from tests.doubles.ports import ANNA, BEN, DANA, House
from tests.doubles.vault import Vault
from tests.doubles.yard import Yard

VALUE = "hf" + "_QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"


class World:
    """A house with a vault."""

    def __init__(self) -> None:
        self.house, self.vault = House(), Vault()

    @property
    def services(self) -> Services:
        return replace(self.house.services, capacity=replace(Yard().capacity(), secrets=self.vault))

    async def hand_over(self, value: str = VALUE, by: Actor = ANNA, door: Door = Door.MODAL) -> Outcome:
        table: Registry = (token_operation(SecretStr(value)),)
        return await execute(table, self.services, self.house.request("token", by, door))

    def audited(self) -> list[str]:
        return [line["ended"] for line in self.house.book.lines]


@pytest.fixture
def world() -> World:
    return World()


def told(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines)))


async def test_the_token_is_kept_and_the_answer_names_secret_version_time_and_person(world: World) -> None:
    outcome = await world.hand_over()
    assert world.vault.kept["gemma-hf-token"][0].get_secret_value() == VALUE
    said = told(outcome.view)
    assert "gemma-hf-token, version 1" in said
    assert "2026-11-30 03:00 UTC · by @U1ANNA" in said
    assert "To take it back: revoke it at Hugging Face" in said


async def test_a_second_token_tells_how_to_revoke_the_first(world: World) -> None:
    await world.hand_over()
    said = told((await world.hand_over(VALUE + "x")).view)
    assert "Version 1 still works" in said
    assert "revoke it at Hugging Face" in said
    assert "gcloud secrets versions destroy 1 --secret=gemma-hf-token" in said


async def test_it_is_audited_before_it_is_stored_and_after(world: World) -> None:
    await world.hand_over()
    assert world.audited() == ["begun", "The Hugging Face token is stored · gemma-hf-token, version 1"]
    world.vault.errors.append(RetryLater("Secret Manager does not answer."))
    with pytest.raises(RetryLater):
        await world.hand_over()
    assert world.audited()[2:] == ["begun", "failed: Secret Manager does not answer."]


async def test_what_cannot_be_written_down_is_not_stored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(team_id: str, entry: Any) -> None:
        raise NotConnectedError("Redis", "REDIS_URL")

    monkeypatch.setattr(world.house.book, "note", away)
    with pytest.raises(NotConnectedError):
        await world.hand_over()
    assert not world.vault.kept


@pytest.mark.parametrize("by", [BEN, DANA])
async def test_only_admins_hand_one_over(world: World, by: Actor) -> None:
    with pytest.raises(RefusedError, match="Only admins"):
        await world.hand_over(by=by)
    assert not world.vault.kept


@pytest.mark.parametrize("door", [door for door in Door if door not in {Door.MODAL, Door.TERMINAL}])
async def test_no_other_door_stores_a_value(world: World, door: Door) -> None:
    with pytest.raises(RefusedError, match=r"in person|Only a person"):
        await world.hand_over(door=door)
    assert not world.vault.kept
    assert "begun" not in world.audited()


async def test_the_terminal_is_in_person_too(world: World) -> None:
    await world.hand_over(door=Door.TERMINAL)
    assert len(world.vault.leaves) == 1


@pytest.mark.parametrize(
    "value", ["", "hf_", "hf_short", VALUE + " ", VALUE + "\n", "x" + VALUE, "hf_" + "ä" * 30, "hf_" + "a" * 201]
)
async def test_another_shape_is_refused_without_being_repeated(world: World, value: str) -> None:
    with pytest.raises(UsageError) as refused:
        await world.hand_over(value)
    assert not world.vault.kept
    assert value == "" or value.strip() not in f"{refused.value} {refused.value.telling}".replace("hf_ and", "")


async def test_without_a_value_there_is_a_window_to_open(world: World) -> None:
    outcome = await execute((TOKEN,), world.services, world.house.request("token", ANNA))
    assert [button.words for button in outcome.view.buttons] == ["token"]
    assert outcome.whisper
    assert not world.vault.kept


async def test_a_value_is_no_argument(world: World) -> None:
    with pytest.raises(UsageError):
        await execute((TOKEN,), world.services, world.house.request(f"token {VALUE}", ANNA))


async def test_without_a_project_it_says_what_to_set(world: World) -> None:
    services = replace(world.services, capacity=replace(Yard().capacity(), secrets=NoSecrets()))
    with pytest.raises(NotConnectedError, match="GOOGLE_CLOUD_PROJECT"):
        await execute((token_operation(SecretStr(VALUE)),), services, world.house.request("token", ANNA, Door.MODAL))


async def test_the_value_stands_in_nothing_that_is_shown_kept_or_audited(world: World) -> None:
    outcome = await world.hand_over()
    everything = outcome.model_dump_json() + repr(outcome) + repr(world.house) + repr(world.vault)
    assert VALUE not in everything
