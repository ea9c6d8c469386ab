"""Whatever breaks at whichever call, and however often it is repeated: one request, one machine, nobody else's touched."""

import asyncio
import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import RetryLater
from bot.nouns import CapacityOrder, CapacityRequest, Placement, RequestState
from bot.ports import Authorised
from sandbox.clock import HeldClock
from sandbox.google.faults import Fault, FaultKind, When
from sandbox.google.seed import HOME, default_project
from sandbox.google.standin import GoogleStandIn
from tests.bot.cloud.wired import Google, an_order

pytestmark = [pytest.mark.wire, pytest.mark.faults]
BEFORE = {"prod-1-request"}
LEAVE = Authorised("ask-0123456789ab")
KINDS = [FaultKind.UNAVAILABLE, FaultKind.HANG]
CREATE = [(nth, When.BEFORE) for nth in (1, 2, 3, 4)] + [(nth, When.AFTER) for nth in (1, 2, 3)]
"""Look, create, look at the operation, look; the first look finds nothing, so nothing comes after it."""
DELETE = [(nth, When.BEFORE) for nth in (1, 2, 3, 4)] + [(nth, When.AFTER) for nth in (1, 2)]
"""Look, delete, look for the request, look for the machine; the last two find nothing."""


async def provisioned(google: Google, order: CapacityOrder, *, deadline_s: float) -> CapacityRequest:
    """One whole try, as a work step makes it, on connections of its own: create, wait for the operation, look."""
    async with google.rest(deadline_s=deadline_s) as rest:
        provisioner = google.provisioner(rest)
        placement = await provisioner.create(LEAVE, order)
        assert isinstance(placement, Placement)
        if placement.operation is not None:
            await google.clock.advance(5)
            assert (await provisioner.operation(placement.operation.name)).done
        found = await provisioner.request(order.zone.name, order.name)
        assert found is not None
        return found


async def until_it_works(google: Google, order: CapacityOrder, *, deadline_s: float = 0.25, tries: int = 12) -> CapacityRequest:
    """Try again after every RetryLater, as the clock does."""
    for _ in range(tries):
        with contextlib.suppress(RetryLater):
            return await provisioned(google, order, deadline_s=deadline_s)
    raise AssertionError("it never worked")


def struck(google: Google) -> bool:
    """Whether the planned fault met a call: it was refused, or never answered."""
    return any(call.outcome in {"UNAVAILABLE", "CANCELLED", None} for call in google.standin.faults.calls)


async def destroyed(google: Google, name: str, machine: str, *, deadline_s: float) -> None:
    """One whole try to delete: delete, look until it is verified gone."""
    async with google.rest(deadline_s=deadline_s) as rest:
        provisioner = google.provisioner(rest)
        await provisioner.delete(LEAVE, HOME, name)
        await google.clock.advance(3)
        assert await provisioner.gone(HOME, name, machine)


@pytest.mark.parametrize(("nth", "when"), CREATE)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_fault_at_any_call_leaves_exactly_one_request_and_one_machine(
    wired: Google, order: CapacityOrder, kind: FaultKind, when: When, nth: int
) -> None:
    wired.standin.faults.plan(Fault(kind, nth=nth, when=when))
    found = await until_it_works(wired, order)
    assert struck(wired)
    await wired.clock.advance(5)
    assert found.machine == "prod-2"
    assert wired.requests() == {*BEFORE, "prod-2-request"}
    assert wired.nodes() == {"prod-1", "prod-2"}


@pytest.mark.parametrize(("nth", "when"), CREATE)
async def test_killed_at_any_call_another_process_goes_on_with_the_same_machine(
    wired: Google, order: CapacityOrder, when: When, nth: int
) -> None:
    wired.standin.faults.plan(Fault(FaultKind.HOLD, nth=nth, when=when))
    killed = asyncio.ensure_future(provisioned(wired, order, deadline_s=5))
    while not wired.standin.faults.held:
        await asyncio.sleep(0)
        assert not killed.done()
    killed.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await killed
    wired.standin.faults.clear()
    await until_it_works(wired, order)
    await wired.clock.advance(5)
    assert wired.requests() == {*BEFORE, "prod-2-request"}
    assert wired.nodes() == {"prod-1", "prod-2"}


