"""Signs of life, and what Redis says of itself; and the limit of a month."""

from datetime import UTC, datetime

import pytest
from redis.asyncio import Redis

from bot.ports import Limit
from bot.requests import Door
from bot.store import keys
from bot.store.budget import BudgetStore
from bot.store.probes import BEAT_LIFE_S, BEAT_S, RQ_WORKERS, Heart, RedisProbe
from bot.store.work import WorkStore
from tests.doubles.ports import House

pytestmark = pytest.mark.wire


async def test_a_process_that_beats_is_alive_and_its_sign_fades(redis: Redis) -> None:
    await Heart(redis, "web").beat()
    await Heart(redis, "clock").beat()
    assert await RedisProbe(redis).alive() == {"web": 1, "clock": 1}
    (key,) = [key async for key in redis.scan_iter(match=keys.alive("web", "*"))]
    assert 2 * BEAT_S < await redis.ttl(key) <= BEAT_LIFE_S


async def test_events_are_those_that_were_recorded_since_redis_remembers(redis: Redis) -> None:
    assert await RedisProbe(redis).events() == {Door.MENTION: 0, Door.MESSAGE: 0, Door.HOME: 0}
    store = WorkStore(redis, lease_s=5, kick_s=2)
    for number, door in enumerate((Door.MENTION, Door.MENTION, Door.COMMAND, Door.HOME)):
        asked = House().request("status", id=str(number), door=door)
        await store.accept(asked, work_id=f"r-{number}", kind="request", queue="reads")
    assert await RedisProbe(redis).events() == {Door.MENTION: 2, Door.MESSAGE: 0, Door.HOME: 1}


async def test_a_worker_counts_for_its_queue_while_its_own_record_lives(redis: Redis) -> None:
    await redis.sadd(RQ_WORKERS, "rq:worker:a", "rq:worker:b", "rq:worker:gone")
    await redis.hset("rq:worker:a", "queues", "reads")
    await redis.hset("rq:worker:b", "queues", "reads")
    assert await RedisProbe(redis).alive() == {"reads": 2}


async def test_a_real_server_tells_its_version_and_its_eviction(redis: Redis) -> None:
    about = await RedisProbe(redis).memory()
    assert about.version is not None
    assert int(about.version.split(".")[0]) >= 6
    assert about.eviction == "noeviction"
    assert about.append_only is False


async def test_what_a_managed_server_does_not_let_us_see_is_unknown(redis: Redis) -> None:
    await redis.acl_setuser("guest", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-config"])
    host, port = (redis.connection_pool.connection_kwargs[name] for name in ("host", "port"))
    async with Redis(host=host, port=port, username="guest", password="any") as guest:
        about = await RedisProbe(guest).memory()
    assert about.version is not None
    assert (about.append_only, about.eviction) == (None, None)


async def test_a_limit_is_kept_for_its_workspace_and_taken_away(redis: Redis) -> None:
    budget = BudgetStore(redis)
    made = Limit(usd=500, by="U1", at=datetime(2026, 11, 30, tzinfo=UTC))
    await budget.set_limit("T1", made)
    assert await budget.limit("T1") == made
    assert await budget.limit("T2") is None
    await budget.set_limit("T1", None)
    assert await budget.limit("T1") is None
