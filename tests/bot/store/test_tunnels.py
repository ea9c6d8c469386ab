"""A tunnel is known on its own machine, as long as whoever holds it says so."""

import pytest
from redis.asyncio import Redis

from bot.store import keys
from bot.store.tunnels import LIFE_S, TunnelStore, here

pytestmark = pytest.mark.wire


async def test_a_port_is_known_here_and_nowhere_else(redis: Redis) -> None:
    store, elsewhere = TunnelStore(redis), TunnelStore(redis, "another-machine")
    await store.hold("T1", "prod", 41_234)
    assert await store.port("T1", "prod") == 41_234
    assert await elsewhere.port("T1", "prod") is None
    assert await store.port("T2", "prod") is None


async def test_it_is_forgotten_when_nobody_holds_it_any_more(redis: Redis) -> None:
    store = TunnelStore(redis)
    await store.hold("T1", "prod", 41_234)
    assert 0 < await redis.ttl(keys.tunnel(here(), "T1", "prod")) <= LIFE_S
    await store.drop("T1", "prod")
    assert await store.port("T1", "prod") is None


def test_processes_of_one_machine_find_each_other() -> None:
    assert here() == here() != ""
