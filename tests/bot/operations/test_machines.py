"""`machines`: everything that exists in one answer; what nobody knows is not counted as nothing."""

import pytest

from bot.errors import NotConnectedError
from bot.nouns import MachineState, RequestState, Zone
from bot.operations.execute import Outcome, execute
from bot.operations.machines import MACHINES
from bot.operations.operation import Registry
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Shape, plain
from tests.doubles.ports import NOW, House
from tests.doubles.sights import asked_for, fleet, machine

TABLE: Registry = (MACHINES,)
EUROPE = Zone(name="europe-west4-a")


async def machines(house: House, words: str = "machines") -> Outcome:
    return await execute(TABLE, house.services, house.request(words))


async def test_each_machine_and_each_request_without_one_has_its_line() -> None:
    house = House()
    foreign = machine("notebook-anna", zone=EUROPE, accelerator="v6e-1", provisioning=None, labels={"owner": "research"})
    requests = (
        asked_for(RequestState.ACTIVE),
        asked_for(RequestState.WAITING, "bench-1-request", machine="bench-1", labels={"managed-by": "gemma-chatops"}),
        asked_for(RequestState.FAILED, "prod-0-request", machine="prod-0", error="no more capacity"),
    )
    house.cloud.answer = fleet(machine(), foreign, requests=requests)
    view = (await machines(house)).view
    assert plain(view.verdict) == "2 machines, 1 request waiting in 6 zones · $5.40/h and 1 of unknown price"
    assert [plain(one) for one in view.lines] == [
        "prod-1 ready · v6e-4, us-east5-a · $5.40/h · serves prod · made 3 h ago",
        "notebook-anna ready · v6e-1, europe-west4-a · price unknown · not ours · made 3 h ago",
        "bench-1-request request, waiting · v6e-4, us-east5-a · ours, but of no deployment · made 42 min ago",
        "prod-0-request request, failed · v6e-4, us-east5-a · for prod · made 42 min ago · no more capacity",
    ]


async def test_nothing_found_says_what_was_looked_at() -> None:
    assert plain((await machines(House())).view.verdict) == "No machines and no requests in 6 zones"


async def test_a_silent_zone_is_named_and_not_counted() -> None:
    house = House()
    house.cloud.answer = fleet(silent={"us-east5-b": "no answer in 5 s"})
    view = (await machines(house)).view
    assert (view.shape, plain(view.verdict)) == (Shape.CONCERN, "No machines and no requests in 5 zones")
    assert plain(view.lines[-1]) == "Not seen, did not answer: us-east5-b (no answer in 5 s)"


async def test_where_no_zone_answers_nothing_is_claimed() -> None:
    house = House()
    house.cloud.answer = fleet(silent={f"us-east5-{letter}": "no answer in 5 s" for letter in "abcdef"})
    view = (await machines(house)).view
    assert (view.shape, plain(view.verdict)) == (Shape.CONCERN, "Machines unknown: no zone answered")


async def test_a_machine_without_a_price_is_unknown_and_not_free() -> None:
    house = House()
    house.cloud.answer = fleet(machine(accelerator=None))
    outcome = await machines(house)
    assert plain(outcome.view.verdict) == "1 machine in 6 zones · price unknown"
    assert "slice unknown, us-east5-a · price unknown" in plain(outcome.view.lines[0])
    assert outcome.result is not None
    assert outcome.result["usd_per_hour"] is None


async def test_one_zone_can_be_asked_alone() -> None:
    house = House()
    await machines(house, "machines us-east5-a")
    await machines(house)
    assert house.cloud.asked == [["us-east5-a"], None]


async def test_many_machines_wait_behind_details() -> None:
    house = House()
    many = [machine(f"prod-{n}", state=MachineState.READY) for n in range(30)]
    house.cloud.answer = fleet(*many, silent={f"zone{n}-a": "x" * 40 for n in range(9)})
    view = (await machines(house)).view
    assert len(view.lines) < LINES_LIMIT
    assert len(view.lines) + len(view.details) == 31
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert plain(view.lines[-1]).endswith("and 6 more")


async def test_without_a_project_it_says_what_to_set() -> None:
    house = House()
    house.cloud.answer = NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
    with pytest.raises(NotConnectedError, match="Machine: not connected, set GOOGLE_CLOUD_PROJECT"):
        await machines(house)


async def test_a_total_is_as_old_as_its_oldest_price() -> None:
    house = House()
    house.cloud.answer = fleet(machine(), machine("prod-2"))
    result = (await machines(house)).result
    assert result is not None
    assert result["usd_per_hour"]["value"] == 10.8
    assert result["usd_per_hour"]["at"] < NOW.isoformat()
