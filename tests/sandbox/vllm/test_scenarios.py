"""The distributions say what the moments of the messages say."""

import pytest

from sandbox.vllm.scenarios import BUSY, QUIET, SATURATED, SCENARIOS, Quantiles


def test_a_quantile_function_is_straight_between_its_points_and_flat_beyond() -> None:
    quantiles = Quantiles(((0.1, 10.0), (0.5, 20.0), (1.0, 70.0)))
    assert [quantiles.at(share) for share in (0.0, 0.1, 0.3, 0.5, 0.75, 1.0)] == [10, 10, 15, 20, 45, 70]


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda s: s.name)
def test_all_distributions_ascend(scenario: object) -> None:
    for name in ("ttft", "itl", "queue", "prompt", "answer"):
        points = getattr(scenario, name).points
        assert list(points) == sorted(points), name
        assert [value for _, value in points] == sorted(value for _, value in points), name
        assert (points[0][0], points[-1][0]) == (0.0, 1.0), name


def test_the_first_token_usually_takes_as_long_as_the_messages_say() -> None:
    assert QUIET.ttft.at(0.9) == BUSY.ttft.at(0.9) == 0.41
    assert SATURATED.ttft.at(0.9) == 2.9


@pytest.mark.parametrize("scenario", [QUIET, BUSY], ids=lambda s: s.name)
def test_requests_running_fit_arrivals_times_duration(scenario: object) -> None:
    """Little's law, within a third: the scenario is one that a server could be in."""
    s = QUIET if scenario is QUIET else BUSY
    mean = [sum(getattr(s, name).at((i + 0.5) / 200) for i in range(200)) / 200 for name in ("ttft", "itl", "answer")]
    assert s.requests_per_s * (mean[0] + mean[1] * mean[2]) == pytest.approx(s.running, rel=0.33)
