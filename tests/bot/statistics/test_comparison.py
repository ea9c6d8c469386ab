"""Ranges cover the truth, repeat with their seed, and noise is not called a change."""

import math
import statistics
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.statistics.comparison import Change, compare, interval, noise_band


def test_the_range_of_a_mean_covers_the_truth_about_95_times_in_100() -> None:
    rng = Random(7)
    covered = 0
    for trial in range(150):
        found = interval([rng.gauss(100, 8) for _ in range(4)], seed=trial)
        assert found is not None
        covered += found.low <= 100 <= found.high
    assert covered >= 150 * 0.91


def test_equal_systems_are_called_different_at_most_1_time_in_14() -> None:
    rng = Random(3)
    wrong = 0
    for trial in range(150):
        before, after = ([rng.gauss(50, 2) for _ in range(3)] for _ in range(2))
        wrong += bool(compare(before, after, seed=trial).detectable)
    assert wrong <= 150 / 14


def test_a_clear_change_is_found_with_its_range() -> None:
    found = compare([100, 101, 99], [109, 110, 108])
    assert found.detectable
    assert found.change == pytest.approx(0.09)
    assert found.low is not None
    assert found.high is not None
    assert 0.05 < found.low < 0.09 < found.high < 0.13
    assert found.words().startswith("+9 % (95 % range ")


def test_noise_is_no_change() -> None:
    found = compare([100, 110, 90], [104, 95, 108])
    assert found.detectable is False
    assert found.words().startswith("no change detectable")


def test_one_run_each_says_nothing_about_chance() -> None:
    found = compare([100], [150])
    assert found == Change(change=0.5, low=None, high=None, runs_before=1, runs_after=1)
    assert found.detectable is None
    assert "2 runs" in found.words()


def test_without_runs_or_from_zero_the_change_is_unknown() -> None:
    assert compare([], [1.0, 2.0]).change is None
    assert compare([0.0, 0.0], [1.0, 2.0]).change is None
    assert interval([1.0]) is None
    assert noise_band([1.0]) is None
    assert noise_band([0.0, 0.0]) is None


def test_the_noise_band_is_the_prediction_interval() -> None:
    assert noise_band([98, 100, 102]) == pytest.approx(4.303 * 2 * math.sqrt(4 / 3) / 100)


def test_the_same_seed_gives_the_same_range() -> None:
    samples = [1.0, 4.0, 2.0, 8.0, 5.0]
    assert interval(samples, statistics.median, seed=5) == interval(samples, statistics.median, seed=5)


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [math.inf, 1.0]])
def test_numbers_that_are_none_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        interval(bad)
    with pytest.raises(ValueError, match="finite"):
        compare(bad, [1.0, 2.0])


def test_negative_measures_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        compare([-1.0, 2.0], [1.0, 2.0])


runs = st.lists(st.floats(0, 1e6), min_size=2, max_size=5)


@settings(deadline=None, max_examples=25)
@given(runs, runs)
def test_a_range_always_holds_its_change(before: list[float], after: list[float]) -> None:
    found = compare(before, after)
    if found.change is not None and found.low is not None and found.high is not None:
        assert found.low <= found.change <= found.high


def test_the_smallest_numbers_there_are_do_no_harm() -> None:
    assert compare([5e-324, 5e-324], [1e6, 2e6]).change is None
    assert compare([1e-300, 3e-300], [2e-300, 2e-300]).detectable is False
