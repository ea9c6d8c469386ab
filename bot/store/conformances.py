"""What each deployment's server was last seen to do right."""

from redis.asyncio import Redis

from bot.nouns import Conformance
from bot.store import keys


class ConformanceStore:
    """Implements `bot.ports.Conformances`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def last(self, team_id: str, deployment: str) -> Conformance | None:
        """See `bot.ports.Conformances.last`."""
        raw = await self._redis.hget(keys.conformances(team_id), deployment)
        return None if raw is None else Conformance.model_validate_json(raw)

    async def keep(self, team_id: str, found: Conformance) -> None:
        """See `bot.ports.Conformances.keep`."""
        await self._redis.hset(keys.conformances(team_id), found.deployment, found.model_dump_json())
