"""A name that was left out: the ones there are stand on buttons, behind what was typed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.errors import RetryLater, UsageError
from bot.nouns import CapacityRequest, Fleet, Machine, MachineState, RequestState, Zone
from bot.operations import OPERATIONS
from bot.operations.command_line import form_of
from bot.operations.execute import admit, execute
from bot.operations.operation import AnyOperation
from bot.operations.telling import told
from bot.operations.values import NAME, Thing
from bot.ports import OpenWork
from tests.doubles.ports import ANNA, BEN, CARLA, NOW, House


@pytest.fixture
def house() -> House:
    return House()


def machines(house: House, *names: str) -> None:
    zone = Zone(name="us-east5-a")
    made = tuple(Machine(backend="tpu_api", name=one, zone=zone, state=MachineState.READY, accelerator="v6e-4") for one in names)
    waits = CapacityRequest(
        backend="tpu_api", name="night-request", zone=zone, state=RequestState.WAITING, machine="night-1", accelerator="v6e-4"
    )
    house.cloud.answer = Fleet(at=NOW, machines=made, requests=(waits,), zones_asked=1)


def work(name: str, minutes: int, **more: object) -> OpenWork:
    fields = {"id": name, "kind": "machine", "state": "waiting", "words": "machine create", "asked_by": "U1BEN", "channel": "C1"}
    return OpenWork.model_validate({**fields, "since": NOW + timedelta(minutes=minutes), **more})


async def offered(house: House, words: str) -> UsageError:
    with pytest.raises(UsageError) as asked:
        await execute(OPERATIONS, house.services, house.request(words, ANNA))
    return asked.value


@pytest.mark.parametrize("words", ["machine", "machine stop", "Machine  Destroy"])
async def test_machines_are_offered_behind_the_words_that_were_typed(house: House, words: str) -> None:
    machines(house, "prod-2", "prod-1")
    asked = await offered(house, words)
    said = " ".join(words.lower().split())
    assert str(asked) == "Which machine?"
    assert asked.near == tuple(f"{said} {name}" for name in ("prod-1", "prod-2", "night-request"))
    assert asked.usage == ""
    assert [button.words for button in told(asked).buttons] == list(asked.near)


async def test_other_values_stay_as_they_were_typed(house: House) -> None:
    machines(house, "prod-1")
    assert (await offered(house, "machine destroy because it is idle")).near[0] == "machine destroy prod-1 because it is idle"


async def test_work_that_can_be_stopped_is_offered_the_newest_first(house: House) -> None:
    house.desk.open = [
        work("machine-1", 0),
        work("machine-2", 1, stopping=True),
        work("machine-3", 2, unstoppable="it deletes"),
        work("r-1", 3, kind="request"),
        work("bench-4", 4),
    ]
    assert (await offered(house, "cancel")).near == ("cancel bench-4", "cancel machine-1")


async def test_more_than_fit_are_counted(house: House) -> None:
    machines(house, *(f"prod-{number}" for number in range(9)))
    asked = await offered(house, "machine stop")
    assert len(asked.near) == 5
    assert asked.telling.next_step == "The first 5 of 10; all: /gemma machines"


async def test_where_there_is_none_that_is_said(house: House) -> None:
    asked = await offered(house, "cancel")
    assert str(asked) == "There is no work to choose from."


async def test_where_nobody_can_look_the_usage_is_told(house: House) -> None:
    house.cloud.answer = RetryLater("Google does not answer.")
    asked = await offered(house, "machine stop")
    assert asked.usage == "/gemma machine stop name"


async def test_nobody_special_learns_no_names(house: House) -> None:
    machines(house, "prod-1")
    with pytest.raises(Exception, match="Only full members"):
        await execute(OPERATIONS, house.services, house.request("machine", CARLA))


def named(operation: AnyOperation) -> list[str]:
    fields = operation.arguments.model_fields
    return [name for name, field in fields.items() if field.is_required() and form_of(field) is NAME]


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if not one.hidden and named(one)], ids=lambda one: one.path)
async def test_every_word_that_needs_a_name_offers_some_or_makes_a_new_one(house: House, operation: AnyOperation) -> None:
    """A new operation marks its name (`bot.operations.values.MachineName`), or stands here because nothing has that name yet."""
    fields = operation.arguments.model_fields
    marked = all(any(isinstance(meta, Thing) for meta in fields[name].metadata) for name in named(operation))
    assert marked or operation.path in NEW_NAMES


NEW_NAMES = {"machine.create"}


async def test_a_name_that_is_there_is_not_asked_for(house: House) -> None:
    machines(house, "prod-1")
    admitted = await admit(OPERATIONS, replace(house.services), house.request("machine stop prod-1", BEN))
    assert admitted.operation.path == "machine.stop"
