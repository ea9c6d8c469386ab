"""What changed at a deployment: what the clock saw of its engine, and what people did to it."""

from datetime import datetime

from pydantic import BaseModel


class Change(BaseModel):
    """One change. `what` is its words; `who`, `yes_by` and `ended` are of what a person did and None of what was seen."""

    at: datetime
    what: str
    source: str
    who: str | None = None
    yes_by: str | None = None
    ended: str | None = None


class Changes(BaseModel):
    """The newest first, of the last `seconds`; `more` says that the list is cut.

    `watched_since` and `looked_at` are the first and the last look at the engine; None: the clock never looked at it.
    """

    deployment: str
    at: datetime
    seconds: int
    changes: tuple[Change, ...]
    more: bool
    watched_since: datetime | None
    looked_at: datetime | None
