"""Who did what, with whose yes, and how it ended: an append-only stream per workspace."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

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

    async def since(self, team_id: str, since: datetime, most: int) -> tuple[Mapping[str, str], ...]:
        """Implements `bot.ports.Trail`: the newest entries first. An entry's id is the time at which it was written, in ms."""
        raw = cast(
            list[tuple[bytes, dict[bytes, bytes]]],
            await self._redis.xrevrange(keys.audit(team_id), "+", str(int(since.timestamp() * 1000)), count=most),
        )
        return tuple({key.decode(): value.decode() for key, value in fields.items()} for _, fields in raw)
