"""`machine create`: what it costs is said first, waiting is no failure, every end is clean, and a crash makes nothing twice."""

from datetime import timedelta

import pytest

from bot.errors import RefusedError, UsageError
from bot.nouns import Machine, MachineState, ProvisioningModel, Refusal, RefusalKind, RequestState
from bot.operations.course import BILLS, Ended
from bot.operations.execute import Outcome
from bot.operations.machine_create import MACHINE_CREATE
from bot.operations.machine_destroy import MACHINE_DESTROY
from bot.operations.machine_expire import MACHINE_EXPIRE
from bot.view import View, plain
from tests.doubles.ports import BEN, DANA, NOW
from tests.doubles.sights import machine
from tests.doubles.works import Works

ZONE, REQUEST = "us-east5-a", "prod-2-request"
CREATE = "machine create prod-2 v6e-4 flex zone us-east5-a for 8h"
STOCKOUT = Refusal(kind=RefusalKind.STOCKOUT, text='There is no more capacity in the zone "us-east5-a"')
SENT = f"create {ZONE}/{REQUEST}"


def works() -> Works:
    return Works((MACHINE_CREATE, MACHINE_DESTROY, MACHINE_EXPIRE))


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


def made_machine(made: Works, **more: object) -> Machine:
    labels = made.yard.requests[ZONE, REQUEST].labels
    return machine("prod-2", labels=labels, created_at=NOW, **more)


def becomes_active(made: Works, **more: object) -> None:
    """Three looks later the machine is there, and a look after that it is ready."""
    turn = made.yard.turn

    def there() -> None:
        turn(ZONE, REQUEST, RequestState.ACTIVE)()
        made.yard.put(made_machine(made, state=MachineState.CREATING, **more))

    made.yard.soon = [
        turn(ZONE, REQUEST, RequestState.WAITING),
        turn(ZONE, REQUEST, RequestState.PROVISIONING),
        there,
        lambda: made.yard.put(made_machine(made, **more)),
    ]


async def test_the_question_says_price_most_and_end() -> None:
    asked = await works().say(CREATE)
    assert told(asked)[:3] == [
        "Create prod-2: v6e-4 in us-east5-a, $5.40/h, at most $43.20",
        "flex-start, runs 8 h from when it is ready. Google deletes it then; it cannot be extended. "
        "List price of 20 Aug; your invoice may differ.",
        "It may wait up to 2 h for capacity; waiting is free and can be stopped.",
    ]
    assert asked.view.buttons[0].label == "Create prod-2, $5.40/h"


async def test_nothing_is_asked_of_google_before_the_yes() -> None:
    made = works()
    await made.say(CREATE)
    assert SENT not in made.yard.asked


async def test_it_waits_and_ends_with_the_machine_its_price_and_its_end() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    becomes_active(made)
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict) == "prod-2 is ready in us-east5-a since 03:00 UTC"
    assert plain(view.lines[0]).startswith("It bills $5.40/h until 2026-11-30 11:00 UTC, at most $43.20. Address ")
    assert [one.words for one in view.buttons] == ["machine prod-2", "machine destroy prod-2"]
    assert "waiting for capacity, which is normal and free" in " ".join(made.progress)
    lease = made.ends[ZONE, "prod-2"]
    assert (lease.ends_at, lease.request, lease.owner) == (NOW + timedelta(hours=8), REQUEST, BEN.user_id)


async def test_the_end_is_googles_own_where_it_says_one() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    becomes_active(made, ends_at=NOW + timedelta(hours=8, minutes=2))
    await made.end(name)
    assert made.ends[ZONE, "prod-2"].ends_at == NOW + timedelta(hours=8, minutes=2)


async def test_waiting_for_an_hour_is_no_failure_and_says_so_seldom() -> None:
    made = works()
    name = await made.begins(CREATE)
    made.yard.soon = [lambda: None] * 300
    await made.take(name)
    made.yard.turn(ZONE, REQUEST, RequestState.WAITING)()
    for _ in range(260):
        came = await made.take(name)
        assert not isinstance(came, Ended)
        assert came.wait_s is not None
        made.house.clock.move(seconds=came.wait_s)
    assert made.works[name].state == "waiting"
    assert len(set(made.progress)) < 16


