"""The monthly limit of each workspace."""

from redis.asyncio import Redis

from bot.ports import Limit
from bot.store import keys


class BudgetStore:
    """Implements `bot.ports.Budget`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def limit(self, team_id: str) -> Limit | None:
        """The limit, or None when there is none."""
        raw = await self._redis.get(keys.budget(team_id))
        return None if raw is None else Limit.model_validate_json(raw)

    async def set_limit(self, team_id: str, limit: Limit | None) -> None:
        """Set it, or take it away."""
        if limit is None:
            await self._redis.delete(keys.budget(team_id))
        else:
            await self._redis.set(keys.budget(team_id), limit.model_dump_json())
