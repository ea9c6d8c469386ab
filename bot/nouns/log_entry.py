"""What Cloud Logging keeps: one entry, and what one search for entries found."""

from datetime import datetime

from bot.nouns.base import Noun


class LogEntry(Noun):
    """One entry. `severity` is Cloud Logging's own word ("ERROR", "DEFAULT" when the writer stated none), `log` the log's short
    name, `resource` the kind of thing it is about ("tpu_worker"). `text` is one or more lines, secrets hidden, cut to 8,000
    characters.
    """

    at: datetime
    severity: str
    text: str
    log: str
    resource: str


class LogsFound(Noun):
    """Entries, the newest first. `stopped` says in words why there may be more than these; None: these are all."""

    at: datetime
    since: datetime
    until: datetime
    entries: tuple[LogEntry, ...]
    pages: int
    stopped: str | None = None