async def test_what_is_refused_at_once_made_nothing_and_says_why_and_what_next() -> None:
    made = works()
    made.yard.refusals = [STOCKOUT]
    view = await made.end(await made.begins(CREATE))
    assert view is not None
    assert [plain(view.verdict), *map(plain, view.lines)] == [
        "No prod-2 in us-east5-a: no capacity there now",
        'Google says: There is no more capacity in the zone "us-east5-a"',
        "Nothing was made, nothing bills.",
        "Try again later, or another zone.",
    ]


async def test_a_model_that_is_refused_after_the_create_is_told_as_that() -> None:
    made = works()
    made.yard.late_refusal = Refusal(kind=RefusalKind.MODEL_REFUSED, text="FLEX_START provisioning model is not supported")
    view = await made.end(await made.begins(CREATE))
    assert view is not None
    assert plain(view.verdict) == "No prod-2 in us-east5-a: it is not sold that way there"


@pytest.mark.parametrize("state", [RequestState.FAILED, RequestState.SUSPENDED, RequestState.SUSPENDING, RequestState.DELETING])
async def test_an_end_without_a_machine_is_cleared_away_and_verified(state: RequestState) -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    made.yard.turn(ZONE, REQUEST, state, error="no more capacity", refusal=STOCKOUT)()
    made.yard.soon = [lambda: None, lambda: None, made.yard.vanish(ZONE, REQUEST, "prod-2")]
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict) == "No prod-2 in us-east5-a: no capacity there now"
    assert "deleted and gone; nothing bills" in " ".join(map(plain, view.lines))
    assert made.yard.requests == {}


async def test_a_request_that_somebody_deleted_is_told_as_gone() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    made.yard.vanish(ZONE, REQUEST, "prod-2")()
    made.yard.operations[f"create-{REQUEST}"] = made.yard.operations[f"create-{REQUEST}"].model_copy(update={"done": True})
    view = await made.end(name)
    assert view is not None
    assert "refused or deleted by somebody" in plain(view.verdict)


async def test_a_create_that_was_sent_twice_makes_one_request() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    await made.take(name, "new")
    becomes_active(made)
    assert await made.end(name) is not None
    assert made.yard.asked.count(SENT) == 2
    assert list(made.yard.requests) == [(ZONE, REQUEST)]


async def test_a_stop_takes_back_what_was_asked_for() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    made.yard.soon = [lambda: None, made.yard.vanish(ZONE, REQUEST, "prod-2")]
    view = await made.end(name, stop=True)
    assert view is not None
    assert plain(view.verdict) == "No prod-2 in us-east5-a: it was stopped"
    assert made.yard.requests == {}


async def test_a_stop_before_anything_was_asked_for_ends_at_once() -> None:
    made = works()
    view = await made.end(await made.begins(CREATE), stop=True)
    assert view is not None
    assert SENT not in made.yard.asked


async def test_a_machine_of_this_work_that_outlived_its_request_is_deleted() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    left = made_machine(made)
    made.yard.vanish(ZONE, REQUEST, None)()
    made.yard.put(left)
    made.yard.soon = [lambda: None, made.yard.vanish(ZONE, REQUEST, "prod-2")]
    await made.end(name, stop=True)
    assert f"delete machine {ZONE}/prod-2" in made.yard.asked


async def test_what_others_put_there_under_the_same_name_is_not_touched() -> None:
    made = works()
    name = await made.begins(CREATE)
    made.yard.put(machine("prod-2", labels={"managed-by": "gemma-chatops", "work": "ask-other"}))
    await made.end(name, stop=True)
    assert (ZONE, "prod-2") in made.yard.standing
    assert not [one for one in made.yard.asked if one.startswith("delete machine")]


