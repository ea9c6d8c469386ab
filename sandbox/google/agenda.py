"""What will happen, and when: future changes of state, carried out in the order of their times when somebody looks."""

import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from sandbox.clock import Clock


class Agenda:
    """No task runs in the background: `settle` brings the world up to the clock, and each change sees its own time."""

    def __init__(self, clock: Clock) -> None:
        """Start with nothing planned."""
        self._clock = clock
        self._plans: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._moment: datetime | None = None

    @property
    def moment(self) -> datetime:
        """The time at which the change being carried out happens; else now."""
        return self._moment or self._clock.now()

    @contextmanager
    def as_of(self, moment: datetime) -> Iterator[None]:
        """Let what is done inside have happened at this time; `settle` afterwards brings it up to now."""
        self._moment = moment
        try:
            yield
        finally:
            self._moment = None

    def after(self, seconds: float, change: Callable[[], None]) -> None:
        """Plan a change so many seconds after this moment. It must check for itself that it still applies."""
        self.at(self.moment + timedelta(seconds=seconds), change)

    def at(self, due: datetime, change: Callable[[], None]) -> None:
        """Plan a change for this time."""
        heapq.heappush(self._plans, (due, next(self._order), change))

    def settle(self) -> None:
        """Carry out everything that is due by now, first things first, also what those things plan."""
        now = self._clock.now()
        try:
            while self._plans and self._plans[0][0] <= now:
                self._moment, _, change = heapq.heappop(self._plans)
                change()
        finally:
            self._moment = None
