"""The interval of a share, against values worked out by hand."""

import pytest

from bot.statistics.proportion import wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (8, 10, 0.4902, 0.9433)],
)
def test_it_agrees_with_published_values(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-4)


def test_no_trial_tells_nothing_and_more_successes_than_trials_are_a_mistake():
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="3 successes of 2"):
        wilson(3, 2)