async def test_a_request_that_never_becomes_ready_is_given_up_after_its_time() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    made.yard.turn(ZONE, REQUEST, RequestState.PROVISIONING)()
    made.house.clock.move(hours=3, minutes=1)
    made.yard.soon = [lambda: None, made.yard.vanish(ZONE, REQUEST, "prod-2")]
    view = await made.end(name)
    assert view is not None
    assert "it was still provisioning after 3 h" in plain(view.verdict)


async def test_what_does_not_go_is_told_with_what_it_may_bill() -> None:
    made = works()
    name = await made.begins(CREATE)
    await made.take(name)
    view = await made.end(name, stop=True)
    assert view is not None
    assert plain(view.verdict).startswith("prod-2 came to nothing and is not gone after 30 min")
    assert "may bill $5.40/h" in plain(view.lines[0])


async def test_trouble_on_the_way_says_what_may_stand_and_bill() -> None:
    made = works()
    name = await made.begins(CREATE)
    assert made.works[name].notes[BILLS].startswith("prod-2-request may stand in us-east5-a and become a machine for $5.40/h")


async def test_a_name_that_exists_a_zone_that_does_not_and_a_slice_that_is_not_there_are_said_before_the_yes() -> None:
    made = works()
    made.yard.put(machine("prod-2"))
    with pytest.raises(UsageError, match="already"):
        await made.say(CREATE)
    with pytest.raises(UsageError, match="no zone us-east9-a"):
        await made.say("machine create prod-3 v6e-4 zone us-east9-a")
    made.yard.has = {"us-east5-b": False}
    with pytest.raises(UsageError, match="has no v6e-4"):
        await made.say("machine create prod-3 v6e-4 zone us-east5-b")


async def test_viewers_are_refused_and_a_time_beyond_a_week_is_no_time() -> None:
    with pytest.raises(RefusedError):
        await works().say(CREATE, DANA)
    with pytest.raises(UsageError):
        await works().say("machine create prod-2 v6e-4 zone us-east5-a for 8d")


async def test_spot_gets_an_end_of_ours_which_comes_and_is_told_once() -> None:
    made = works()
    name = await made.begins("machine create prod-2 v6e-4 spot zone us-east5-a for 2h")
    await made.take(name)
    assert made.yard.requests[ZONE, REQUEST].provisioning is ProvisioningModel.SPOT
    becomes_active(made, provisioning=ProvisioningModel.SPOT)
    assert await made.end(name) is not None
    (ends,) = set(made.works) - {name}
    before = made.house.clock.at
    made.yard.soon = [lambda: None] * 24 + [made.yard.vanish(ZONE, REQUEST, "prod-2")] * 3
    view = await made.end(ends)
    assert view is not None
    assert plain(view.verdict).startswith("prod-2 is gone · billing stopped at 05:0")
    assert made.house.clock.at - before >= timedelta(hours=1, minutes=59)
    assert made.ends == {}


async def test_a_spot_machine_that_was_destroyed_before_its_end_ends_without_a_word() -> None:
    made = works()
    name = await made.begins("machine create prod-2 v6e-4 spot zone us-east5-a for 2h")
    await made.take(name)
    becomes_active(made)
    await made.end(name)
    await made.drop("T1", ZONE, "prod-2")
    (ends,) = set(made.works) - {name}
    view: View | None = await made.end(ends)
    assert view is None


async def test_a_spot_machine_that_google_took_is_told_and_its_request_cleared_away() -> None:
    made = works()
    name = await made.begins("machine create prod-2 v6e-4 spot zone us-east5-a for 2h")
    await made.take(name)
    becomes_active(made, provisioning=ProvisioningModel.SPOT)
    await made.end(name)
    (ends,) = set(made.works) - {name}

    def taken() -> None:
        made.yard.vanish(ZONE, None, "prod-2")()
        made.yard.turn(ZONE, REQUEST, RequestState.SUSPENDED)()

    made.yard.soon = [taken, lambda: None, lambda: None, made.yard.vanish(ZONE, REQUEST, "prod-2")]
    view = await made.end(ends)
    assert view is not None
    assert plain(view.verdict).startswith("prod-2 was lost before its end · billing stopped at 03:0")
    assert f"delete {ZONE}/{REQUEST}" in made.yard.asked
