"""The one function that RQ runs. It is entered in a forked worker horse; everything it needs is built inside."""

import asyncio
import contextlib
import signal
from collections.abc import Mapping

from bot.operations import OPERATIONS
from bot.services import running
from bot.settings import from_environment
from bot.store.work import INCIDENT
from jobs.answer import answer
from jobs.inbox import REQUEST
from jobs.incident import incident
from jobs.long import long
from jobs.steps import Kind, Step, run

KINDS: Mapping[str, Kind] = {
    REQUEST: answer,
    INCIDENT: incident,
    **{operation.path: long for operation in OPERATIONS if operation.steps},
}
"""What is done for each kind of work: requests are answered, long work is of the kind of its operation."""


def step(work_id: str) -> None:
    """Look at one piece of work. SIGTERM ends it at the next boundary: the lease is released and somebody else goes on."""
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_step(work_id))


async def _step(work_id: str) -> None:
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    settings = from_environment()
    async with running(settings) as runtime:
        await run(lambda work: Step(work, runtime, OPERATIONS, runtime.work.ring), KINDS, runtime, work_id)
