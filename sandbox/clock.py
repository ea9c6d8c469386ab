"""The time as the stand-ins see it: real, or held in a test's hand."""

import asyncio
import heapq
import itertools
from datetime import UTC, datetime, timedelta


class Clock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait this many seconds."""
        await asyncio.sleep(seconds)


class HeldClock(Clock):
    """A time that stands still until a test moves it; sleepers wake in the order of their times."""

    def __init__(self, start: datetime) -> None:
        """Stand at `start`, which must be aware."""
        if start.tzinfo is None:
            raise ValueError("a held clock needs an aware time")
        self._now = start.astimezone(UTC)
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> datetime:
        """Where the hand stands."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait until the hand has been moved this far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + timedelta(seconds=seconds), next(self._order), woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Move the hand by so many seconds, waking each sleeper at its own time on the way."""
        target = self._now + timedelta(seconds=seconds)
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, woken = heapq.heappop(self._sleepers)
            self._now = max(self._now, due)
            if not woken.done():
                woken.set_result(None)
            await asyncio.sleep(0)
        self._now = target
        await asyncio.sleep(0)
