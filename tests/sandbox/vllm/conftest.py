"""A stand-in that listens, with the recorded server's model and window, and somebody who asks it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import httpx
import pytest

from sandbox.clock import HeldClock
from sandbox.vllm import VllmStandIn

NIGHT = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


@pytest.fixture
async def clock() -> HeldClock:
    """Two o'clock at night."""
    return HeldClock(NIGHT)


@pytest.fixture
async def server(clock: HeldClock) -> AsyncIterator[VllmStandIn]:
    """A stand-in with the recorded server's model and window."""
    stand_in = VllmStandIn(clock, model="tiny-gemma4", window=2048)
    await stand_in.start()
    yield stand_in
    await stand_in.stop()


@pytest.fixture
async def client(server: VllmStandIn) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who asks it."""
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=5) as asking:
        yield asking
