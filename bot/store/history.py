"""What the clock saw of each deployment, minute by minute; gaps stay gaps."""

from datetime import datetime, timedelta
from typing import cast

from redis.asyncio import Redis

from bot.nouns import Delta, EngineSample, Usual
from bot.statistics.usual import usual_first_token
from bot.statistics.windows import between, merge
from bot.store import keys

SCRAPES_KEPT = 6
"""Whole scrapes kept: three minutes of them, so that a fresh one always finds an earlier end for its window."""

MINUTE_S = 60
TEN_MINUTES_S = 600
MINUTES_KEPT = timedelta(hours=48)
TENS_KEPT = timedelta(days=35)
USUAL_OVER = timedelta(days=7)
"""What is usual is taken from the last week: long enough to hold every weekday, short enough to follow a changed use."""


class HistoryStore:
    """Implements `bot.ports.History`: sorted sets of windows, one by the minute and one by ten minutes."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def last(self, team_id: str, deployment: str) -> EngineSample | None:
        """The newest whole scrape."""
        raw = await self._redis.lindex(keys.last_sample(team_id, deployment), 0)
        return EngineSample.model_validate_json(raw) if raw else None

    async def earlier(self, team_id: str, deployment: str, before: datetime) -> EngineSample | None:
        """The newest kept scrape that is older than `before`, within three minutes or so."""
        for raw in await self._redis.lrange(keys.last_sample(team_id, deployment), 0, SCRAPES_KEPT - 1):
            sample = EngineSample.model_validate_json(raw)
            if sample.at < before:
                return sample
        return None

    async def windows(self, team_id: str, deployment: str, since: datetime, until: datetime) -> tuple[Delta, ...]:
        """By the minute as far as minutes are kept, by ten minutes before that."""
        fine = await self._range(team_id, deployment, MINUTE_S, since, until)
        if since >= until - MINUTES_KEPT:
            return fine
        coarse = await self._range(team_id, deployment, TEN_MINUTES_S, since, fine[0].since if fine else until)
        return (*(window for window in coarse if not fine or window.until <= fine[0].since), *fine)

    async def _range(self, team_id: str, deployment: str, slot_s: int, since: datetime, until: datetime) -> tuple[Delta, ...]:
        key = keys.history(team_id, deployment, str(slot_s))
        raw = await self._redis.zrangebyscore(key, since.timestamp() - slot_s, until.timestamp())
        found = (Delta.model_validate_json(cast(bytes, item)) for item in raw)
        return tuple(window for window in found if window.until > since and window.since < until)

    async def keep(self, team_id: str, deployment: str, sample: EngineSample) -> None:
        """Remember a scrape and add its window to the minute and the ten minutes it ends in.

        Called by one clock at a time for each deployment (a claimed slot); a repeated scrape is passed over.
        """
        before = await self.last(team_id, deployment)
        if before is not None and sample.at <= before.at:
            return
        key = keys.last_sample(team_id, deployment)
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.lpush(key, sample.model_dump_json())
            pipe.ltrim(key, 0, SCRAPES_KEPT - 1)
            await pipe.execute()
        window = between(before, sample) if before is not None else None
        if isinstance(window, Delta) and window.seconds <= 2 * MINUTE_S:
            for slot_s, kept in ((MINUTE_S, MINUTES_KEPT), (TEN_MINUTES_S, TENS_KEPT)):
                await self._add(keys.history(team_id, deployment, str(slot_s)), slot_s, kept, window)

    async def usual(self, team_id: str, deployment: str) -> Usual | None:
        """What is usual here, as the clock last worked it out."""
        raw = await self._redis.get(keys.usual(team_id, deployment))
        return Usual.model_validate_json(raw) if raw else None

    async def work_out_usual(self, team_id: str, deployment: str, now: datetime) -> None:
        """Read the last week once and keep what is usual; the clock does this every ten minutes."""
        week = await self._range(team_id, deployment, TEN_MINUTES_S, now - USUAL_OVER, now)
        found = usual_first_token(week)
        if found is not None:
            await self._redis.set(keys.usual(team_id, deployment), found.model_dump_json(), ex=24 * 3600)

    async def _add(self, key: str, slot_s: int, kept: timedelta, window: Delta) -> None:
        slot = int(window.until.timestamp()) // slot_s * slot_s
        there = await self._redis.zrangebyscore(key, slot, slot)
        merged = merge(Delta.model_validate_json(cast(bytes, there[0])), window) if there else window
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.zremrangebyscore(key, slot, slot)
            pipe.zadd(key, {merged.model_dump_json(): slot})
            pipe.zremrangebyscore(key, "-inf", slot - int(kept.total_seconds()))
            await pipe.execute()


class NoHistory:
    """Implements `bot.ports.History` where there is no Redis: nothing is remembered, so everything past is unknown."""

    async def last(self, team_id: str, deployment: str) -> EngineSample | None:
        """Unknown."""
        del team_id, deployment
        return None

    async def earlier(self, team_id: str, deployment: str, before: datetime) -> EngineSample | None:
        """Unknown."""
        del team_id, deployment, before
        return None

    async def usual(self, team_id: str, deployment: str) -> Usual | None:
        """Unknown."""
        del team_id, deployment
        return None

    async def windows(self, team_id: str, deployment: str, since: datetime, until: datetime) -> tuple[Delta, ...]:
        """Unknown."""
        del team_id, deployment, since, until
        return ()

    async def keep(self, team_id: str, deployment: str, sample: EngineSample) -> None:
        """There is nowhere to keep it."""
        del team_id, deployment, sample
