"""What the engine of each deployment was wanted to be, and how long its starts took: two lists, the newest first."""

from typing import cast

from redis.asyncio import Redis

from bot.nouns import EngineStart, Wish
from bot.store import keys
from bot.store.scripts import Scripts

KEPT = 50
"""Entries of each list; at least 20 are promised."""


class WishStore:
    """Implements `bot.ports.Wishes`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def current(self, team_id: str, deployment: str) -> Wish | None:
        """See `bot.ports.Wishes.current`."""
        raw = cast(bytes | None, await self._redis.lindex(keys.wishes(team_id, deployment), 0))
        return Wish.model_validate_json(raw) if raw else None

    async def past(self, team_id: str, deployment: str) -> tuple[Wish, ...]:
        """See `bot.ports.Wishes.past`."""
        raw = await self._redis.lrange(keys.wishes(team_id, deployment), 0, KEPT - 1)
        return tuple(Wish.model_validate_json(cast(bytes, one)) for one in raw)

    async def put(self, team_id: str, wish: Wish) -> None:
        """See `bot.ports.Wishes.put`."""
        await self._add(keys.wishes(team_id, wish.deployment), wish.model_dump_json(), f"{wish.work} {wish.fingerprint}")

    async def note_start(self, team_id: str, deployment: str, start: EngineStart) -> None:
        """See `bot.ports.Wishes.note_start`."""
        await self._add(keys.engine_starts(team_id, deployment), start.model_dump_json(), f"{start.work} {start.fingerprint}")

    async def starts(self, team_id: str, deployment: str) -> tuple[EngineStart, ...]:
        """See `bot.ports.Wishes.starts`."""
        raw = await self._redis.lrange(keys.engine_starts(team_id, deployment), 0, KEPT - 1)
        return tuple(EngineStart.model_validate_json(cast(bytes, one)) for one in raw)

    async def _add(self, key: str, record: str, identity: str) -> None:
        """In front, unless one of this work and fingerprint is there: checked and written in one call."""
        await self._scripts.call("put_newest", [key], [record, identity, KEPT])
