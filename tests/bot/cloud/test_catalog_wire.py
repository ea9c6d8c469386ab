"""The price list over the wire, in pages, whole or not at all."""

import pytest

from bot.cloud.catalog import MOST_PAGES, BillingCatalog
from bot.errors import RetryLater
from bot.nouns import Price, ProvisioningModel, Zone
from bot.pricing.book import PriceBook
from bot.serving import slices
from sandbox.google.faults import Fault, FaultKind
from tests.bot.cloud.wired import NOW, Google

pytestmark = pytest.mark.wire
FLEX, SPOT, BOUGHT = ProvisioningModel.FLEX_START, ProvisioningModel.SPOT, ProvisioningModel.ON_DEMAND


async def read(google: Google, *, page_size: int = 5000) -> PriceBook:
    async with google.rest() as rest:
        return await BillingCatalog(rest, google.clock, page_size=page_size).price_book()


def price(book: PriceBook, slice_name: str, zone: str, kind: ProvisioningModel) -> Price | None:
    return book.price(slices.parse(slice_name), Zone(name=zone), kind)


@pytest.mark.parametrize(
    ("slice_name", "zone", "kind", "usd"),
    [
        ("v6e-4", "us-east5-a", FLEX, 1.35),
        ("v6e-4", "us-east5-a", SPOT, 1.4033),
        ("v6e-4", "us-east5-a", BOUGHT, 2.70),
        ("v6e-4", "europe-west4-a", BOUGHT, 2.97),
        ("v5litepod-4", "us-west4-a", FLEX, 0.60),
        ("v5p-8", "southamerica-east1-a", BOUGHT, 6.430995),
        ("v6e-4", "us-west4-a", FLEX, None),
        ("v5p-8", "us-east5-a", FLEX, None),
        ("v5p-8", "europe-west4-b", BOUGHT, None),
    ],
)
async def test_prices_are_those_of_the_list_and_none_is_made_up(
    wired: Google, slice_name: str, zone: str, kind: ProvisioningModel, usd: float | None
) -> None:
    found = price(await read(wired), slice_name, zone, kind)
    assert (found.usd_per_chip_hour if found else None) == (pytest.approx(usd) if usd else None)
    assert found is None or (found.at == NOW and "Cloud Billing Catalog" in found.source)


async def test_many_pages_give_the_same_as_one(wired: Google) -> None:
    whole = await read(wired)
    assert (await read(wired, page_size=17)).prices == whole.prices
    assert len(wired.calls("ListSkus")) == 1 + -(-(wired.standin.catalog.distractors + 24) // 17)


async def test_a_list_as_long_as_the_real_one_is_read_in_pages_of_five_thousand(wired: Google) -> None:
    few = await read(wired)
    wired.standin.catalog.distractors = 11_000
    assert sorted(map(str, (await read(wired)).prices)) == sorted(map(str, few.prices))
    assert len(wired.calls("ListSkus")) == 1 + 3


async def test_half_a_list_is_no_list(wired: Google) -> None:
    for nth in (2, 3, 4):
        wired.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, method="ListSkus", nth=nth))
    with pytest.raises(RetryLater):
        await read(wired, page_size=50)


async def test_a_list_without_tpus_is_told_and_not_taken_for_no_prices(wired: Google) -> None:
    wired.standin.catalog.rows = ()
    with pytest.raises(RetryLater, match="no TPU prices"):
        await read(wired)


async def test_a_list_that_does_not_end_is_given_up(wired: Google) -> None:
    with pytest.raises(RetryLater, match="did not end"):
        await read(wired, page_size=2)
    assert len(wired.calls("ListSkus")) == MOST_PAGES
