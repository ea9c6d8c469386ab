"""One sandbox for all fault tests of a module: real processes, a real Valkey, short leases so that nobody waits for long ones."""

from collections.abc import AsyncIterator

import pytest_asyncio

from sandbox.watch import WireWatch
from sandbox.whole import Sandbox

SHORT = {
    "LEASE_SECONDS": "1",
    "KICK_SECONDS": "0.4",
    "TICK_SECONDS": "0.1",
    "WORKERS_READS": "1",
    "SAMPLE_SECONDS": "3600",
    "LEDGER_SECONDS": "0",
    "WATCH_SECONDS": "0",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    """Everything running; Slack's own rate limits are out of the way, for these tests type faster than people."""
    async with Sandbox(past=False, **SHORT) as running:
        running.slack.rates.enforced = False
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def watch(sandbox: Sandbox) -> WireWatch:
    """The numbered wire calls of that sandbox."""
    return WireWatch(sandbox)
