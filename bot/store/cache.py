"""Answers from outside that may be used again for a while."""

from redis.asyncio import Redis

from bot.store import keys


class RedisCache:
    """Implements `bot.ports.Cache`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def get(self, what: str) -> str | None:
        """What was put, while it lives."""
        raw = await self._redis.get(keys.cached(what))
        return raw.decode() if isinstance(raw, bytes) else raw

    async def put(self, what: str, value: str, life_s: int) -> None:
        """Remember for `life_s` seconds."""
        await self._redis.set(keys.cached(what), value, ex=life_s)
