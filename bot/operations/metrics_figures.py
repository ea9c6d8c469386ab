"""What windows of history say: rates, percentiles with their bounds, cache and queue. Pure."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial, reduce

from pydantic import BaseModel

from bot.nouns import Delta, Quantity
from bot.nouns.window import Span
from bot.statistics.histogram import Percentile
from bot.statistics.windows import average, grown, merge, quantile, rate, share

SOURCE = "vLLM /metrics"
QUANTILES = (0.5, 0.9, 0.99)
POINTS = 60
"""Points of a line in the chart: more cannot be seen on a phone, and wider slots make steadier percentiles."""

MINUTE_S = 60.0
GAP_WIDTHS = 2.5
"""Slots further apart than this are not joined by a line: windows end a little early or late, but not by more than a slot."""

Points = tuple[tuple[float, float | None], ...]


class Latency(BaseModel):
    """One histogram of seconds: its percentiles (None: nothing was observed), in the order of `QUANTILES`, and the mean."""

    name: str
    percentiles: tuple[Percentile | None, ...]
    mean: Quantity | None

    @property
    def observed(self) -> float | None:
        """How many observations there were; None when the metric is absent."""
        return next((one.n for one in self.percentiles if one is not None), None)


class Gauge(BaseModel):
    """A gauge over the time that was seen."""

    average: Quantity
    low: float
    high: float


class Figures(BaseModel):
    """One column. None is unknown: the engine did not expose it, or nothing happened that could be measured.

    `since` and `until` are the ends of what was seen, `seen_s` the seconds seen between them, `asked_s` the seconds asked for.
    Preemptions and prefix hits are counts and a share of looked-up tokens.
    """

    since: datetime
    until: datetime
    seen_s: float
    asked_s: float
    requests_per_s: Quantity | None
    prompt_tokens_per_s: Quantity | None
    answer_tokens_per_s: Quantity | None
    latencies: tuple[Latency, ...]
    cache: Gauge | None
    running: Gauge | None
    waiting: Gauge | None
    preemptions: Quantity | None
    prefix_hits: Quantity | None

    def latency(self, name: str) -> Latency | None:
        """The latency of this name."""
        return next((one for one in self.latencies if one.name == name), None)


def figures(windows: Sequence[Delta], asked: timedelta) -> Figures | None:
    """All windows as one column; None when there are none."""
    if not windows:
        return None
    whole = reduce(merge, windows)

    def known(value: float | None, unit: str) -> Quantity | None:
        return None if value is None else Quantity(value=value, unit=unit, at=whole.until, source=SOURCE)

    preempted = grown(whole, "preemptions")
    return Figures(
        since=whole.since,
        until=whole.until,
        seen_s=whole.seconds,
        asked_s=asked.total_seconds(),
        requests_per_s=known(rate(whole, "requests_finished"), "requests/s"),
        prompt_tokens_per_s=known(_plain_rate(whole, "prompt_tokens"), "tokens/s"),
        answer_tokens_per_s=known(_plain_rate(whole, "generation_tokens"), "tokens/s"),
        latencies=tuple(_latency(whole, name, known) for name in ("ttft", "itl", "e2e")),
        cache=_gauge(whole, "kv_cache_usage", "share"),
        running=_gauge(whole, "running", "requests"),
        waiting=_gauge(whole, "waiting", "requests"),
        preemptions=known(preempted.amount if preempted else None, "preemptions"),
        prefix_hits=known(share(whole, "prefix_cache_hits", "prefix_cache_queries"), "share"),
    )


def _plain_rate(whole: Delta, counter: str) -> float | None:
    """A counter's own growth: its labelled family counts the same tokens again by source."""
    found = whole.counters.get(counter)
    return found.per_second if found is not None and found.seconds > 0 else None


def _latency(whole: Delta, name: str, known: Callable[[float | None, str], Quantity | None]) -> Latency:
    found = tuple(quantile(whole, name, q) for q in QUANTILES)
    return Latency(name=name, percentiles=found, mean=known(average(whole, name), "s"))


def _gauge(whole: Delta, name: str, unit: str) -> Gauge | None:
    span: Span | None = whole.gauges.get(name)
    if span is None or span.seconds <= 0:
        return None
    mean = Quantity(value=span.average, unit=unit, at=span.at, source=SOURCE)
    return Gauge(average=mean, low=span.low, high=span.high)


def first_token_lines(windows: Sequence[Delta]) -> tuple[tuple[str, Points], ...]:
    """The p50 and p90 of the time to first token, slot by slot, in seconds."""
    slots = _slots(windows)
    return tuple((f"first token p{q * 100:.0f}", _line(slots, partial(_value, q=q))) for q in (0.5, 0.9))


def load_lines(windows: Sequence[Delta]) -> tuple[tuple[str, Points], ...]:
    """Requests running and waiting, slot by slot, as averages."""
    slots = _slots(windows)
    return tuple((name, _line(slots, partial(_mean, name=name))) for name in ("running", "waiting"))


def _value(window: Delta, q: float) -> float | None:
    found = quantile(window, "ttft", q)
    return found.value if found is not None else None


def _mean(window: Delta, name: str) -> float | None:
    span = window.gauges.get(name)
    return span.average if span is not None and span.seconds > 0 else None


def _slots(windows: Sequence[Delta]) -> list[tuple[float, Delta | None]]:
    """(end in epoch seconds, what happened), about `POINTS` of them; None in the middle of a time in which nothing was seen."""
    if not windows:
        return []
    first, last = windows[0].until.timestamp(), windows[-1].until.timestamp()
    width = max(MINUTE_S, (last - first) / POINTS, *((one.until - one.since).total_seconds() for one in windows))
    inside: dict[int, Delta] = {}
    for window in windows:
        index = int((window.until.timestamp() - first) // width)
        inside[index] = merge(inside[index], window) if index in inside else window
    slots: list[tuple[float, Delta | None]] = []
    for _, window in sorted(inside.items()):
        at = window.until.timestamp()
        if slots and at - slots[-1][0] > GAP_WIDTHS * width:
            slots.append(((at + slots[-1][0]) / 2, None))
        slots.append((at, window))
    return slots


def _line(slots: Sequence[tuple[float, Delta | None]], read: Callable[[Delta], float | None]) -> Points:
    return tuple((at, None if window is None else read(window)) for at, window in slots)
