"""A question under fire: whoever is killed at whichever wire call, one complete answer stands below one first message."""

import asyncio
import contextlib
import random
import string
from collections.abc import Sequence

import pytest

from sandbox.slack import DeliveryFault, Entry, Fault
from sandbox.vllm.faults import Fault as EngineFault
from sandbox.watch import WireWatch
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]

IN_CI = 4
"""Points at which the short form kills, spread evenly over the run; `make faults` takes every one."""

CHAT = "/v1/chat/completions"
SETTLES_S = 1_500
"""Slack takes one message a second in a channel, and each question has two; the rest is for what the storm delays."""
THREADS, EACH, KILLS, SEED = 30, 10, 40, 20261201


def ref_of(number: int) -> str:
    """A word for a question, of letters alone: figures would be checked."""
    letters = string.ascii_lowercase
    return "q" + "".join(letters[number // 26**place % 26] for place in (2, 1, 0))


async def ask(sandbox: Sandbox, ref: str = "qkestrel", thread: str | None = None) -> str:
    """Type the question; the ts of its thread."""
    words = f"@gemma how is prod, ref {ref}?"
    typed = await sandbox.slack.people.type("anna", "#ops", words, thread)
    return thread or typed.ts


def replies(sandbox: Sandbox, thread: str) -> list[Entry]:
    """What the bot said in a thread."""
    (root,) = [one for one in sandbox.slack.transcript("anna", "#ops") if one.ts == thread]
    return [one for one in root.replies if "ref q" not in one.text]


def finals(sandbox: Sandbox, thread: str) -> list[str]:
    """Its answers, whole."""
    return [one.text for one in replies(sandbox, thread) if "For q" in one.text]


def one_answer(sandbox: Sandbox, thread: str) -> bool:
    """One first message that is settled, and one complete answer."""
    said = [one.text for one in replies(sandbox, thread)]
    answers = finals(sandbox, thread)
    whole = len(answers) == 1 and "prod is" in answers[0] and "all figures checked" in answers[0]
    return whole and len(said) == 2 and "ask-" in said[0]


async def answered(sandbox: Sandbox) -> bool:
    """The question, and whether it was answered once."""
    thread = await ask(sandbox)
    assert await sandbox.settled(60), sandbox.logs()[-6000:]
    return one_answer(sandbox, thread)


async def killed_at(sandbox: Sandbox, watch: WireWatch, numbers: Sequence[int]) -> None:
    for number in numbers:
        watch.begin(at=number, act=sandbox.processes["worker"].kill)
        thread = await ask(sandbox)
        assert await sandbox.settled(60), sandbox.logs()[-6000:]
        said = [one.text for one in replies(sandbox, thread)]
        assert one_answer(sandbox, thread), f"{number}: {said}\n{sandbox.logs()[-6000:]}"


async def points(sandbox: Sandbox, watch: WireWatch) -> list[str]:
    watch.begin()
    assert await answered(sandbox)
    return list(watch.points)


async def test_a_question_is_answered_once_when_the_workers_are_killed(sandbox: Sandbox, watch: WireWatch) -> None:
    number = len(await points(sandbox, watch))
    assert number > 8
    await killed_at(sandbox, watch, [1 + (number - 1) * step // (IN_CI - 1) for step in range(IN_CI)])


@pytest.mark.long
async def test_a_question_is_answered_once_at_whichever_call_they_are_killed(sandbox: Sandbox, watch: WireWatch) -> None:
    number = len(await points(sandbox, watch))
    await killed_at(sandbox, watch, range(1, number + 1))


@pytest.mark.parametrize(
    "fault",
    [
        Fault(answer="429", retry_after=1),
        Fault(answer="500", handled=True),
        Fault(answer="drop", handled=True),
        Fault(answer="drop"),
    ],
    ids=lambda fault: f"{fault.answer}{' but taken' if fault.handled else ''}",
)
async def test_one_answer_stands_when_slack_stumbles(sandbox: Sandbox, fault: Fault) -> None:
    sandbox.slack.faults.clear()
    for _ in range(2):
        sandbox.slack.faults.add(
            Fault(method="chat.postMessage", answer=fault.answer, handled=fault.handled, retry_after=fault.retry_after)
        )
    assert await answered(sandbox)


async def test_a_mention_that_slack_brings_three_times_is_one_question(sandbox: Sandbox) -> None:
    sandbox.slack.faults.clear()
    sandbox.slack.faults.add(DeliveryFault(kind="events_api", times=2, copies=3))
    assert await answered(sandbox)


@pytest.mark.parametrize("kind", ["drop", "error"])
async def test_an_engine_that_breaks_off_is_asked_again(sandbox: Sandbox, kind: str) -> None:
    sandbox.slack.faults.clear()
    sandbox.vllm.faults.order(EngineFault(kind=kind, path=CHAT, at_call=1))
    sandbox.vllm.faults.order(EngineFault(kind=kind, path=CHAT, at_call=2, when="after"))
    try:
        assert await answered(sandbox)
    finally:
        sandbox.vllm.faults.clear()


async def kill_at_random(sandbox: Sandbox, dice: random.Random) -> None:
    """Workers, clock and memory die, Slack refuses, the engine drops its caller."""
    for _ in range(KILLS):
        await asyncio.sleep(dice.uniform(0.7, 1.8))
        victim = dice.choices(("worker", "clock", "memory", "slack", "engine"), weights=(6, 2, 2, 3, 3))[0]
        if victim == "memory":
            sandbox.memory.kill()
            await sandbox.memory.start()
        elif victim == "slack":
            answer = dice.choice(("429", "drop"))
            sandbox.slack.faults.add(Fault(method="chat.postMessage", answer=answer, handled=answer == "drop", retry_after=1))
        elif victim == "engine":
            sandbox.vllm.faults.order(EngineFault(kind="drop", path=CHAT, at_call=1, when="after"))
        else:
            sandbox.processes[victim].kill()


@pytest.mark.long
async def test_300_questions_in_a_storm_are_answered_once_each_and_in_their_order(sandbox: Sandbox) -> None:
    """Thirty threads of ten questions; some arrive three times. Slack sends an event again when it was not taken."""
    dice = random.Random(SEED)
    sandbox.slack.faults.clear()
    killing = asyncio.create_task(kill_at_random(sandbox, dice))
    numbers = random.Random(SEED + 1)
    threads: list[str] = []
    try:
        for turn in range(EACH):
            for place in range(THREADS):
                if numbers.random() < 0.1:
                    sandbox.slack.faults.add(DeliveryFault(kind="events_api", times=1, copies=3))
                ref = ref_of(place * EACH + turn)
                if turn == 0:
                    threads.append(await ask(sandbox, ref))
                else:
                    await ask(sandbox, ref, threads[place])
                await asyncio.sleep(numbers.uniform(0.0, 0.3))
        await killing
    finally:
        killing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await killing
    sandbox.vllm.faults.clear()
    assert await sandbox.settled(SETTLES_S), sandbox.logs()[-8000:]
    for place, thread in enumerate(threads):
        said = [text.partition("For ")[2].partition(":")[0] for text in finals(sandbox, thread)]
        assert said == [ref_of(place * EACH + turn) for turn in range(EACH)], thread
