"""Cloud Logging, and the quota of reads that all our processes share."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.nouns import LogsFound


@dataclass(frozen=True)
class LogSearch:
    """Entries about one machine from `since` to `until` (aware, both included).

    `nodes` are the names it goes by: its name and its number. `at_least` is a severity ("ERROR"); `words` a piece of text that
    an entry must hold, upper and lower case alike. At most `most` entries are wanted, the newest of them.
    """

    zone: str | None
    nodes: tuple[str, ...]
    since: datetime
    until: datetime
    at_least: str | None = None
    words: str | None = None
    most: int = 2_000


class Logs(Protocol):
    """What Google itself writes about machines. Engines' own output goes there only where somebody set that up."""

    async def find(self, search: LogSearch) -> LogsFound:
        """Read pages until all is read, `most` entries are, or the time is over; the last two are no errors: `stopped` tells.

        Raises RetryLater when nothing could be read now, PersonMovesNext when permission is lacking, NotConnectedError without a
        project.
        """


class ReadQuota(Protocol):
    """Turns at a service that allows so many calls a minute, shared by all processes."""

    async def turn(self, service: str) -> None:
        """Wait for one. Raises RetryLater(arrived=False) when that would take too long."""
