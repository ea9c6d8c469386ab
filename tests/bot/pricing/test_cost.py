"""Money."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.nouns import Price, ProvisioningModel, Quantity, Slice
from bot.pricing import cost

AT = datetime(2026, 11, 20, tzinfo=UTC)
V6E_4 = Slice(name="v6e-4", generation="v6e", chips=4)
PRICE = Price(
    generation="v6e",
    region="us-east5",
    provisioning=ProvisioningModel.FLEX_START,
    usd_per_chip_hour=1.35,
    at=AT,
    source="list price",
)
HOURS = st.floats(0, 10_000)


def test_the_month_so_far_and_where_it_is_heading() -> None:
    so_far = cost.run(PRICE, V6E_4, 257)
    assert so_far.value == pytest.approx(1_387.80)
    heading = cost.forecast(so_far, 20, 30)
    assert heading is not None
    assert heading.value == pytest.approx(2_081.70)
    assert cost.idle(PRICE, V6E_4, 96).value == pytest.approx(518.40)


def test_an_hour_is_chips_times_price() -> None:
    assert cost.hourly(PRICE, V6E_4).value == pytest.approx(5.40)
    assert cost.hourly(PRICE, V6E_4).unit == "USD/h"
    eight_cores = Slice(name="v5p-8", generation="v5p", chips=4)
    assert cost.hourly(PRICE.model_copy(update={"usd_per_chip_hour": 4.2}), eight_cores).value == pytest.approx(16.8)


def test_the_worst_case_of_flex_is_its_longest_run_and_says_so() -> None:
    worst = cost.at_most(PRICE, V6E_4, 8)
    assert worst.value == pytest.approx(43.20)
    assert worst.source.startswith("at most, if it runs all 8 h")


def test_every_sum_carries_date_source_and_how_it_came() -> None:
    for figure in (
        cost.hourly(PRICE, V6E_4),
        cost.run(PRICE, V6E_4, 3),
        cost.month(PRICE, V6E_4),
        cost.per_million_tokens(PRICE, V6E_4, 900),
    ):
        assert isinstance(figure, Quantity)
        assert figure.at == AT
        assert "list price" in figure.source
        assert "invoice may differ" in figure.source


def test_tokens_cost_less_the_more_are_made() -> None:
    one, two = cost.per_million_tokens(PRICE, V6E_4, 500), cost.per_million_tokens(PRICE, V6E_4, 1_000)
    assert one is not None
    assert two is not None
    assert one.value == pytest.approx(3.0)
    assert two.value == pytest.approx(1.5)
    assert cost.per_million_tokens(PRICE, V6E_4, 0) is None


def test_shares_and_forecasts_without_a_basis_are_unknown() -> None:
    assert cost.idle_share(0, 0) is None
    assert cost.idle_share(96, 257) == pytest.approx(0.3735, abs=1e-4)
    assert cost.forecast(cost.run(PRICE, V6E_4, 1), 0.1, 30) is None


@pytest.mark.parametrize("hours", [-1.0, float("nan"), float("inf")])
def test_impossible_hours_are_refused(hours: float) -> None:
    with pytest.raises(UsageError):
        cost.run(PRICE, V6E_4, hours)


def test_contradicting_figures_are_refused() -> None:
    with pytest.raises(UsageError):
        cost.idle_share(5, 4)
    with pytest.raises(UsageError):
        cost.forecast(cost.run(PRICE, V6E_4, 1), 31, 30)


@given(HOURS, HOURS)
def test_longer_never_costs_less(one: float, other: float) -> None:
    short, long = sorted((one, other))
    assert 0 <= cost.run(PRICE, V6E_4, short).value <= cost.run(PRICE, V6E_4, long).value
    assert cost.run(PRICE, V6E_4, short).value + cost.run(PRICE, V6E_4, long).value == pytest.approx(
        cost.run(PRICE, V6E_4, short + long).value
    )
