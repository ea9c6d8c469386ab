"""Nodes that are made directly, under a clock that the test moves. No sockets."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from google.cloud import tpu_v2alpha1 as tpu
from google.rpc import code_pb2

from sandbox.clock import HeldClock
from sandbox.google.guest import guest_attributes
from sandbox.google.nodes import CREATES_PER_MINUTE
from sandbox.google.project import Project, ZoneRules
from sandbox.google.refusals import Refusal
from sandbox.google.seed import queued_resource

State = tpu.Node.State
PARENT = "projects/p/locations/us-east5-a"
NAME = f"{PARENT}/nodes/n"


class World:
    """A project with one zone of eight chips."""

    def __init__(self) -> None:
        self.clock = HeldClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
        self.project = Project("p", self.clock)
        self.project.add_zone(ZoneRules("us-east5-a", frozenset({"v6e-1", "v6e-4", "v6e-8"}), {"v6e": 8}))

    def create(self, node_id: str = "n", accelerator: str = "v6e-4", request_id: str = "", **fields: Any) -> Any:
        node = queued_resource("", "", accelerator, {}).tpu.node_spec[0].node
        for key, value in fields.items():
            setattr(node, key, value)
        return self.project.nodes.create(PARENT, node_id, node, request_id)

    async def wait(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        self.project.settle()

    def state(self) -> int:
        return int(self.project.nodes.get(NAME).message.state)

    def update(self, paths: list[str], **fields: Any) -> Any:
        return self.project.nodes.update(tpu.Node.pb()(name=NAME, **fields), paths)


@pytest.fixture
async def world() -> World:
    """The world with one READY node called n."""
    made = World()
    made.create()
    await made.wait(4)
    return made


def refused(act: Callable[[], object]) -> Refusal:
    """The refusal of a call that must not work."""
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


async def test_a_node_becomes_ready_and_its_operation_ends_with_it() -> None:
    world = World()
    operation = world.create()
    await world.wait(1)
    assert (world.state(), operation.done) == (State.CREATING, False)
    await world.wait(3)
    answer = tpu.Node.pb()()
    assert operation.response.Unpack(answer)
    assert (world.state(), answer.state, answer.name) == (State.READY, State.READY, NAME)


async def test_without_room_the_operation_fails_with_the_capacity_words_and_the_quota_code(world: World) -> None:
    operation = world.create("big", "v6e-8")
    await world.wait(1)
    assert operation.error.code == code_pb2.RESOURCE_EXHAUSTED
    assert "no more capacity in the zone" in operation.error.message
    assert "Quota" not in operation.error.message


async def test_creates_are_limited_by_the_minute_and_allowed_again_after_it(world: World) -> None:
    for number in range(CREATES_PER_MINUTE - 1):
        world.create(f"n-{number}", "v6e-1")
    assert "Maximum number of CreateNode requests per minute" in refused(lambda: world.create("late", "v6e-1")).message
    await world.wait(60)
    world.create("late", "v6e-1")


async def test_a_node_stops_and_starts_again_and_gives_its_chips_back_meanwhile(world: World) -> None:
    world.project.nodes.stop(NAME)
    assert world.state() == State.STOPPING
    assert refused(lambda: world.project.nodes.start(NAME)).code == code_pb2.FAILED_PRECONDITION
    await world.wait(1)
    assert world.state() == State.STOPPED
    world.create("big", "v6e-8")
    await world.wait(4)
    assert "no more capacity" in refused(lambda: world.project.nodes.start(NAME)).message
    world.project.nodes.delete(f"{PARENT}/nodes/big", "")
    await world.wait(1)
    world.project.nodes.start(NAME)
    await world.wait(1)
    assert world.state() == State.READY


async def test_update_takes_only_what_its_mask_may_hold_and_replaces_whole_maps(world: World) -> None:
    assert refused(lambda: world.update(["accelerator_type"], accelerator_type="v6e-8")).code == code_pb2.INVALID_ARGUMENT
    assert refused(lambda: world.update([])).code == code_pb2.INVALID_ARGUMENT
    operation = world.update(["metadata"], metadata={"ssh-keys": "new"})
    assert refused(lambda: world.update(["labels"], labels={"a": "b"})).code == code_pb2.ABORTED
    await world.wait(1)
    assert operation.done
    assert dict(world.project.nodes.get(NAME).message.metadata) == {"ssh-keys": "new"}
    world.update(["labels"], labels={"a": "b"})


async def test_guest_attributes_are_read_by_path_and_only_where_they_are_switched_on(world: World) -> None:
    world.project.nodes.get(NAME).attributes["hostkeys/ssh-ed25519"] = "AAAAC3"

    def ask(path: str, workers: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
        answer = guest_attributes(
            world.project, tpu.GetGuestAttributesRequest.pb()(name=NAME, query_path=path, worker_ids=workers)
        )
        return [(item.namespace, item.key, item.value) for item in answer.guest_attributes[0].query_value.items]

    assert ask("hostkeys/") == [("hostkeys", "ssh-ed25519", "AAAAC3")]
    assert ask("hostkeys/ssh-ed25519") == [("hostkeys", "ssh-ed25519", "AAAAC3")]
    assert {key for _, key, _ in ask("")} == {"ssh-ed25519", "hostname"}
    assert ask("host") == []
    assert refused(lambda: ask("", ("1",))).code == code_pb2.INVALID_ARGUMENT
    del world.project.nodes.get(NAME).message.metadata["enable-guest-attributes"]
    assert refused(lambda: ask("")).code == code_pb2.FAILED_PRECONDITION


async def test_generation_and_topology_name_a_slice_but_not_beside_a_type() -> None:
    world = World()
    node = queued_resource("", "", "v6e-4", {}).tpu.node_spec[0].node
    node.accelerator_config.type_ = tpu.AcceleratorConfig.Type.V6E
    node.accelerator_config.topology = "2x4"
    assert "Only one of" in refused(lambda: world.project.nodes.create(PARENT, "n", node, "")).message
    node.accelerator_type = ""
    world.project.nodes.create(PARENT, "n", node, "")
    await world.wait(4)
    assert world.project.nodes.get(NAME).message.accelerator_type == "v6e-8"


async def test_only_spot_is_taken_back(world: World) -> None:
    with pytest.raises(ValueError, match="not spot"):
        world.project.nodes.preempt(NAME)
