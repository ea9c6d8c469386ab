"""Whatever people do in whatever order: no machine without its request, no chip given twice, nothing left when all is deleted."""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import UTC, datetime

from google.cloud import tpu_v2alpha1 as tpu
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.clock import HeldClock
from sandbox.google.nodes import NodeRecord
from sandbox.google.project import Project, ZoneRules
from sandbox.google.queued import Terms
from sandbox.google.refusals import Refusal
from sandbox.google.seed import queued_resource

State = tpu.QueuedResourceState.State
Node = tpu.Node.State
ZONE = "us-east5-a"
PARENT = f"projects/p/locations/{ZONE}"
CHIPS = 9
TERMS = {"flex": Terms("FLEX_START", run_s=30), "spot": Terms("SPOT"), "bought": Terms("STANDARD")}

names = st.sampled_from(["a", "b", "c", "d"])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), names, st.sampled_from(sorted(TERMS)), st.sampled_from(["v6e-1", "v6e-4", "v6e-8"])),
        st.tuples(st.just("make"), names, st.just(""), st.sampled_from(["v6e-1", "v6e-4"])),
        st.tuples(st.sampled_from(["delete", "force", "unmake", "preempt", "reset", "stop", "start"]), names),
        st.tuples(st.just("wait"), st.sampled_from([0.2, 1.0, 5.0, 31.0])),
    ),
    max_size=25,
)


async def do(project: Project, clock: HeldClock, step: tuple[object, ...]) -> None:
    """Carry out one step; what is refused changes nothing."""
    with contextlib.suppress(Refusal, ValueError):
        match step:
            case ("ask", str(name), str(terms), str(accelerator)):
                queued = queued_resource(PARENT, f"{name}-node", accelerator, {})
                if terms == "spot":
                    queued.spot.SetInParent()
                project.queued.create(PARENT, name, queued, TERMS[terms], "")
            case ("make", str(name), _, str(accelerator)):
                node = queued_resource("", "", accelerator, {}).tpu.node_spec[0].node
                project.nodes.create(PARENT, f"{name}-node", node, "")
            case ("wait", float(seconds)):
                await clock.advance(seconds)
            case (str(verb), str(name)):
                change(project, verb, f"{PARENT}/queuedResources/{name}", f"{PARENT}/nodes/{name}-node")
    project.settle()


def change(project: Project, verb: str, queued: str, node: str) -> None:
    """Do one thing to a queued resource or a node."""
    verbs: dict[str, Callable[[], object]] = {
        "delete": lambda: project.queued.delete(queued, False, ""),
        "force": lambda: project.queued.delete(queued, True, ""),
        "reset": lambda: project.queued.reset(queued),
        "unmake": lambda: project.nodes.delete(node, ""),
        "preempt": lambda: project.nodes.preempt(node),
        "stop": lambda: project.nodes.stop(node),
        "start": lambda: project.nodes.start(node),
    }
    verbs[verb]()


def check(project: Project, gone: list[NodeRecord]) -> None:
    """What must hold after every step."""
    nodes = project.nodes.records
    numbers = sorted(int(record.message.id) % 1_000_000 for record in [*nodes.values(), *gone])
    assert numbers == list(range(1, len(numbers) + 1))
    held = sum(record.slice.units for record in nodes.values() if record.message.state not in {Node.STOPPED, Node.PREEMPTED})
    assert held <= CHIPS
    for node in nodes.values():
        assert not node.queued or node.queued in project.queued.records
    for name, request in project.queued.records.items():
        own = nodes.get(request.node_name)
        mine = own if own is not None and own.queued == name else None
        if request.state in {State.CREATING, State.WAITING_FOR_RESOURCES, State.FAILED, State.SUSPENDED}:
            assert mine is None
        if request.state in {State.PROVISIONING, State.ACTIVE, State.SUSPENDING}:
            assert mine is not None


async def live(every: list[tuple[object, ...]]) -> None:
    """A project lives through the steps and is cleared at the end."""
    clock = HeldClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    project = Project("p", clock)
    project.add_zone(ZoneRules(ZONE, frozenset({"v6e-1", "v6e-4", "v6e-8"}), {"v6e": CHIPS}))
    gone: list[NodeRecord] = []
    project.nodes.gone.append(gone.append)
    for step in every:
        await do(project, clock, step)
        check(project, gone)
    await do(project, clock, ("wait", 100.0))
    for name in list(project.queued.records):
        await do(project, clock, ("force", name.rpartition("/")[2]))
    for name in list(project.nodes.records):
        await do(project, clock, ("unmake", name.rpartition("/")[2].removesuffix("-node")))
    await do(project, clock, ("wait", 100.0))
    assert (project.nodes.records, project.queued.records) == ({}, {})


@settings(max_examples=200, deadline=None)
@given(steps)
def test_no_order_of_events_loses_a_machine_or_gives_a_chip_twice(every: list[tuple[object, ...]]) -> None:
    asyncio.run(live(every))
