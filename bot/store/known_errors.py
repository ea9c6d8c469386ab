"""Kinds of error that were reported, one hash for each deployment."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from redis.asyncio import Redis

from bot.ports import Compared, LastReport
from bot.store import keys
from bot.store.scripts import Scripts

KEPT = timedelta(days=30)
MOST_KEPT = 500
"""Kinds of one deployment, the newest: a storm of ever other lines does not fill the memory."""


class KnownErrorStore:
    """Implements `bot.ports.KnownErrors`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def report(
        self, team_id: str, deployment: str, report_id: str, at: datetime, errors: int, fingerprints: Sequence[str]
    ) -> Compared:
        """See `bot.ports.KnownErrors.report`; one call, in which both happen or neither."""
        bounds: list[str | int | bytes] = [report_id, repr(at.timestamp()), int(KEPT.total_seconds()), MOST_KEPT, errors]
        found = await self._scripts.call("report", [keys.known_errors(team_id, deployment)], [*bounds, *fingerprints])
        before, *new = (one.decode() for one in found)
        return Compared(new=tuple(new), before=_moment(before))

    async def last(self, team_id: str, deployment: str) -> LastReport | None:
        """See `bot.ports.KnownErrors.last`."""
        key = keys.known_errors(team_id, deployment)
        raw = await self._redis.hmget(key, ["at", "errors", "new"])
        at, errors, new = (cast(bytes, one).decode() if one is not None else "" for one in raw)
        moment = _moment(at)
        return None if moment is None else LastReport(at=moment, errors=int(errors), new=int(new) if new else None)


def _moment(seconds: str) -> datetime | None:
    return datetime.fromtimestamp(float(seconds), UTC) if seconds else None
