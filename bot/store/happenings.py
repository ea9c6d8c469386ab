"""What changed at each deployment: what was known last, and a sorted set of changes by their time."""

from datetime import datetime, timedelta
from typing import cast

from redis.asyncio import Redis

from bot.errors import RetryLater
from bot.nouns import Happening, Look, Watched
from bot.statistics.happenings import notice
from bot.store import keys
from bot.store.scripts import Scripts

KEPT = timedelta(days=90)
MOST_KEPT = 500
"""Changes kept of one deployment: an engine that restarts without end does not fill the memory."""

TRIES = 10
"""Two clocks that look at one moment get in each other's way once or twice."""


class HappeningStore:
    """Implements `bot.ports.Happenings`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def note(self, team_id: str, deployment: str, look: Look) -> tuple[Happening, ...]:
        """See `bot.ports.Happenings.note`. What is known and what changed are written together, or neither is.

        Raises RetryLater when other clocks were quicker every time.
        """
        state = keys.watched(team_id, deployment)
        for _ in range(TRIES):
            raw = cast(bytes | None, await self._redis.get(state))
            before = Watched.model_validate_json(raw) if raw else None
            known, found = notice(before, look)
            if known == before or await self._write([state, keys.happenings(team_id, deployment)], raw or b"", known, found):
                return () if known == before else found
        raise RetryLater(f"Other clocks wrote what is known of {deployment} all the time.", arrived=False)

    async def _write(self, names: list[str], before: bytes, known: Watched, found: tuple[Happening, ...]) -> bool:
        """False when another clock wrote since `before` was read; nothing is written then."""
        pairs = [part for one in found for part in (repr(one.at.timestamp()), one.model_dump_json())]
        oldest = repr((known.at - KEPT).timestamp())
        bounds: list[str | int | bytes] = [before, known.model_dump_json(), int(KEPT.total_seconds()), oldest, MOST_KEPT]
        return bool(await self._scripts.call("notice", names, [*bounds, *pairs]))

    async def since(self, team_id: str, deployment: str, since: datetime, most: int) -> tuple[Happening, ...]:
        """See `bot.ports.Happenings.since`."""
        key = keys.happenings(team_id, deployment)
        raw = await self._redis.zrevrangebyscore(key, "+inf", since.timestamp(), start=0, num=most)
        return tuple(Happening.model_validate_json(cast(bytes, one)) for one in raw)

    async def watched(self, team_id: str, deployment: str) -> Watched | None:
        """See `bot.ports.Happenings.watched`."""
        raw = await self._redis.get(keys.watched(team_id, deployment))
        return Watched.model_validate_json(raw) if raw else None
