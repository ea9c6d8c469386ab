"""The life of queued resources, under a clock that the test moves. No sockets."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from google.cloud import tpu_v2alpha1 as tpu
from google.rpc import code_pb2

from sandbox.clock import HeldClock
from sandbox.google.project import Project, ZoneRules
from sandbox.google.queued import QueuedRecord, Terms
from sandbox.google.refusals import Refusal
from sandbox.google.seed import queued_resource

State = tpu.QueuedResourceState.State
Initiator = tpu.QueuedResourceState.StateInitiator
Node = tpu.Node.State
ZONE = "us-east5-a"
PARENT = f"projects/p/locations/{ZONE}"
FLEX = Terms("FLEX_START", run_s=3600)
REQUEST_ID = "7f1c2a52-6a0e-5f0e-9d53-0a2f3c1d4e5f"


class World:
    """A project with two zones, and the few words that the tests speak."""

    def __init__(self) -> None:
        self.clock = HeldClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
        self.project = Project("p", self.clock)
        slices = frozenset({"v6e-1", "v6e-4"})
        self.project.add_zone(ZoneRules(ZONE, slices, {"v6e": 8}))
        self.project.add_zone(ZoneRules("us-east5-b", slices, {"v6e": 8}, {"v6e-4": frozenset({"STANDARD"})}))

    def ask(self, name: str = "q", terms: Terms = FLEX, parent: str = PARENT, request_id: str = "", **changes: Any) -> Any:
        queued = queued_resource(parent, f"{name}-node", changes.pop("accelerator", "v6e-4"), changes.pop("labels", {}))
        if wait_s := changes.pop("wait_s", None):
            queued.queueing_policy.valid_until_duration.FromSeconds(wait_s)
        if edit := changes.pop("edit", None):
            edit(queued)
        return self.project.queued.create(parent, name, queued, terms, request_id)

    async def wait(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        self.project.settle()

    def queued(self, name: str = "q", parent: str = PARENT) -> QueuedRecord:
        return self.project.queued.get(f"{parent}/queuedResources/{name}")

    def delete(self, *, force: bool, request_id: str = "", name: str = "q") -> Any:
        return self.project.queued.delete(f"{PARENT}/queuedResources/{name}", force, request_id)

    def node(self, name: str = "q") -> Any:
        return self.project.nodes.get(f"{PARENT}/nodes/{name}-node").message


@pytest.fixture
def world() -> World:
    return World()


def refused(act: Callable[[], object]) -> Refusal:
    """The refusal of a call that must not work."""
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


async def test_a_request_goes_from_creating_through_waiting_and_provisioning_to_active(world: World) -> None:
    operation = world.ask()
    assert (world.queued().state, operation.done) == (State.CREATING, False)
    await world.wait(0.5)
    assert operation.done
    assert world.queued().state == State.PROVISIONING
    assert world.node().state == Node.CREATING
    await world.wait(3)
    assert world.queued().state == State.ACTIVE
    assert (world.node().state, world.node().health) == (Node.READY, tpu.Node.Health.HEALTHY)
    assert world.node().queued_resource == f"{PARENT}/queuedResources/q"
    assert world.node().network_endpoints[0].access_config.external_ip.startswith("203.0.113.")


async def test_the_end_of_a_flex_run_deletes_the_node_and_suspends_the_request_by_the_service(world: World) -> None:
    world.ask()
    await world.wait(3.5)
    assert world.queued().run_ends == world.clock.now().replace(hour=13)
    await world.wait(3600)
    assert (world.queued().state, world.node().state) == (State.SUSPENDING, Node.DELETING)
    await world.wait(1)
    assert world.queued().state == State.SUSPENDED
    assert world.queued().message.state.state_initiator == Initiator.SERVICE
    assert refused(world.node).code == code_pb2.NOT_FOUND


async def test_on_demand_never_ends_by_itself(world: World) -> None:
    world.ask(terms=Terms("STANDARD"))
    await world.wait(30 * 24 * 3600)
    assert (world.queued().state, world.node().state) == (State.ACTIVE, Node.READY)


async def test_without_capacity_it_waits_for_hours_and_is_served_first_come_first_served(world: World) -> None:
    world.project.set_capacity(ZONE, "v6e", 0)
    world.ask("first")
    world.ask("second")
    await world.wait(5 * 3600)
    assert (world.queued("first").state, world.queued("second").state) == (State.WAITING_FOR_RESOURCES,) * 2
    world.project.set_capacity(ZONE, "v6e", 4)
    assert world.queued("first").state == State.PROVISIONING
    assert world.queued("second").state == State.WAITING_FOR_RESOURCES


async def test_what_one_gives_back_goes_to_the_next_who_waits(world: World) -> None:
    world.project.set_capacity(ZONE, "v6e", 4)
    world.ask("first")
    world.ask("second")
    await world.wait(4)
    world.delete(force=True, name="first")
    await world.wait(1)
    assert world.queued("second").state == State.PROVISIONING
    assert refused(lambda: world.queued("first")).code == code_pb2.NOT_FOUND


async def test_a_request_that_waited_too_long_fails_for_want_of_capacity(world: World) -> None:
    world.project.set_capacity(ZONE, "v6e", 0)
    world.ask(wait_s=600)
    await world.wait(601)
    assert world.queued().state == State.FAILED
    error = world.queued().message.state.failed_data.error
    assert error.code == code_pb2.RESOURCE_EXHAUSTED
    assert error.message.startswith(f'There is no more capacity in the zone "{ZONE}"; you can try in another zone')


async def test_a_model_that_the_zone_does_not_sell_is_refused_in_the_operation_and_not_at_once(world: World) -> None:
    parent = "projects/p/locations/us-east5-b"
    operation = world.ask(parent=parent)
    assert not operation.done
    await world.wait(1)
    assert operation.error.code == code_pb2.INVALID_ARGUMENT
    assert operation.error.message == (
        'FLEX_START provisioning model is not supported for accelerator type "v6e-4" in location "us-east5-b"'
    )
    assert refused(lambda: world.queued(parent=parent)).code == code_pb2.NOT_FOUND


@pytest.mark.parametrize(
    ("model", "kind", "place", "quota_id"),
    [
        ("FLEX_START", "zone", ZONE, "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"),
        ("SPOT", "region", "us-east5", "TPUV6EPreemptiblePerProjectPerRegionForTPUAPI"),
        ("STANDARD", "zone", ZONE, "TPUV6EPerProjectPerZoneForTPUAPI"),
        ("STANDARD", "region", "us-east5", "TPUV6EPerProjectPerRegionForTPUAPI"),
    ],
)
def test_quota_is_spent_by_model_in_zone_and_region_and_refused_in_googles_words(
    world: World, model: str, kind: str, place: str, quota_id: str
) -> None:
    world.project.quotas.set(quota_id, place, 7)
    terms = Terms(model, run_s=60 if model == "FLEX_START" else None)
    world.ask("one", terms)
    refusal = refused(lambda: world.ask("two", terms))
    assert refusal.code == code_pb2.RESOURCE_EXHAUSTED
    assert refusal.message == f"Quota limit '{quota_id}' has been exceeded. Limit: 7 in {kind} {place}."


async def test_a_silent_quota_lets_flex_wait_for_ever_until_it_is_raised(world: World) -> None:
    quota = "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"
    world.project.set_quota(quota, ZONE, 4, silent=True)
    world.ask("one")
    world.ask("two")
    await world.wait(2000)
    assert (world.queued("one").state, world.queued("two").state) == (State.ACTIVE, State.WAITING_FOR_RESOURCES)
    world.project.set_quota(quota, ZONE, 8, silent=True)
    await world.wait(4)
    assert world.queued("two").state == State.ACTIVE


def test_the_other_quota_is_not_touched(world: World) -> None:
    world.project.quotas.set("TPUV6EPerProjectPerZoneForTPUAPI", ZONE, 0)
    world.ask(terms=FLEX)


async def test_failed_and_suspended_requests_still_eat_quota_until_they_are_deleted(world: World) -> None:
    world.project.quotas.set("TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", ZONE, 4)
    world.ask()
    await world.wait(2 * 3600)
    assert world.queued().state == State.SUSPENDED
    assert "Quota" in refused(lambda: world.ask("next")).message
    world.delete(force=False)
    await world.wait(1)
    world.ask("next")


def test_a_repeated_request_id_gives_the_same_operation_and_makes_nothing_new(world: World) -> None:
    first = world.ask(request_id=REQUEST_ID)
    assert world.ask(request_id=REQUEST_ID).name == first.name
    assert world.ask("other", request_id=REQUEST_ID).name == first.name
    assert len(world.project.queued.records) == 1


def test_the_same_name_without_the_request_id_already_exists(world: World) -> None:
    world.ask()
    assert refused(world.ask).code == code_pb2.ALREADY_EXISTS


async def test_without_force_what_has_nodes_is_not_deleted(world: World) -> None:
    world.ask()
    await world.wait(4)
    assert refused(lambda: world.delete(force=False)).code == code_pb2.FAILED_PRECONDITION
    operation = world.delete(force=True)
    assert (world.queued().state, world.node().state) == (State.DELETING, Node.DELETING)
    await world.wait(1)
    assert operation.done
    assert world.project.nodes.records == {}
    assert world.project.queued.records == {}
    assert refused(lambda: world.delete(force=True)).code == code_pb2.NOT_FOUND


async def test_a_repeated_delete_with_its_request_id_is_the_same_even_when_all_is_gone(world: World) -> None:
    world.ask()
    await world.wait(4)
    first = world.delete(force=True, request_id=REQUEST_ID)
    await world.wait(5)
    assert world.delete(force=True, request_id=REQUEST_ID).name == first.name


async def test_a_request_deleted_while_it_waits_never_gets_a_machine(world: World) -> None:
    world.project.set_capacity(ZONE, "v6e", 0)
    world.ask(wait_s=60)
    await world.wait(1)
    world.delete(force=False)
    world.project.set_capacity(ZONE, "v6e", 8)
    await world.wait(120)
    assert world.project.nodes.records == {}


async def test_a_node_taken_back_suspends_its_request_by_the_service_and_reset_lets_it_wait_again(world: World) -> None:
    world.ask(terms=Terms("SPOT"))
    await world.wait(4)
    world.project.nodes.preempt(f"{PARENT}/nodes/q-node")
    assert world.node().state == Node.PREEMPTED
    await world.wait(1)
    shown = world.queued().message.state
    assert (shown.state, shown.state_initiator) == (State.SUSPENDED, Initiator.SERVICE)
    world.project.queued.reset(f"{PARENT}/queuedResources/q")
    await world.wait(4)
    assert world.queued().state == State.ACTIVE


async def test_a_node_that_a_person_deleted_suspends_its_request_by_the_user(world: World) -> None:
    world.ask()
    await world.wait(4)
    world.project.nodes.delete(f"{PARENT}/nodes/q-node", "")
    await world.wait(1)
    shown = world.queued().message.state
    assert (shown.state, shown.state_initiator) == (State.SUSPENDED, Initiator.USER)


def _with(**fields: Any) -> Callable[[Any], None]:
    """An edit of the node specification's node."""

    def edit(queued: Any) -> None:
        node = queued.tpu.node_spec[0].node
        for key, value in fields.items():
            setattr(node, key, value)

    return edit


