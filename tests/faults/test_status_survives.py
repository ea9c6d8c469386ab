"""`status` under fire: whoever is killed at whichever wire call, one final message stands."""

import signal
from collections.abc import Awaitable, Callable

import pytest

from sandbox.slack import DeliveryFault, Entry, Fault
from sandbox.watch import WireWatch
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]

Act = Callable[[], Awaitable[None] | None]


async def ask(sandbox: Sandbox, words: str) -> list[Entry]:
    """Type, wait until nothing is open, and return what the bot says to it: below a command, in the thread of a mention."""
    typed = await sandbox.slack.people.type("anna", "#ops", words)
    assert await sandbox.settled(40), sandbox.logs()
    entries = sandbox.slack.transcript("anna", "#ops")
    if words.startswith("/"):
        return [one for one in entries if one.ts > typed.ts and one.user != typed.user]
    (mention,) = [one for one in entries if one.ts == typed.ts]
    return [one for one in mention.replies if one.user != typed.user]


def one_final(answers: list[Entry]) -> bool:
    """Exactly one message, and it tells the state."""
    return len(answers) == 1 and "prod is ready" in answers[0].text


async def recorded(sandbox: Sandbox, watch: WireWatch, words: str) -> list[str]:
    """The points of a run in which nothing goes wrong."""
    watch.begin()
    assert one_final(await ask(sandbox, words))
    return list(watch.points)


def kill_workers(sandbox: Sandbox) -> Act:
    return sandbox.processes["worker"].kill


def kill_clock(sandbox: Sandbox) -> Act:
    return sandbox.processes["clock"].kill


def kill_memory(sandbox: Sandbox) -> Act:
    async def act() -> None:
        sandbox.memory.kill()
        await sandbox.memory.start()

    return act


async def survives(sandbox: Sandbox, watch: WireWatch, words: str, act: Act) -> None:
    """The act at every point of a recorded run, one after the other."""
    points = await recorded(sandbox, watch, words)
    assert points
    for number, point in enumerate(points, start=1):
        watch.begin(at=number, act=act)
        answers = await ask(sandbox, words)
        assert one_final(answers), f"{point}: {[one.text for one in answers]}\n{sandbox.logs()[-6000:]}"


async def test_a_command_is_answered_once_whenever_the_workers_are_killed(sandbox: Sandbox, watch: WireWatch) -> None:
    await survives(sandbox, watch, "/gemma status", kill_workers(sandbox))


async def test_a_mention_is_answered_once_whenever_the_workers_are_killed(sandbox: Sandbox, watch: WireWatch) -> None:
    await survives(sandbox, watch, "@gemma status", kill_workers(sandbox))


async def test_an_answer_stands_when_the_clock_is_killed(sandbox: Sandbox, watch: WireWatch) -> None:
    await survives(sandbox, watch, "@gemma status", kill_clock(sandbox))


async def test_an_answer_stands_when_memory_is_killed_and_comes_back_from_its_file(sandbox: Sandbox, watch: WireWatch) -> None:
    await survives(sandbox, watch, "@gemma status", kill_memory(sandbox))


async def test_a_deploy_in_the_middle_of_an_answer_loses_nothing(sandbox: Sandbox, watch: WireWatch) -> None:
    points = await recorded(sandbox, watch, "@gemma status")
    watch.begin(at=len(points) // 2, act=lambda: sandbox.processes["worker"].kill(signal.SIGTERM))
    assert one_final(await ask(sandbox, "@gemma status"))


async def test_a_payload_that_slack_sends_three_times_is_answered_once(sandbox: Sandbox) -> None:
    sandbox.slack.faults.add(DeliveryFault(copies=3))
    assert one_final(await ask(sandbox, "/gemma status"))
    sandbox.slack.faults.add(DeliveryFault(kind="events_api", times=2, copies=3))
    assert one_final(await ask(sandbox, "@gemma status"))


@pytest.mark.parametrize(
    "fault",
    [
        Fault(answer="429", retry_after=1),
        Fault(answer="500"),
        Fault(answer="500", handled=True),
        Fault(answer="drop", handled=True),
        Fault(answer="drop"),
    ],
    ids=lambda fault: f"{fault.answer}{' but taken' if fault.handled else ''}",
)
@pytest.mark.parametrize("words", ["/gemma status", "@gemma status"])
async def test_one_answer_stands_when_slack_stumbles(sandbox: Sandbox, fault: Fault, words: str) -> None:
    method = "response_url" if words.startswith("/") else "chat.postMessage"
    sandbox.slack.faults.clear()
    sandbox.slack.faults.add(Fault(method=method, answer=fault.answer, handled=fault.handled, retry_after=fault.retry_after))
    assert one_final(await ask(sandbox, words))
