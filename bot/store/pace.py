"""Slack's rate limits, counted in Redis for all processes together."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from redis.asyncio import Redis

from bot.errors import RetryLater
from bot.store import keys
from bot.store.scripts import Scripts

CHANNEL_METHODS = frozenset({"chat.postMessage"})
"""Methods that Slack also limits to about one a second in each channel."""

WORKSPACE_PER_MINUTE = 300
"""Our choice for those methods over all channels: Slack names no figure, only that there is such a cap."""

CHANNEL_GAP_MS = 1000
CHANNEL_BURST = 3
"""Short bursts are let through by Slack; more than this at once are spaced out."""

DROPPABLE_WAIT_S = 1.0
"""What is not urgent (progress) is given up rather than waited for longer than this."""


def spacing(per_minute: int) -> tuple[int, int]:
    """Gap in ms and burst with which no minute holds more than `per_minute` calls: what bursts is taken off the steady rate."""
    burst = max(1, per_minute // 3)
    return -(-60_000 // max(1, per_minute - burst)), burst


class RedisPace:
    """Implements `bot.ports.Pace` by the generic cell rate algorithm: one key a limit, holding when the next call is due."""

    def __init__(
        self,
        redis: Redis,
        tiers: Mapping[str, int],
        *,
        longest_wait_s: float = 8.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`tiers`: calls per minute of each method; `longest_wait_s`: beyond it the caller is told to come back."""
        self._scripts = Scripts(redis)
        self._tiers = tiers
        self._longest_s = longest_wait_s
        self._sleep = sleep

    async def wait(self, method: str, channel: str | None, *, urgent: bool) -> None:
        """Book a place in the method's tier and in the channel; sleep until it. Raises RetryLater when it is too far off."""
        per_minute = WORKSPACE_PER_MINUTE if method in CHANNEL_METHODS else self._tiers.get(method, 50)
        limits = [(keys.pace(method, "workspace"), *spacing(per_minute))]
        if channel is not None and method in CHANNEL_METHODS:
            limits.append((keys.pace(method, channel), CHANNEL_GAP_MS, CHANNEL_BURST))
        bound = self._longest_s if urgent else DROPPABLE_WAIT_S
        flat: list[str | int | bytes] = [int(bound * 1000), *(part for _, gap, burst in limits for part in (gap, burst))]
        wait_ms = int(await self._scripts.call("book", [key for key, _, _ in limits], flat))
        if wait_ms < 0:
            raise RetryLater("Slack's rate limit is used up for now.", after_s=-wait_ms / 1000, arrived=False)
        if wait_ms:
            await self._sleep(wait_ms / 1000)