@pytest.mark.parametrize(
    ("parent", "changes", "words"),
    [
        ("projects/p/locations/mars-a", {}, 'The requested zone "mars-a" is not supported. [EID: 0x'),
        (
            PARENT,
            {"accelerator": "v6e-8"},
            'accelerator type "v6e-8", could not be found in the zonal accelerator configurations',
        ),
        (PARENT, {"name": "Bad_Name"}, "Invalid queued_resource_id"),
        (PARENT, {"name": "q-"}, "Invalid queued_resource_id"),
        (PARENT, {"labels": {"Owner": "x"}}, "Invalid label"),
        (PARENT, {"labels": {"owner": "A B"}}, "Invalid label"),
        (PARENT, {"edit": _with(runtime_version="")}, "runtime_version"),
        (
            PARENT,
            {"edit": lambda queued: queued.spot.SetInParent()},
            "STANDARD provisioning model is incompatible with spot requests",
        ),
        (PARENT, {"edit": lambda queued: queued.tpu.node_spec.add()}, "exactly one node"),
        (PARENT, {"edit": lambda queued: setattr(queued.tpu.node_spec[0], "node_id", "")}, "Invalid node_id"),
        (PARENT, {"edit": lambda queued: setattr(queued.tpu.node_spec[0], "parent", "projects/x")}, "node_spec.parent"),
        (PARENT, {"request_id": "not-a-uuid"}, "Invalid request_id"),
        ("projects/p/zones/us-east5-a", {}, "Invalid parent"),
    ],
)
def test_a_bad_create_is_refused_at_once_and_leaves_nothing(
    world: World, parent: str, changes: dict[str, Any], words: str
) -> None:
    refusal = refused(lambda: world.ask(parent=parent, **changes))
    assert refusal.code == code_pb2.INVALID_ARGUMENT
    assert words in refusal.message
    assert world.project.queued.records == {}


def test_another_project_is_refused_as_if_it_did_not_exist(world: World) -> None:
    refusal = refused(lambda: world.ask(parent=f"projects/other/locations/{ZONE}"))
    assert refusal.code == code_pb2.PERMISSION_DENIED


async def test_what_only_google_sets_is_not_taken_from_the_caller(world: World) -> None:
    world.ask(edit=_with(state=Node.READY, health_description="mine", id=7))
    await world.wait(4)
    assert world.node().health_description == ""
    assert world.node().id != 7
