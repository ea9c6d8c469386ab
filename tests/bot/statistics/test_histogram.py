"""Percentiles off buckets carry their uncertainty."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.nouns import Histogram
from bot.statistics.histogram import Resolution, add, growth, mean, percentile


def histogram(*pairs: tuple[float, float], total: float = 0.0) -> Histogram:
    return Histogram(buckets=pairs, sum=total, count=pairs[-1][1])


TTFT = histogram((0.1, 10), (0.25, 30), (0.5, 38), (math.inf, 40), total=9.0)


def test_a_percentile_is_interpolated_and_names_its_bounds() -> None:
    median = percentile(TTFT, 0.5)
    assert median is not None
    assert median.value == pytest.approx(0.175)
    assert (median.low, median.high, median.n, median.resolution) == (0.1, 0.25, 40, Resolution.BETWEEN_BOUNDS)


def test_the_first_bucket_is_said_to_be_unresolvable() -> None:
    low = percentile(TTFT, 0.1)
    assert low is not None
    assert (low.low, low.high, low.resolution) == (0.0, 0.1, Resolution.FIRST_BUCKET)


def test_a_rank_above_the_last_bound_has_no_value() -> None:
    high = percentile(TTFT, 0.99)
    assert high is not None
    assert (high.value, high.low, high.high) == (None, 0.5, None)
    assert high.resolution == "above the last bound"


def test_nothing_observed_is_unknown_and_never_zero() -> None:
    empty = histogram((0.1, 0), (math.inf, 0))
    assert percentile(empty, 0.5) is None
    assert mean(empty) is None
    assert percentile(Histogram(buckets=(), sum=0, count=0), 0.5) is None


def test_the_mean_is_sum_over_count() -> None:
    assert mean(TTFT) == pytest.approx(0.225)


@pytest.mark.parametrize("q", [0, -0.1, 1.1, math.nan])
def test_a_quantile_outside_its_range_is_refused(q: float) -> None:
    with pytest.raises(ValueError, match="quantile"):
        percentile(TTFT, q)


def test_different_bounds_leave_only_the_shared_ones() -> None:
    other = histogram((0.1, 1), (0.3, 5), (0.5, 6), (math.inf, 7), total=2.0)
    both = add(TTFT, other)
    assert both.buckets == ((0.1, 11), (0.5, 44), (math.inf, 47))
    assert (both.sum, both.count) == (11.0, 47)


def test_other_bounds_or_a_fallen_count_are_not_one_series() -> None:
    assert growth(TTFT, histogram((0.1, 20), (math.inf, 50))) is None
    assert growth(TTFT, histogram((0.1, 1), (0.25, 2), (0.5, 3), (math.inf, 4))) is None


bounds = st.sets(st.integers(1, 40), max_size=6)


@st.composite
def histograms(draw: st.DrawFn) -> Histogram:
    edges = [*sorted(draw(bounds)), math.inf]
    steps = draw(st.lists(st.integers(0, 50), min_size=len(edges), max_size=len(edges)))
    counts = [float(sum(steps[: i + 1])) for i in range(len(edges))]
    return Histogram(
        buckets=tuple(zip(map(float, edges), counts, strict=True)), sum=float(draw(st.integers(0, 999))), count=counts[-1]
    )


@given(histograms(), histograms(), histograms())
def test_adding_is_associative_and_commutative(a: Histogram, b: Histogram, c: Histogram) -> None:
    assert add(add(a, b), c) == add(a, add(b, c))
    assert add(a, b) == add(b, a)


@given(histograms(), st.floats(0.01, 1))
def test_a_percentile_lies_within_its_bounds(h: Histogram, q: float) -> None:
    found = percentile(h, q)
    assert (found is None) == (h.count == 0)
    if found and found.value is not None:
        assert found.high is not None
        assert found.low <= found.value <= found.high * (1 + 1e-12)


@given(histograms(), histograms())
def test_what_was_added_is_found_again_as_growth(a: Histogram, b: Histogram) -> None:
    both = add(a, b)
    shared = {bound for bound, _ in both.buckets}
    narrow = Histogram(buckets=tuple(p for p in a.buckets if p[0] in shared), sum=a.sum, count=a.count)
    grown = growth(narrow, both)
    assert grown is not None
    assert grown.buckets == tuple(p for p in b.buckets if p[0] in shared)
