"""A storm: many questions at once while workers, the clock and the memory are killed at random. Only under `make faults`."""

import asyncio
import contextlib
import random

import pytest

from sandbox.slack import Entry
from sandbox.slack.message import Message
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.faults, pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

QUESTIONS = 60
KILLS = 40
SEED = 20261130


async def kill_at_random(sandbox: Sandbox, dice: random.Random) -> None:
    """Forty kills, half a second to a second and a half apart."""
    for _ in range(KILLS):
        await asyncio.sleep(dice.uniform(0.5, 1.5))
        victim = dice.choices(("worker", "clock", "memory"), weights=(6, 2, 2))[0]
        if victim == "memory":
            sandbox.memory.kill()
            await sandbox.memory.start()
        else:
            sandbox.processes[victim].kill()


async def ask_all(sandbox: Sandbox, dice: random.Random) -> list[Message]:
    """Mentions, one every half second or so: Slack sends an event again when it was not taken."""
    asked = []
    for _ in range(QUESTIONS):
        asked.append(await sandbox.slack.people.type(dice.choice(("anna", "ben", "dana")), "#ops", "@gemma status"))
        await asyncio.sleep(dice.uniform(0.1, 0.9))
    return asked


def answers(sandbox: Sandbox, asked: Message) -> list[Entry]:
    """What the bot said in the thread of one question."""
    (root,) = [one for one in sandbox.slack.transcript("anna", "#ops") if one.ts == asked.ts]
    return [one for one in root.replies if one.user != asked.user]


async def test_every_question_of_a_storm_is_answered_exactly_once(sandbox: Sandbox) -> None:
    dice = random.Random(SEED)
    killing = asyncio.create_task(kill_at_random(sandbox, dice))
    try:
        asked = await ask_all(sandbox, random.Random(SEED + 1))
        await killing
    finally:
        killing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await killing
    assert await sandbox.settled(120), sandbox.logs()[-8000:]
    counts = [len(answers(sandbox, one)) for one in asked]
    assert counts == [1] * QUESTIONS
    assert all("prod is" in answers(sandbox, one)[0].text for one in asked)
