"""Looking prices up."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.nouns import Price, ProvisioningModel, Slice, Zone
from bot.pricing.book import PriceBook, book

AT = datetime(2026, 11, 20, tzinfo=UTC)
FLEX, SPOT, ON_DEMAND = ProvisioningModel.FLEX_START, ProvisioningModel.SPOT, ProvisioningModel.ON_DEMAND
V6E_4 = Slice(name="v6e-4", generation="v6e", chips=4)


def price(generation: str, region: str, how: ProvisioningModel, usd: float, source: str = "catalogue") -> Price:
    return Price(generation=generation, region=region, provisioning=how, usd_per_chip_hour=usd, at=AT, source=source)


BOOK = book(
    [price("v6e", "us-east5", FLEX, 1.35), price("v6e", "us-east5", ON_DEMAND, 2.70), price("v5e", "us-west4", SPOT, 0.6)]
)


def test_the_region_of_the_zone_decides() -> None:
    found = BOOK.price(V6E_4, Zone(name="us-east5-b"), FLEX)
    assert found is not None
    assert found.usd_per_chip_hour == 1.35


@pytest.mark.parametrize(
    ("piece", "zone", "how", "words"),
    [
        (Slice(name="v5p-8", generation="v5p", chips=4), "us-east5-a", FLEX, "no v5p"),
        (V6E_4, "us-west1-c", FLEX, "no v6e in us-west1"),
        (V6E_4, "us-east5-a", SPOT, "only flex-start, on-demand"),
    ],
)
def test_a_missing_price_is_unknown_and_says_why(piece: Slice, zone: str, how: ProvisioningModel, words: str) -> None:
    assert BOOK.price(piece, Zone(name=zone), how) is None
    reason = BOOK.reason(piece, Zone(name=zone), how)
    assert reason is not None
    assert words in reason


def test_a_known_price_needs_no_reason_and_an_empty_book_says_so() -> None:
    assert BOOK.reason(V6E_4, Zone(name="us-east5-a"), FLEX) is None
    assert PriceBook(prices=()).reason(V6E_4, Zone(name="us-east5-a"), FLEX) == "no price list was read"


def test_the_higher_of_two_prices_for_the_same_thing_holds() -> None:
    twice = book(
        [price("v6e", "us-east5", FLEX, 1.35), price("v6e", "us-east5", FLEX, 1.50), price("v6e", "us-east5", FLEX, 1.40)]
    )
    assert [one.usd_per_chip_hour for one in twice.prices] == [1.50]


def test_a_live_book_comes_before_the_snapshot_and_the_snapshot_fills_gaps() -> None:
    live = book([price("v6e", "us-east5", FLEX, 1.40, "live")])
    both = live.over(BOOK)
    flex, on_demand = both.price(V6E_4, Zone(name="us-east5-a"), FLEX), both.price(V6E_4, Zone(name="us-east5-a"), ON_DEMAND)
    assert flex is not None
    assert on_demand is not None
    assert (flex.source, on_demand.source) == ("live", "catalogue")


def test_cheapest_first_over_all_regions() -> None:
    assert [one.usd_per_chip_hour for one in BOOK.cheapest(V6E_4)] == [1.35, 2.70]
    assert [one.provisioning for one in BOOK.cheapest(V6E_4, ON_DEMAND)] == [ON_DEMAND]


@given(st.lists(st.tuples(st.sampled_from(["v6e", "v5e"]), st.sampled_from(["us-east5", "us-west4"]), st.floats(0.1, 20))))
def test_a_price_and_a_reason_exclude_each_other(rows: list[tuple[str, str, float]]) -> None:
    made = book(price(generation, region, FLEX, usd) for generation, region, usd in rows)
    zone = Zone(name="us-east5-a")
    assert (made.price(V6E_4, zone, FLEX) is None) == (made.reason(V6E_4, zone, FLEX) is not None)
