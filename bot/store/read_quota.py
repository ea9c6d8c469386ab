"""Reads of a service that allows so many a minute for a whole project, counted in Redis for all processes."""

import asyncio
from collections.abc import Awaitable, Callable

from redis.asyncio import Redis

from bot.errors import RetryLater
from bot.store import keys
from bot.store.pace import spacing
from bot.store.scripts import Scripts

PER_MINUTE = 60
"""Cloud Logging's reads a minute and project. From memory: its page says "see the dashboard"; hence a setting."""
LONGEST_WAIT_S = 4.0
"""Our choice: whoever waits for an answer is told rather than kept waiting."""


class RedisReadQuota:
    """Implements `bot.ports.ReadQuota` by the generic cell rate algorithm."""

    def __init__(
        self,
        redis: Redis,
        *,
        per_minute: int = PER_MINUTE,
        longest_wait_s: float = LONGEST_WAIT_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Nothing is sent before the first call."""
        self._scripts = Scripts(redis)
        self._spacing = spacing(per_minute)
        self._longest_ms = int(longest_wait_s * 1000)
        self._sleep = sleep

    async def turn(self, service: str) -> None:
        """See `bot.ports.ReadQuota.turn`."""
        wait_ms = int(await self._scripts.call("book", [keys.pace(service, "reads")], [self._longest_ms, *self._spacing]))
        if wait_ms < 0:
            raise RetryLater(f"The reads that {service} allows in a minute are used up.", after_s=-wait_ms / 1000, arrived=False)
        if wait_ms:
            await self._sleep(wait_ms / 1000)


class OwnReadQuota:
    """Implements `bot.ports.ReadQuota` for a terminal without Redis, which reads a few pages and ends: nothing is counted."""

    async def turn(self, service: str) -> None:
        """At once; when the service refuses, its refusal says so."""
        del service
