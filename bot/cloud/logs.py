"""Cloud Logging over REST (v2): entries in pages, the newest first, under the project's quota of reads.

REST, because one pool of connections with our deadlines and errors is there already; the typed client adds a filter for the last
day by itself, has no deadline of its own and loads gRPC into every worker.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.cloud.apis import LOGGING
from bot.cloud.log_entries import entry_from
from bot.cloud.log_filter import filter_of
from bot.cloud.rest import GoogleRest
from bot.errors import NotConnectedError, RetryLater
from bot.nouns import LogEntry, LogsFound
from bot.ports import Clock, LogSearch, ReadQuota

PAGE_SIZE = 500
"""Cloud Logging gives up to 1,000; an entry may be 256 KiB, so smaller pages."""
PAGE_BYTES = 32 * 1024 * 1024
MOST_PAGES = 8
"""Of one search, out of about 60 reads a minute for the whole project. An empty page counts: Google sends some while it looks."""
TIME_S = 8.0
"""For all pages together."""
_DOING = "reading Cloud Logging"


class CloudLogs:
    """Implements `bot.ports.Logs`."""

    def __init__(
        self, rest: GoogleRest, clock: Clock, quota: ReadQuota, *, page_size: int = PAGE_SIZE, time_s: float = TIME_S
    ) -> None:
        """Share the connections; whoever made `rest` closes it."""
        self._rest = rest
        self._clock = clock
        self._quota = quota
        self._page_size = page_size
        self._time_s = time_s

    async def find(self, search: LogSearch) -> LogsFound:
        """See `bot.ports.Logs.find`."""
        pages = _Pages(search.most)
        try:
            async with asyncio.timeout(self._time_s):
                await self._read(search, pages)
        except TimeoutError:
            self._stop(pages, f"reading stopped after {self._time_s:.0f} s", RetryLater("Cloud Logging did not answer in time."))
        except RetryLater as error:
            self._stop(pages, error.telling.failed.rstrip("."), error)
        return LogsFound(
            at=self._clock.now(),
            since=search.since,
            until=search.until,
            entries=tuple(pages.entries),
            pages=pages.read,
            stopped=pages.stopped,
        )

    def _stop(self, pages: "_Pages", why: str, error: RetryLater) -> None:
        """What was read counts; when nothing was, that is an error and not an empty log."""
        if not pages.read:
            raise error
        pages.stopped = why

    async def _read(self, search: LogSearch, pages: "_Pages") -> None:
        body: dict[str, Any] = {
            "resourceNames": [f"projects/{self._rest.project}"],
            "filter": filter_of(search),
            "orderBy": "timestamp desc",
            "pageSize": self._page_size,
        }
        while pages.read < MOST_PAGES:
            await self._quota.turn(LOGGING.host)
            answer = await self._rest.ask(
                LOGGING, "POST", "/v2/entries:list", doing=_DOING, body=body, max_bytes=PAGE_BYTES, looks=True
            )
            if not pages.take(answer, self._clock.now()):
                return
            body |= {"pageToken": answer["nextPageToken"]}
        pages.stopped = f"reading stopped after {MOST_PAGES} pages"


class _Pages:
    """What was read so far."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.entries: list[LogEntry] = []
        self.read = 0
        self.stopped: str | None = None

    def take(self, answer: Mapping[str, Any], now: datetime) -> bool:
        """Keep a page. False: no further one is needed."""
        self.read += 1
        listed = answer.get("entries")
        found = [entry_from(one, now) for one in (listed if isinstance(listed, list) else []) if isinstance(one, Mapping)]
        room = self._most - len(self.entries)
        self.entries.extend(found[:room])
        more = bool(answer.get("nextPageToken"))
        if len(found) > room or (more and len(found) == room):
            self.stopped = f"only the newest {self._most:,} entries were read"
            return False
        return more


class NoLogs:
    """Implements `bot.ports.Logs` where no project is set."""

    async def find(self, search: LogSearch) -> LogsFound:
        """Raises NotConnectedError."""
        del search
        raise NotConnectedError("Cloud Logging", "GOOGLE_CLOUD_PROJECT")
