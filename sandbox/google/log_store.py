"""What Cloud Logging holds: entries, pages of them, and the quota of reads a minute."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from google.rpc import code_pb2

from sandbox.clock import Clock
from sandbox.google import log_filter, refusals
from sandbox.google.refusals import Refusal

LARGEST_PAGE = 1000
USUAL_PAGE = 50
READS_PER_MINUTE = 60
TOKEN_LIFE = timedelta(hours=24)
_FIELDS = frozenset({"resourceNames", "filter", "orderBy", "pageSize", "pageToken"})


class LogStore:
    """Entries of one project. `empty_pages` makes so many first pages of a search empty: the real one does that while looking."""

    def __init__(self, project: str, clock: Clock) -> None:
        """Nothing was written yet."""
        self._project = project
        self._clock = clock
        self._entries: list[dict[str, Any]] = []
        self._reads: list[datetime] = []
        self._tokens: dict[str, tuple[str, int, datetime]] = {}
        self.reads_per_minute = READS_PER_MINUTE
        self.empty_pages = 0

    def write(self, *, ago_s: float = 0.0, log: str = "tpu.googleapis.com%2Fruntime_monitor", **fields: Any) -> None:
        """Add an entry as the API shows it; `ago_s` is its age in seconds."""
        at = self._clock.now() - timedelta(seconds=ago_s)
        number = len(self._entries) + 1
        written: dict[str, Any] = {
            "logName": f"projects/{self._project}/logs/{log}",
            "insertId": f"{number:08x}",
            "timestamp": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "receiveTimestamp": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            **fields,
        }
        self._entries.append(written)

    def entries(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """entries.list (v2). Raises Refusal for what the real one refuses, and beyond the quota."""
        self._count()
        unknown = sorted(body.keys() - _FIELDS)
        if unknown:
            raise refusals.invalid(f'Invalid JSON payload received. Unknown name "{unknown[0]}": Cannot find field.')
        if body.get("resourceNames") != [f"projects/{self._project}"]:
            raise refusals.permission_denied("logging.logEntries.list", str(body.get("resourceNames")))
        order = str(body.get("orderBy", "timestamp asc"))
        if order not in {"timestamp asc", "timestamp desc"}:
            raise refusals.invalid(f"Unsupported order_by: {order[:60]}")
        test = log_filter.parse(str(body.get("filter", "")))
        found = sorted((one for one in self._entries if test(one)), key=lambda one: str(one["timestamp"]))
        return self._page(body, found if order.endswith("asc") else found[::-1])

    def _page(self, body: Mapping[str, Any], found: list[dict[str, Any]]) -> dict[str, Any]:
        same = json.dumps([body.get("filter", ""), body.get("orderBy", "")])
        start = self._started(str(body.get("pageToken", "")), same)
        size = body.get("pageSize", 0)
        if not isinstance(size, int) or size < 0:
            raise refusals.invalid("Invalid value at 'page_size' (TYPE_INT32)")
        if start < self.empty_pages:
            return {"nextPageToken": self._token(same, start + 1)}
        at = start - self.empty_pages
        end = at + min(size or USUAL_PAGE, LARGEST_PAGE)
        page: dict[str, Any] = {"entries": found[at:end]} if found[at:end] else {}
        return page | ({"nextPageToken": self._token(same, self.empty_pages + end)} if end < len(found) else {})

    def _token(self, same: str, start: int) -> str:
        token = hashlib.sha256(f"{same}{start}{len(self._tokens)}".encode()).hexdigest()[:40]
        self._tokens[token] = (same, start, self._clock.now())
        return token

    def _started(self, token: str, same: str) -> int:
        """Where a page begins. A token belongs to its own filter and order, for a day."""
        if not token:
            return 0
        known, start, made = self._tokens.get(token, ("", 0, self._clock.now()))
        if known != same or self._clock.now() - made > TOKEN_LIFE:
            raise refusals.invalid("page_token doesn't match arguments from the request")
        return start

    def _count(self) -> None:
        now = self._clock.now()
        self._reads = [at for at in self._reads if now - at < timedelta(minutes=1)]
        if len(self._reads) >= self.reads_per_minute:
            raise Refusal(
                code_pb2.RESOURCE_EXHAUSTED,
                "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute' of service "
                "'logging.googleapis.com' for consumer 'project_number:400000000000'.",
            )
        self._reads.append(now)
