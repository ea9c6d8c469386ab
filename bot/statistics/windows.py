"""From two scrapes to what happened between them, and from minutes to hours."""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeVar

from bot.nouns import EngineSample, Histogram
from bot.nouns.base import Noun
from bot.nouns.window import Delta, Growth, Span
from bot.statistics.histogram import Percentile, add, growth, mean, percentile

CLOCK_JITTER_S = 2.0
"""Start times closer than this are one process: the start is computed from the boot time, which moves when a clock is set."""


T = TypeVar("T")


class Discarded(Noun):
    """Two scrapes that do not make a window, and why, in words for people."""

    reason: str


def between(before: EngineSample, after: EngineSample) -> Delta | Discarded:
    """What happened between two scrapes; Discarded when the engine restarted or the scrapes are not in order.

    A restart shows in another start time, another model, or in any counter or histogram that fell (counters only ever grow
    until a restart, prometheus.io/docs, metric types). A metric that only one scrape has is left out: its growth is unknown.
    """
    seconds = (after.at - before.at).total_seconds()
    reason = "the second reading is not later than the first" if seconds <= 0 else _restart(before, after)
    if reason:
        return Discarded(reason=reason)
    return Delta(
        since=before.at,
        until=after.at,
        seconds=seconds,
        counters={
            name: Growth(amount=value - before.counters[name], seconds=seconds)
            for name, value in after.counters.items()
            if name in before.counters
        },
        gauges={
            name: _span(before.gauges[name], value, after.at, seconds)
            for name, value in after.gauges.items()
            if name in before.gauges
        },
        histograms=_observed(before, after),
    )


def _span(first: float, last: float, at: datetime, seconds: float) -> Span:
    area = (first + last) / 2 * seconds
    return Span(low=min(first, last), high=max(first, last), last=last, at=at, area=area, seconds=seconds)


def _observed(before: EngineSample, after: EngineSample) -> dict[str, Histogram]:
    pairs = ((name, growth(before.histograms[name], new)) for name, new in after.histograms.items() if name in before.histograms)
    return {name: observed for name, observed in pairs if observed is not None}


def _restart(before: EngineSample, after: EngineSample) -> str:
    """Why these two scrapes are not of one engine run; empty when they are."""
    if before.model_name and after.model_name and before.model_name != after.model_name:
        return f"the engine changed its model from {before.model_name} to {after.model_name}"
    if before.started_at and after.started_at:
        moved = (after.started_at - before.started_at).total_seconds()
        if abs(moved) > CLOCK_JITTER_S:
            return "the engine restarted between the readings"
    fallen = [name for name, value in after.counters.items() if value < before.counters.get(name, value)]
    fallen += [name for name, new in after.histograms.items() if _fell(before.histograms.get(name), new)]
    return f"the engine restarted between the readings ({fallen[0]} fell)" if fallen else ""


def _fell(before: Histogram | None, after: Histogram) -> bool:
    if before is None:
        return False
    old = dict(before.buckets)
    return after.count < before.count or any(below < old.get(bound, below) for bound, below in after.buckets)


def merge(one: Delta, other: Delta) -> Delta:
    """Two windows of one engine as one, for instance minutes as an hour, in any order. Times and amounts add up."""
    return Delta(
        since=min(one.since, other.since),
        until=max(one.until, other.until),
        seconds=one.seconds + other.seconds,
        counters=_united(one.counters, other.counters, _add_growth),
        gauges=_united(one.gauges, other.gauges, _add_span),
        histograms=_united(one.histograms, other.histograms, add),
    )


def _united(one: Mapping[str, T], other: Mapping[str, T], both: Callable[[T, T], T]) -> dict[str, T]:
    either = {**one, **other}
    return {name: both(one[name], other[name]) if name in one and name in other else either[name] for name in either}


def _add_growth(one: Growth, other: Growth) -> Growth:
    return Growth(amount=one.amount + other.amount, seconds=one.seconds + other.seconds)


def _add_span(one: Span, other: Span) -> Span:
    at, last = max((one.at, one.last), (other.at, other.last))
    return Span(
        low=min(one.low, other.low),
        high=max(one.high, other.high),
        last=last,
        at=at,
        area=one.area + other.area,
        seconds=one.seconds + other.seconds,
    )


def grown(delta: Delta, counter: str) -> Growth | None:
    """Growth of a counter, or of a whole labelled family `counter.<label>` together; None when it was not exposed.

    Amounts add up; the time is the longest for which a member was seen, since vLLM exposes all labels from the start.
    """
    if counter in delta.counters:
        return delta.counters[counter]
    members = [growth for name, growth in delta.counters.items() if name.startswith(counter + ".")]
    if not members:
        return None
    return Growth(amount=sum(growth.amount for growth in members), seconds=max(growth.seconds for growth in members))


def rate(delta: Delta, counter: str) -> float | None:
    """Growth per second (requests/s, tokens/s, ...) of a counter or a labelled family; None when it was not exposed."""
    found = grown(delta, counter)
    return found.per_second if found and found.seconds > 0 else None


def share(delta: Delta, part: str, whole: str) -> float | None:
    """Growth of one counter over that of another, 0..1; None when either is absent or the whole did not grow.

    The prefix-cache hit share is `share(delta, hits, queries)`: vLLM counts both in tokens. Also None when the two were not
    seen for the same time, for then they do not belong together.
    """
    top, bottom = grown(delta, part), grown(delta, whole)
    if top is None or bottom is None or bottom.amount <= 0 or not math.isclose(top.seconds, bottom.seconds):
        return None
    return top.amount / bottom.amount


def average(delta: Delta, histogram: str) -> float | None:
    """Mean of the observations within the window, in the histogram's unit; None without any."""
    found = delta.histograms.get(histogram)
    return mean(found) if found else None


def quantile(delta: Delta, histogram: str, q: float) -> Percentile | None:
    """The `q` quantile of the observations within the window; None when the metric is absent or nothing was observed."""
    found = delta.histograms.get(histogram)
    return percentile(found, q) if found else None
