"""The time Slack goes by: real, or moved by hand in tests."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Where the stand-in gets the time (epoch seconds) and how it waits."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class WallClock:
    """Real time."""

    def now(self) -> float:
        """Epoch seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Waits for real."""
        await asyncio.sleep(seconds)


class ManualClock:
    """Time that stands still until `advance` moves it; sleepers wake in the order of their due times."""

    def __init__(self, start: float = 1_796_000_000.0) -> None:
        self._now = start
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        """Epoch seconds."""
        return self._now

    @property
    def sleeping(self) -> int:
        """How many wait for time to move."""
        return len(self._sleepers)

    async def sleep(self, seconds: float) -> None:
        """Waits until `advance` has moved time by so many seconds; 0 or less returns at the next turn of the loop."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (self._now + seconds, waiter)
        self._sleepers.append(entry)
        try:
            await waiter
        finally:
            if entry in self._sleepers:
                self._sleepers.remove(entry)

    async def advance(self, seconds: float) -> None:
        """Moves time on, waking each sleeper at its own moment and letting it run before the next."""
        until = self._now + seconds
        while due := sorted((entry for entry in self._sleepers if entry[0] <= until), key=lambda entry: entry[0]):
            entry = due[0]
            self._now = max(self._now, entry[0])
            self._sleepers.remove(entry)
            if not entry[1].done():
                entry[1].set_result(None)
            await self._let_run()
        self._now = until
        await self._let_run()

    async def _let_run(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
