"""The adapter against the stand-in, with Google's real client library between them."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from bot.cloud.tpu import TpuCloud
from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import MachineState, ProvisioningModel, RequestState
from sandbox.clock import HeldClock
from sandbox.google.faults import Fault, FaultKind
from sandbox.google.project import Reach
from sandbox.google.seed import PROJECT, default_project
from sandbox.google.standin import GoogleStandIn

pytestmark = pytest.mark.wire
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Google:
    """A running stand-in with its address."""

    def __init__(self, standin: GoogleStandIn, clock: HeldClock, address: str) -> None:
        self.standin, self.clock, self.address = standin, clock, address
        self.project = standin.project

    async def cloud(self, *, zones: tuple[str, ...] | None = None, deadline_s: float = 5.0, page_size: int = 500) -> TpuCloud:
        return await TpuCloud.open(
            PROJECT, clock=self.clock, address=self.address, zones=zones, deadline_s=deadline_s, page_size=page_size
        )


@pytest.fixture
async def google() -> AsyncIterator[Google]:
    clock = HeldClock(NOW)
    standin = GoogleStandIn(default_project(clock), clock)
    addresses = await standin.start()
    yield Google(standin, clock, addresses.grpc)
    await standin.stop()


async def test_zones_come_from_google_in_order_of_name(google: Google) -> None:
    async with await google.cloud() as cloud:
        assert await cloud.zones() == tuple(sorted(google.project.zones))


async def test_configured_zones_are_taken_as_they_are_without_a_call(google: Google) -> None:
    async with await google.cloud(zones=("us-east5-a",)) as cloud:
        assert await cloud.zones() == ("us-east5-a",)
    assert google.standin.faults.calls == []


async def test_the_fleet_holds_every_machine_and_request_of_every_zone(google: Google) -> None:
    async with await google.cloud() as cloud:
        fleet = await cloud.fleet()
    machines = {machine.name: machine for machine in fleet.machines}
    assert set(machines) == {"prod-1", "notebook-anna"}
    assert machines["prod-1"].state is MachineState.READY
    assert machines["prod-1"].provisioning is ProvisioningModel.FLEX_START
    assert machines["prod-1"].health == "HEALTHY"
    assert machines["notebook-anna"].provisioning is None
    states = {request.name: request.state for request in fleet.requests}
    assert states == {
        "prod-1-request": RequestState.ACTIVE,
        "bench-1-request": RequestState.WAITING,
        "prod-0-request": RequestState.FAILED,
    }
    failed = next(request for request in fleet.requests if request.name == "prod-0-request")
    assert failed.error is not None
    assert "no more capacity in the zone" in failed.error
    assert (fleet.at, fleet.zones_asked, fleet.unreachable) == (NOW, 6, {})


async def test_a_zone_that_hangs_is_named_and_the_others_are_still_listed(google: Google) -> None:
    google.project.set_reach("us-east5-b", Reach.HANGS)
    async with await google.cloud(deadline_s=0.4) as cloud:
        fleet = await cloud.fleet()
    assert list(fleet.unreachable) == ["us-east5-b"]
    assert "did not answer in time" in fleet.unreachable["us-east5-b"]
    assert {machine.name for machine in fleet.machines} == {"prod-1", "notebook-anna"}


async def test_a_zone_that_google_itself_cannot_reach_is_named_and_not_taken_for_empty(google: Google) -> None:
    google.project.set_reach("us-east5-b", Reach.LISTED_UNREACHABLE)
    async with await google.cloud() as cloud:
        fleet = await cloud.fleet()
    assert "Google could not ask this zone" in fleet.unreachable["us-east5-b"]


async def test_a_short_outage_is_bridged_by_a_retry(google: Google) -> None:
    google.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, method="ListNodes", zone="us-east5-a", nth=1))
    async with await google.cloud() as cloud:
        fleet = await cloud.fleet(["us-east5-a"])
    assert [machine.name for machine in fleet.machines] == ["prod-1"]
    assert fleet.unreachable == {}
    assert len([call for call in google.standin.faults.calls if call.method == "ListNodes"]) == 2


async def test_one_list_that_fails_does_not_hide_the_other(google: Google) -> None:
    google.standin.faults.plan(Fault(FaultKind.PERMISSION_DENIED, method="ListQueuedResources"))
    async with await google.cloud() as cloud:
        fleet = await cloud.fleet(["us-east5-a"])
    assert [machine.name for machine in fleet.machines] == ["prod-1"]
    assert "lacks the permission for listing capacity requests" in fleet.unreachable["us-east5-a"]


async def test_missing_permission_everywhere_is_for_a_person_and_says_which_role(google: Google) -> None:
    google.standin.faults.plan(Fault(FaultKind.PERMISSION_DENIED))
    async with await google.cloud(zones=("us-east5-a", "us-east5-b")) as cloud:
        with pytest.raises(PersonMovesNext) as caught:
            await cloud.fleet()
    assert "roles/tpu.viewer" in caught.value.telling.next_step


async def test_a_disabled_api_is_recognised_by_its_reason(google: Google) -> None:
    google.standin.faults.plan(Fault(FaultKind.API_DISABLED))
    async with await google.cloud() as cloud:
        with pytest.raises(PersonMovesNext, match="switched off in project sandbox-project"):
            await cloud.zones()


async def test_a_quota_per_minute_says_how_long_to_wait(google: Google) -> None:
    google.standin.faults.plan(Fault(FaultKind.RATE_LIMIT))
    async with await google.cloud() as cloud:
        with pytest.raises(RetryLater) as caught:
            await cloud.zones()
    assert caught.value.after_s == 60


async def test_nobody_listening_is_for_later_and_said_within_the_deadline() -> None:
    clock = HeldClock(NOW)
    async with await TpuCloud.open(PROJECT, clock=clock, address="127.0.0.1:1", deadline_s=0.5, zones=("us-east5-a",)) as cloud:
        async with asyncio.timeout(2):
            with pytest.raises(RetryLater, match=r"could not be reached|in time"):
                await cloud.fleet()


async def test_no_metadata_leaves_the_adapter(google: Google) -> None:
    record = next(iter(google.project.nodes.records.values()))
    record.message.metadata["startup-script"] = "planted-secret"
    async with await google.cloud() as cloud:
        fleet = await cloud.fleet()
    assert "planted-secret" not in fleet.model_dump_json()


async def test_lists_longer_than_a_page_are_read_to_the_end(google: Google) -> None:
    async with await google.cloud(page_size=1) as cloud:
        assert len(await cloud.zones()) == 6
        fleet = await cloud.fleet(["us-east5-b"])
    assert len(fleet.requests) == 2
