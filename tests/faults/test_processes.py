"""The processes as an operating system sees them: they end when told, and nobody works on when a parent was killed."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from sandbox.slack import Fault
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]


def descendants(pid: int) -> set[int]:
    """All processes below one, read from /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = set(), [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting.extend(below)
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def gone(pids: set[int], within_s: float = 5.0) -> bool:
    """Whether all of them end in time."""
    try:
        async with asyncio.timeout(within_s):
            while any(map(alive, pids)):
                await asyncio.sleep(0.02)
    except TimeoutError:
        return False
    return True


async def hanging_horse(sandbox: Sandbox) -> set[int]:
    """A worker's horse in the middle of a step that Slack does not answer; the processes below the supervisor."""
    reached = asyncio.Event()
    sandbox.slack.faults.clear()
    sandbox.slack.faults.add(Fault(method="response_url", answer="hang", before=lambda _call: reached.set()))
    await sandbox.slack.people.type("anna", "#ops", "/gemma status")
    await asyncio.wait_for(reached.wait(), 20)
    process = sandbox.processes["worker"].process
    assert process is not None
    return descendants(process.pid)


async def test_horses_die_with_a_killed_supervisor(sandbox: Sandbox) -> None:
    below = await hanging_horse(sandbox)
    supervisor = sandbox.processes["worker"].process
    assert supervisor is not None
    os.kill(supervisor.pid, signal.SIGKILL)
    assert await gone(below)
    assert await sandbox.settled(40), sandbox.logs()


async def test_a_killed_worker_takes_its_horse_along_and_is_started_anew(sandbox: Sandbox) -> None:
    below = await hanging_horse(sandbox)
    supervisor = sandbox.processes["worker"].process
    assert supervisor is not None
    (worker,) = (pid for pid in below if descendants(pid))
    horses = descendants(worker)
    assert horses
    os.kill(worker, signal.SIGKILL)
    assert await gone({worker, *horses})
    assert await sandbox.settled(40), sandbox.logs()
    assert len(descendants(supervisor.pid)) >= 4


async def test_all_processes_end_on_sigterm_while_a_step_hangs(sandbox: Sandbox) -> None:
    below = await hanging_horse(sandbox)
    supervisor = sandbox.processes["worker"].process
    assert supervisor is not None
    supervisor.terminate()
    assert await gone({supervisor.pid, *below}, within_s=10)
    assert await sandbox.settled(40), sandbox.logs()
