"""Signs of life of our processes, and what Redis says of itself."""

import asyncio
import os
import socket
from collections import Counter
from collections.abc import Mapping
from typing import cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from bot.ports import Memory
from bot.requests import Door
from bot.store import keys

log = structlog.get_logger()

BEAT_S = 5.0
BEAT_LIFE_S = 16
"""A process that missed three beats counts as gone."""

EVENT_DOORS = (Door.MENTION, Door.MESSAGE, Door.HOME)
"""What reaches us as events: they need the app's subscriptions, commands and buttons do not."""

RQ_WORKERS = "rq:workers"
"""RQ's own set of worker keys; each worker's hash names its queue and expires when the worker is gone."""


class Heart:
    """The sign of life of one process."""

    def __init__(self, redis: Redis, name: str) -> None:
        """`name` is `web` or `clock`."""
        self._redis = redis
        self._key = keys.alive(name, f"{socket.gethostname()}:{os.getpid()}")

    async def beat(self) -> None:
        """Once."""
        await self._redis.set(self._key, "1", ex=BEAT_LIFE_S)

    async def keep(self) -> None:
        """Until cancelled. Redis being away is no reason to stop."""
        while True:
            try:
                await self.beat()
            except RedisError as error:
                log.debug("no beat", why=type(error).__name__)
            await asyncio.sleep(BEAT_S)


class RedisProbe:
    """The Redis half of `bot.ports.Probes`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def memory(self) -> Memory:
        """Version, append-only file and eviction. What Redis does not let us see is None."""
        about = await self._redis.info("server")
        return Memory(
            version=str(about["redis_version"]) if "redis_version" in about else None,
            append_only={"yes": True, "no": False}.get(await self._configured("appendonly") or ""),
            eviction=await self._configured("maxmemory-policy"),
        )

    async def _configured(self, name: str) -> str | None:
        try:
            found = cast(dict[str, str], await self._redis.config_get(name))
        except ResponseError:
            return None
        return found.get(name)

    async def events(self) -> Mapping[Door, int]:
        """Counted where requests are recorded, since Redis remembers."""
        fields = [f"requests|{door}" for door in EVENT_DOORS]
        found = cast(list[bytes | None], await self._redis.hmget(keys.counters(), fields))
        return {door: int(float(count or 0)) for door, count in zip(EVENT_DOORS, found, strict=True)}

    async def alive(self) -> Mapping[str, int]:
        """Processes by name and workers by queue."""
        counted: Counter[str] = Counter()
        async for key in self._redis.scan_iter(match=keys.alive("*", "*"), count=500):
            counted[key.decode().split(":")[2]] += 1
        for worker in cast(set[bytes], await self._redis.smembers(RQ_WORKERS)):
            queues = cast(bytes | None, await self._redis.hget(worker.decode(), "queues"))
            counted.update(queues.decode().split(",") if queues else ())
        return dict(counted)
