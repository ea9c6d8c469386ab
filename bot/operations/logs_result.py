"""What `logs` finds: the events of one log, and its newest lines."""

from datetime import datetime

from pydantic import BaseModel, Field

from bot.operations.log_patterns import Event
from bot.operations.log_reading import LogKind


class LogLook(BaseModel):
    """One log from `since` to `until`. `read` lines were read; with `words`, `holding` of them hold these.

    `errors` is the exact number of error events among those. `newest` are the last lines, oldest first. `limits` say what is not
    in it, and why. `text` is what goes into the file, for people only; `unmasked` says that it holds conversations.
    """

    deployment: str
    log: LogKind
    at: datetime
    since: datetime
    until: datetime
    around: datetime | None
    read: int
    words: str | None
    holding: int | None
    errors: int
    events: tuple[Event, ...]
    more_events: int
    newest: tuple[str, ...]
    asked_lines: int | None
    limits: tuple[str, ...]
    unmasked: bool = False
    text: str = Field(default="", exclude=True)
