"""Who did what, with whose yes, and how it ended: an append-only stream per workspace."""

from collections.abc import Mapping
from typing import Any

from redis.asyncio import Redis

from bot.store import keys

KEEP_ENTRIES = 20_000


class AuditLog:
    """Implements `bot.ports.Audit`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def note(self, team_id: str, entry: Mapping[str, str]) -> None:
        """Append one line; the oldest of more than 20,000 are dropped."""
        fields: dict[Any, Any] = dict(entry)
        await self._redis.xadd(keys.audit(team_id), fields, maxlen=KEEP_ENTRIES, approximate=True)
