"""How certain repeated measurements are, and whether two sets of runs differ."""

import math
import statistics
from collections.abc import Callable, Sequence
from random import Random

from bot.nouns.base import Noun

RESAMPLES = 2000
"""Enough for the ends of a 95 % range to settle (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13)."""
_T_975 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Student's t at 97.5 % for 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2)."""
_Z_975 = 1.960
_NORMAL = statistics.NormalDist()
Statistic = Callable[[Sequence[float]], float]


class Interval(Noun):
    """A statistic with its 95 % range, in the unit of the `n` samples."""

    value: float
    low: float
    high: float
    n: int


class Change(Noun):
    """What changed from one set of runs to another, as a share of before (0.09 is +9 %).

    `low` and `high` bound it with 95 %; both are None when either side has fewer than 2 runs, for then nothing says how much runs
    scatter. `change` is None when the mean before is 0.
    """

    change: float | None
    low: float | None
    high: float | None
    runs_before: int
    runs_after: int

    @property
    def detectable(self) -> bool | None:
        """Whether the range leaves out 0; None when there is no range."""
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0

    def words(self) -> str:
        """For people: `no change detectable` or `+9 % (95 % range 6 to 12)`; a minus is written as one."""
        if self.detectable is None or self.change is None or self.low is None or self.high is None:
            return "not known: at least 2 runs of each are needed"
        spread = f"95 % range {self.low * 100:.0f} to {self.high * 100:.0f}"
        return f"{self.change * 100:+.0f} % ({spread})" if self.detectable else f"no change detectable ({spread} %)"


def interval(samples: Sequence[float], statistic: Statistic = statistics.fmean, *, seed: int = 0) -> Interval | None:
    """The statistic's 95 % range by the BCa bootstrap (Efron 1987, JASA 82); None with fewer than 2 samples.

    Same seed, same range. ValueError when a sample is no finite number. With few samples the range of a mean is widened to
    Student's t, since a bootstrap of n values is too narrow by about sqrt((n-1)/n) (Hesterberg 2015, American Statistician 69).
    """
    _finite(samples)
    if len(samples) < 2:
        return None
    value = statistic(samples)
    random = Random(seed)  # noqa: S311 - a reproducible simulation, no secret
    drawn = sorted(statistic(random.choices(samples, k=len(samples))) for _ in range(RESAMPLES))
    low, high = (_at(drawn, share) for share in _bca_shares(samples, statistic, value, drawn))
    if statistic is statistics.fmean:
        half = _t(len(samples) - 1) * statistics.stdev(samples) / math.sqrt(len(samples))
        low, high = min(low, value - half), max(high, value + half)
    return Interval(value=value, low=min(low, value), high=max(high, value), n=len(samples))


def _bca_shares(samples: Sequence[float], statistic: Statistic, value: float, drawn: Sequence[float]) -> tuple[float, float]:
    """Which shares of the bootstrap distribution are the ends, corrected for bias and, by the jackknife, for skew."""
    below = sum(x < value for x in drawn) + sum(x == value for x in drawn) / 2
    bias = _NORMAL.inv_cdf(min(max(below / len(drawn), 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    left_out = [statistic([*samples[:i], *samples[i + 1 :]]) for i in range(len(samples))]
    centre = statistics.fmean(left_out)
    squares = sum((centre - x) ** 2 for x in left_out)
    skew = sum((centre - x) ** 3 for x in left_out) / (6 * squares**1.5) if squares > 0 else 0.0

    def share(z: float) -> float:
        return _NORMAL.cdf(bias + (bias + z) / (1 - skew * (bias + z)))

    return share(-_Z_975), share(_Z_975)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, max(0, round(share * (len(ordered) - 1))))]


def noise_band(runs: Sequence[float]) -> float | None:
    """By what share of the mean the next equal run may miss it with 95 %: the prediction interval of repeated runs.

    t · s · sqrt(1 + 1/n) / mean (NIST/SEMATECH e-Handbook, 8.1.10). None with fewer than 2 runs or a mean of 0.
    """
    _finite(runs)
    if len(runs) < 2 or statistics.fmean(runs) == 0:
        return None
    scatter = statistics.stdev(runs) * math.sqrt(1 + 1 / len(runs))
    return _t(len(runs) - 1) * scatter / abs(statistics.fmean(runs))


def compare(before: Sequence[float], after: Sequence[float], *, seed: int = 0) -> Change:
    """How the mean of a positive measure changed between two sets of runs, with its 95 % range.

    The range is the wider of a bootstrap of both sets and Welch's t (1947, Biometrika 34) on the logarithm of the ratio by the
    delta method: with 3 runs a side a bootstrap alone claims too much. ValueError for negative or non-finite runs.
    """
    _finite([*before, *after])
    if any(x < 0 for x in (*before, *after)):
        raise ValueError("a measure of a run is never negative")
    old = statistics.fmean(before) if before else 0.0
    change = statistics.fmean(after) / old - 1 if old > 0 and after else None
    if change is not None and not math.isfinite(change):
        change = None
    if change is None or len(before) < 2 or len(after) < 2 or change <= -1:
        return Change(change=change, low=None, high=None, runs_before=len(before), runs_after=len(after))
    welch, drawn = _welch(before, after), _resampled(before, after, seed)
    low, high = min(welch[0], drawn[0], change), max(welch[1], drawn[1], change)
    return Change(change=change, low=low, high=high, runs_before=len(before), runs_after=len(after))


def _resampled(before: Sequence[float], after: Sequence[float], seed: int) -> tuple[float, float]:
    random = Random(seed)  # noqa: S311 - a reproducible simulation, no secret
    changes: list[float] = []
    for _ in range(RESAMPLES):
        old = statistics.fmean(random.choices(before, k=len(before)))
        new = statistics.fmean(random.choices(after, k=len(after)))
        if old > 0:
            changes.append(new / old - 1)
    changes.sort()
    return _at(changes, 0.025), _at(changes, 0.975)


def _welch(before: Sequence[float], after: Sequence[float]) -> tuple[float, float]:
    """The range of the change from the scatter of both sets; degrees of freedom by Welch and Satterthwaite."""
    parts = [((statistics.stdev(runs) / statistics.fmean(runs)) ** 2 / len(runs), len(runs) - 1) for runs in (before, after)]
    error = sum(part for part, _ in parts)
    log_ratio = math.log(statistics.fmean(after)) - math.log(statistics.fmean(before))
    if error == 0:
        return math.expm1(log_ratio), math.expm1(log_ratio)
    freedom = error**2 / sum(part**2 / n for part, n in parts if part > 0)
    half = min(_t(math.floor(freedom)) * math.sqrt(error), 700.0)
    return math.expm1(log_ratio - half), math.expm1(min(log_ratio + half, 700.0))


def _t(freedom: int) -> float:
    """Student's t at 97.5 %; beyond the table its first-order tail, which is at most 0.1 % too wide."""
    return _T_975[max(freedom, 1) - 1] if freedom <= len(_T_975) else _Z_975 + 2.5 / freedom


def _finite(samples: Sequence[float]) -> None:
    if not all(math.isfinite(x) for x in samples):
        raise ValueError("a run that has no finite number cannot be compared")
