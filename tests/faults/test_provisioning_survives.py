"""Machines under fire: killed at whichever wire call, there is one machine or none, as was asked, and one final word."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
import pytest_asyncio

from sandbox.google.project import Delays
from sandbox.google.queued import Terms
from sandbox.google.seed import HOME, queued_resource
from sandbox.slack import Entry
from sandbox.watch import WireWatch
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]

IN_CI = 3
"""Points of each run at which the short form kills, spread evenly over it; `make faults` takes every one."""

QUICK = Delays(queue_s=0.05, provision_s=0.3, suspend_s=0.05, delete_s=0.2, update_s=0.05, stop_s=0.05)
OURS = {"managed-by": "gemma-chatops", "deployment": "unassigned", "provisioning": "flex-start"}


@dataclass
class Yard:
    """The sandbox as one who buys and ends machines uses it; each run has a machine of its own."""

    sandbox: Sandbox
    watch: WireWatch

    @property
    def parent(self) -> str:
        return f"projects/{self.sandbox.google.project.name}/locations/{HOME}"

    def standing(self, name: str) -> tuple[int, int]:
        """How many requests and machines bear this name."""
        project = self.sandbox.google.project
        project.settle()
        requests = [one for one in project.queued.records if one.endswith(f"/{name}-request")]
        machines = [one for one in project.nodes.records if one.endswith(f"/{name}")]
        return len(requests), len(machines)

    async def place(self, name: str) -> None:
        """A machine of ours, made by a request, as earlier work left it."""
        project = self.sandbox.google.project
        project.queued.create(
            self.parent,
            f"{name}-request",
            queued_resource(self.parent, name, "v6e-1", OURS),
            Terms("FLEX_START", run_s=3600),
            "",
        )
        await self.until(lambda: self.standing(name) == (1, 1))

    async def clear(self, name: str) -> None:
        """Take it away by hand."""
        self.sandbox.google.project.queued.delete(f"{self.parent}/queuedResources/{name}-request", force=True, request_id="")
        await self.until(lambda: self.standing(name) == (0, 0))

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not true():
                await asyncio.sleep(0.02)

    async def say_yes(self, words: str, label: str) -> list[Entry]:
        """Type, wait for the question, press; every message of the bot below or after what was typed, once nothing is open."""
        people, slack = self.sandbox.slack.people, self.sandbox.slack
        typed = await people.type("ben", "#ops", words)
        assert await self.sandbox.settled(60), self.sandbox.logs()[-6000:]
        (question,) = [one for one in slack.transcript("ben", "#ops") if one.ts > typed.ts and label in one.buttons]
        await people.click("ben", question.ts, label)
        assert await self.sandbox.settled(60), self.sandbox.logs()[-6000:]
        roots = [one for one in slack.transcript("ben", "#ops") if one.ts > typed.ts]
        return [one for root in roots for one in (root, *root.replies) if one.user != typed.user]


async def create(yard: Yard, name: str) -> None:
    """Ask for a machine: one stands, and one reply says so."""
    said = await yard.say_yes(f"/gemma machine create {name} v6e-1 flex zone {HOME} for 1h", f"Create {name}, $1.35/h")
    assert yard.standing(name) == (1, 1)
    one_final(said, f"{name} is ready")
    await yard.clear(name)


async def destroy(yard: Yard, name: str) -> None:
    """Destroy a machine: nothing of it is left, and one reply says so."""
    await yard.place(name)
    said = await yard.say_yes(f"/gemma machine destroy {name}", f"Destroy {name}")
    assert yard.standing(name) == (0, 0)
    one_final(said, f"{name} is gone")


def one_final(said: list[Entry], words: str) -> None:
    """One question, one start, one first message, and one final reply that names who asked."""
    finals = [one for one in said if "@ben" in one.text.split("\n")[0] and words in one.text]
    assert len(finals) == 1, [one.text for one in said]
    assert len([one for one in said if "It starts now" in one.text]) == 1
    assert len(said) == 4, [one.text for one in said]


RUNS: dict[str, Callable[[Yard, str], Awaitable[None]]] = {"create": create, "destroy": destroy}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def yard(sandbox: Sandbox, watch: WireWatch) -> Yard:
    """The sandbox with a cloud that is quick."""
    sandbox.google.project.world.delays = QUICK
    return Yard(sandbox, watch)


async def survives(yard: Yard, what: str, every: Callable[[int], list[int]]) -> None:
    """A run in which nothing goes wrong, then one for each chosen point at which the workers are killed."""
    run = RUNS[what]
    yard.watch.begin()
    await run(yard, f"{what}-0")
    points = list(yard.watch.points)
    assert points
    for number in every(len(points)):
        yard.watch.begin(at=number, act=yard.sandbox.processes["worker"].kill)
        try:
            await run(yard, f"{what}-{number}")
        except (AssertionError, TimeoutError, ValueError) as error:
            raise AssertionError(f"{number}, {points[number - 1]}: {error}\n{yard.sandbox.logs()[-6000:]}") from error


def some(count: int) -> list[int]:
    """A few points, spread evenly, the last one too."""
    return sorted({count - (count - 1) * number // IN_CI for number in range(IN_CI)})


def all_of(count: int) -> list[int]:
    return list(range(1, count + 1))


@pytest.mark.parametrize("what", RUNS)
async def test_a_machine_is_made_or_ended_once_whenever_the_workers_are_killed(yard: Yard, what: str) -> None:
    await survives(yard, what, some)


@pytest.mark.long
@pytest.mark.parametrize("what", RUNS)
async def test_at_every_single_wire_call(yard: Yard, what: str) -> None:
    await survives(yard, what, all_of)
