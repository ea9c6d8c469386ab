"""A month as one result."""

from datetime import UTC, datetime

import pytest

from bot.errors import UsageError
from bot.nouns import Price, ProvisioningModel, Slice
from bot.pricing.report import report

V6E_4, V6E_1 = Slice(name="v6e-4", generation="v6e", chips=4), Slice(name="v6e-1", generation="v6e", chips=1)
PRICE = Price(
    generation="v6e",
    region="us-east5",
    provisioning=ProvisioningModel.FLEX_START,
    usd_per_chip_hour=1.35,
    at=datetime(2026, 11, 20, tzinfo=UTC),
    source="list price",
)


def test_november_so_far() -> None:
    got = report(V6E_4, PRICE, hours=257, days_gone=20, days_in_month=30, idle_hours=96, tokens=4.5e9)
    assert got.so_far is not None
    assert got.heading_for is not None
    assert got.idle is not None
    assert got.per_million_tokens is not None
    assert (got.so_far.value, got.heading_for.value, got.idle.value) == pytest.approx((1_387.8, 2_081.7, 518.4))
    assert got.per_million_tokens.value == pytest.approx(1_387.8 / 4_500)
    assert got.idle_share == pytest.approx(96 / 257)


def test_four_single_chips_cost_what_one_slice_of_four_does() -> None:
    four = report(V6E_1, PRICE, hours=10, days_gone=5, days_in_month=30, count=4)
    one = report(V6E_4, PRICE, hours=10, days_gone=5, days_in_month=30)
    assert four.per_hour is not None
    assert one.per_hour is not None
    assert four.per_hour.value == pytest.approx(one.per_hour.value)
    assert four.per_hour.source.startswith("4 slices x ")


def test_what_is_not_known_stays_none() -> None:
    got = report(V6E_4, PRICE, hours=10, days_gone=0.1, days_in_month=30)
    assert (got.idle, got.idle_share, got.heading_for, got.per_million_tokens) == (None, None, None, None)


def test_without_a_price_the_reason_stands_and_no_figure() -> None:
    got = report(V6E_4, None, hours=10, days_gone=5, days_in_month=30, idle_hours=2, unpriced="the price list has no v6e")
    assert (got.per_hour, got.so_far, got.heading_for, got.idle, got.per_million_tokens) == (None,) * 5
    assert got.unpriced == "the price list has no v6e"
    assert got.idle_share == pytest.approx(0.2)


def test_no_slice_at_all_is_refused() -> None:
    with pytest.raises(UsageError):
        report(V6E_4, PRICE, hours=1, days_gone=1, days_in_month=30, count=0)
