"""A past for the sandbox: an hour and a quarter of scrapes, taken over the wire by the product's own client."""

from datetime import datetime, timedelta

from redis.asyncio import Redis

from bot.model import VllmEngine
from bot.nouns import Deployment, Look
from bot.store.happenings import HappeningStore
from bot.store.history import HistoryStore
from sandbox.clock import Clock

LENGTH = timedelta(minutes=75)
"""Enough ten-minute windows for a "usual" (`bot.statistics.usual`)."""

STEP = timedelta(seconds=60)


class ShiftedClock(Clock):
    """The machine's own time, some time ago."""

    def __init__(self) -> None:
        """Begins `LENGTH` ago."""
        self.behind = LENGTH

    def now(self) -> datetime:
        """So long ago."""
        return super().now() - self.behind


async def live_through(clock: ShiftedClock, deployment: Deployment, team_id: str, redis: Redis) -> None:
    """Scrape once a step until the clock shows the present, and keep what was seen as the product's clock would."""
    history, happenings = HistoryStore(redis), HappeningStore(redis)
    async with VllmEngine(clock) as engine:
        while clock.behind > timedelta(0):
            sample = await engine.sample(deployment)
            await history.keep(team_id, deployment.name, sample)
            look = Look(at=sample.at, answers=True, started_at=sample.started_at, settings=sample.cache_config)
            await happenings.note(team_id, deployment.name, look)
            clock.behind = max(timedelta(0), clock.behind - STEP)
    await history.work_out_usual(team_id, deployment.name, clock.now())
