"""What happened between two scrapes of an engine."""

from datetime import datetime

from pydantic import Field

from bot.nouns.base import Noun
from bot.nouns.engine import Histogram


class Growth(Noun):
    """How much a counter grew in the `seconds` for which that is known."""

    amount: float
    seconds: float

    @property
    def per_second(self) -> float:
        """The rate, in the counter's unit per second."""
        return self.amount / self.seconds


class Span(Noun):
    """A gauge over a window: its extremes, its `last` value, read `at`, and `area` (value times seconds) over `seconds`."""

    low: float
    high: float
    last: float
    at: datetime
    area: float
    seconds: float

    @property
    def average(self) -> float:
        """The mean over time."""
        return self.area / self.seconds


class Usual(Noun):
    """What is usual for a deployment: the median over `windows` ten-minute windows with requests, since `since`.

    `first_token_s` is the median time to first token in seconds.
    """

    first_token_s: float
    windows: int
    since: datetime


class Delta(Noun):
    """What happened between `since` and `until`, small enough to keep by the minute.

    What a server did not expose is absent, never 0; each metric knows for how many seconds it was seen, so gaps and metrics that
    came later do not dilute a rate. `seconds` is the time observed, without gaps. Merging is associative
    (`bot.statistics.windows`).
    """

    since: datetime
    until: datetime
    seconds: float
    counters: dict[str, Growth] = Field(default_factory=dict)
    gauges: dict[str, Span] = Field(default_factory=dict)
    histograms: dict[str, Histogram] = Field(default_factory=dict)
