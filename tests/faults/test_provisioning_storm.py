"""Eighty machines made and ended while workers, the clock and the memory are killed at random. Only under `make faults`."""

import asyncio
import contextlib
import random

import pytest

from sandbox.google.project import Delays
from sandbox.google.seed import HOME
from sandbox.slack import Entry
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.faults, pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

BATCHES, AT_ONCE = 5, 8
KILLS = 40
SEED = 20261130
PRESSES = 8
"""A press while the memory is away is answered "not queued, try again"; people do."""


async def kill_at_random(sandbox: Sandbox) -> None:
    """Forty kills, a second to five apart, for as long as the work takes."""
    dice = random.Random(SEED)
    for _ in range(KILLS):
        await asyncio.sleep(dice.uniform(1, 5))
        victim = dice.choices(("worker", "clock", "memory"), weights=(6, 2, 2))[0]
        if victim == "memory":
            sandbox.memory.kill()
            await sandbox.memory.start()
        else:
            sandbox.processes[victim].kill()


def thread(sandbox: Sandbox, ts: str) -> list[Entry]:
    """What the bot said below one mention."""
    (root,) = [one for one in sandbox.slack.transcript("ben", "#ops") if one.ts == ts]
    return [one for one in root.replies if one.user != root.user]


def begun(said: list[Entry]) -> bool:
    return any("It starts now" in one.text for one in said)


async def agreed(sandbox: Sandbox, commands: dict[str, str]) -> dict[str, list[Entry]]:
    """Say each command (by the label of its button), press until it starts, and return what stands below each in the end."""
    asked = {label: (await sandbox.slack.people.type("ben", "#ops", words)).ts for label, words in commands.items()}
    for _ in range(PRESSES):
        assert await sandbox.settled(120), sandbox.logs()[-6000:]
        open_ones = [(label, ts) for label, ts in asked.items() if not begun(thread(sandbox, ts))]
        if not open_ones:
            break
        for label, ts in open_ones:
            (question,) = [one for one in thread(sandbox, ts) if label in one.buttons]
            await sandbox.slack.people.click("ben", question.ts, label)
    return {label: thread(sandbox, ts) for label, ts in asked.items()}


def one_final(said: list[Entry], words: str) -> bool:
    """One final message that names who asked, and one start."""
    finals = [one for one in said if "@ben" in one.text.split("\n", maxsplit=1)[0] and words in one.text]
    return len(finals) == 1 and len([one for one in said if "It starts now" in one.text]) == 1


def standing(sandbox: Sandbox) -> tuple[list[str], list[str]]:
    """Requests and machines of the storm."""
    project = sandbox.google.project
    project.settle()
    requests = [one.rpartition("/")[2] for one in project.queued.records if "/storm-" in one]
    return sorted(requests), sorted(one.rpartition("/")[2] for one in project.nodes.records if "/storm-" in one)


async def batch(sandbox: Sandbox, names: list[str]) -> None:
    """Make these machines, then end them."""
    makes = {f"Create {one}, $1.35/h": f"@gemma machine create {one} v6e-1 flex zone {HOME} for 1h" for one in names}
    made = await agreed(sandbox, makes)
    assert standing(sandbox) == (sorted(f"{one}-request" for one in names), sorted(names))
    assert all(one_final(said, "is ready") for said in made.values()), [[one.text for one in said] for said in made.values()]
    ended = await agreed(sandbox, {f"Destroy {one}": f"@gemma machine destroy {one}" for one in names})
    assert standing(sandbox) == ([], [])
    assert all(one_final(said, "is gone") for said in ended.values()), [[one.text for one in said] for said in ended.values()]


async def test_eighty_machines_are_made_and_ended_once_each_in_a_storm(sandbox: Sandbox) -> None:
    sandbox.google.project.world.delays = Delays(queue_s=0.1, provision_s=0.5, delete_s=0.3)
    killing = asyncio.create_task(kill_at_random(sandbox))
    try:
        for number in range(BATCHES):
            await batch(sandbox, [f"storm-{number}{letter}" for letter in "abcdefgh"[:AT_ONCE]])
    finally:
        killing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await killing