@pytest.mark.parametrize(("nth", "when"), DELETE)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_fault_at_any_call_of_a_delete_ends_with_everything_gone(
    wired: Google, kind: FaultKind, when: When, nth: int
) -> None:
    wired.standin.faults.plan(Fault(kind, nth=nth, when=when))
    for _ in range(6):
        with contextlib.suppress(RetryLater):
            await destroyed(wired, "prod-1-request", "prod-1", deadline_s=0.25)
            break
    assert struck(wired)
    assert wired.requests() == set()
    assert wired.nodes() == set()
    assert wired.nodes("europe-west4-a") == {"notebook-anna"}


async def test_a_create_that_arrives_late_and_its_repeat_make_one_machine(wired: Google, order: CapacityOrder) -> None:
    wired.standin.faults.plan(Fault(FaultKind.HOLD, method="CreateQueuedResource", nth=1))
    async with wired.rest() as first, wired.rest() as second:
        late = asyncio.ensure_future(wired.provisioner(first).create(LEAVE, order))
        while not wired.standin.faults.held:
            await asyncio.sleep(0)
        prompt = await wired.provisioner(second).create(LEAVE, order)
        wired.standin.faults.release()
        answers = [prompt, await late]
    assert all(isinstance(answer, Placement) for answer in answers)
    assert len({answer.operation.name for answer in answers if isinstance(answer, Placement) and answer.operation}) == 1
    assert wired.requests() == {*BEFORE, "prod-2-request"}


faults = st.lists(
    st.tuples(st.sampled_from([FaultKind.UNAVAILABLE, FaultKind.RATE_LIMIT]), st.integers(1, 6), st.sampled_from(list(When))),
    max_size=6,
)
steps = st.lists(st.sampled_from(["ask", "destroy", "wait"]), min_size=1, max_size=6)


@settings(max_examples=15, deadline=None)
@given(faults, steps)
def test_any_faults_in_any_order_of_steps_never_touch_what_others_own(
    planned: list[tuple[FaultKind, int, When]], order_of_steps: list[str]
) -> None:
    asyncio.run(_live_through(planned, order_of_steps))


async def _live_through(planned: list[tuple[FaultKind, int, When]], order_of_steps: list[str]) -> None:
    clock = HeldClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    standin = GoogleStandIn(default_project(clock), clock)
    google = Google(standin, clock, (await standin.start()).rest)
    for kind, nth, when in planned:
        standin.faults.plan(Fault(kind, nth=nth, when=when))
    try:
        for step in order_of_steps:
            await _do(google, step)
            assert google.requests() <= {*BEFORE, "prod-2-request"}
            assert google.nodes() <= {"prod-1", "prod-2"}
            assert "prod-1" in google.nodes()
            assert google.nodes("europe-west4-a") == {"notebook-anna"}
        standin.faults.clear()
        await google.clock.advance(5)
        found = await until_it_works(google, an_order(attempt=2), deadline_s=5)
        assert found.state in {RequestState.ACTIVE, RequestState.PROVISIONING, RequestState.WAITING}
    finally:
        await standin.stop()


async def _do(google: Google, step: str) -> None:
    """One step that may fail; whatever it was, the next one finds a sound world."""
    if step == "wait":
        await google.clock.advance(4)
        return
    async with google.rest() as rest:
        with contextlib.suppress(RetryLater):
            if step == "ask":
                await google.provisioner(rest).create(LEAVE, an_order())
            else:
                await google.provisioner(rest).delete(LEAVE, HOME, "prod-2-request")
    await google.clock.advance(0.6)
