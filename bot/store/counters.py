"""Our own counters: kept in Redis by every process, exposed by the clock for Prometheus."""

from typing import cast

from redis.asyncio import Redis

from bot.store import keys


class Counters:
    """Counts by name and one label, for instance requests by door. A lost count must never stop work."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def add(self, name: str, label: str = "", by: float = 1) -> None:
        """Add to one counter."""
        await self._redis.hincrbyfloat(keys.counters(), f"{name}|{label}", by)

    async def read(self) -> dict[tuple[str, str], float]:
        """All counters: (name, label) to value."""
        raw = cast(dict[bytes, bytes], await self._redis.hgetall(keys.counters()))
        parts = {key.decode().partition("|"): float(value) for key, value in raw.items()}
        return {(name, label): value for (name, _, label), value in parts.items()}
