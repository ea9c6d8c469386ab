"""What `metrics` finds: figures of one or two times, or the engine's own text."""

from datetime import datetime

from pydantic import BaseModel, Field

from bot.operations.metrics_figures import Figures, Points


class Raw(BaseModel):
    """The engine's own words, without comments and creation times; `left_out` counts what did not fit.

    `text` is all of it as the engine wrote it, for people only: a model's window is too small for it.
    """

    lines: tuple[str, ...]
    left_out: int
    at: datetime
    deployment: str
    text: str = Field(exclude=True)


class Metrics(BaseModel):
    """`now` is None when nothing was seen in that time; then `watched_since` is when looking began, None when it never did.

    `against_s` is how much earlier `before` lies, in seconds. Lines are points of (epoch seconds, value or None for a gap); they
    are for the chart only and no part of the result as JSON, for hundreds of points would fill a small model's window.
    """

    deployment: str
    since: datetime
    until: datetime
    around: datetime | None
    now: Figures | None
    against_s: int | None
    before: Figures | None
    first_token: tuple[tuple[str, Points], ...] = Field(default=(), exclude=True)
    load: tuple[tuple[str, Points], ...] = Field(default=(), exclude=True)
    watched_since: datetime | None = None
