"""What `errors` finds: kinds of error with exact counts, over all logs that could be read."""

from datetime import datetime

from pydantic import BaseModel

from bot.operations.log_patterns import Event
from bot.operations.log_reading import LogKind


class Looked(BaseModel):
    """One log: how many lines were read of it; None: it could not be, and `missing` says why. `limits` say what is not in it."""

    log: LogKind
    read: int | None
    missing: str | None = None
    limits: tuple[str, ...] = ()


class Known(BaseModel):
    """A failure that rules recognise: its title, the signs found, how to make sure, what to do, and the line that shows it."""

    name: str
    title: str
    matched: str
    check: str
    step: str
    line: str
    log: LogKind
    over: bool


class Errors(BaseModel):
    """`total` error events of `kinds` kinds from `since` to `at`. `events` are the kinds, the new ones first, then the most
    frequent.

    `new` are the fingerprints that no report held before `before`, the time of the last one; None: there is nothing to compare
    with. `words` is what Gemma makes of it, each figure checked; without them `wordless` says why. `container_logs_in_cloud` is
    whether Cloud Logging receives what the engine writes; None: not known.
    """

    deployment: str
    at: datetime
    since: datetime
    looked: tuple[Looked, ...]
    total: int
    kinds: int
    events: tuple[Event, ...]
    new: tuple[str, ...] | None
    before: datetime | None
    known: tuple[Known, ...]
    container_logs_in_cloud: bool | None
    words: tuple[str, ...] = ()
    unsupported: int = 0
    wordless: str | None = None
