"""A question under fire: whoever is killed at whichever wire call, one complete answer stands below one first message."""

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
