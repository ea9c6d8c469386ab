"""Percentiles, means and sums of cumulative histograms, and how certain they are."""

import itertools
import math
from collections.abc import Sequence
from enum import StrEnum

from bot.nouns import Histogram
from bot.nouns.base import Noun

Buckets = Sequence[tuple[float, float]]


class Resolution(StrEnum):
    """How well the buckets resolve a percentile. The words may be shown to people."""

    BETWEEN_BOUNDS = "between two bounds"
    FIRST_BUCKET = "within the first bucket"
    ABOVE_LAST_BOUND = "above the last bound"


class Percentile(Noun):
    """A percentile read off buckets, in the histogram's unit. The truth lies between `low` and `high`.

    `value` is the linear interpolation between them and None when it lies above the last finite bound (then `high` is None too
    and `low` is that bound). `n` counts the observations. FIRST_BUCKET means that `value` is arithmetic, not measurement: with
    a first bound of 10 ms, latencies of 1 ms and of 9 ms look the same.
    """

    q: float
    value: float | None
    low: float
    high: float | None
    n: float
    resolution: Resolution


def percentile(histogram: Histogram, q: float) -> Percentile | None:
    """The `q` quantile (0 < q <= 1), interpolated linearly inside its bucket; None when nothing was observed.

    Same formula as `histogram_quantile` of Prometheus (prometheus.io/docs, functions), except that a rank in +Inf gives no
    value instead of the last bound. ValueError for a `q` outside its range.
    """
    if not 0 < q <= 1:
        raise ValueError(f"a quantile lies above 0 and at most at 1, not {q}")
    total = histogram.buckets[-1][1] if histogram.buckets else 0.0
    if total <= 0:
        return None
    rank = q * total
    index = next(i for i, (_, below) in enumerate(histogram.buckets) if below >= rank)
    return _inside(histogram.buckets, index, q, rank)


def _inside(buckets: Buckets, index: int, q: float, rank: float) -> Percentile:
    n = buckets[-1][1]
    high, reached = buckets[index]
    low, before = buckets[index - 1] if index else (min(0.0, high), 0.0)
    if math.isinf(high):
        low = low if index else 0.0
        return Percentile(q=q, value=None, low=low, high=None, n=n, resolution=Resolution.ABOVE_LAST_BOUND)
    value = low + (high - low) * (rank - before) / (reached - before)
    resolution = Resolution.BETWEEN_BOUNDS if index else Resolution.FIRST_BUCKET
    return Percentile(q=q, value=value, low=low, high=high, n=n, resolution=resolution)


def mean(histogram: Histogram) -> float | None:
    """Sum over count, in the histogram's unit; None when nothing was observed."""
    return histogram.sum / histogram.count if histogram.count > 0 else None


def add(one: Histogram, other: Histogram) -> Histogram:
    """Both together. Where the bounds differ, only those that both have remain: coarser, and still exact.

    Cumulative counts at a shared bound add up without any assumption; bounds of one side alone would need a guess. Associative
    and commutative, so engines and minutes may be added in any order.
    """
    right = dict(other.buckets)
    shared = tuple((bound, below + right[bound]) for bound, below in one.buckets if bound in right)
    return Histogram(buckets=shared, sum=one.sum + other.sum, count=one.count + other.count)


def growth(before: Histogram, after: Histogram) -> Histogram | None:
    """What was observed between two scrapes of the same histogram; None when they are not of one unbroken series.

    That is: another set of bounds, a count that fell, or buckets that do not ascend.
    """
    if [bound for bound, _ in before.buckets] != [bound for bound, _ in after.buckets] or after.count < before.count:
        return None
    grown = tuple((bound, new - old) for (bound, new), (_, old) in zip(after.buckets, before.buckets, strict=True))
    counts = [0.0, *(count for _, count in grown)]
    if any(later < earlier for earlier, later in itertools.pairwise(counts)):
        return None
    return Histogram(buckets=grown, sum=after.sum - before.sum, count=after.count - before.count)
