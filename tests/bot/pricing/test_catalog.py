"""Prices out of catalogue SKUs, real ones and look-alikes."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.nouns import ProvisioningModel
from bot.pricing.catalog import Kind, prices, skus

RAW = json.loads((Path(__file__).parents[2] / "fixtures/prices/skus.json").read_text(encoding="utf-8"))["skus"]
AT = datetime(2026, 6, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sku_id", "generation", "kind", "regions", "usd"),
    [
        ("04C3-5B71-D137", "v5e", Kind.ON_DEMAND, ("asia-south2",), 1.44132),
        ("082F-763E-B398", "v5p", Kind.ON_DEMAND, ("southamerica-east1",), 6.430995),
        ("2549-F208-72FA", "v6e", Kind.ON_DEMAND, ("us-south1",), 2.70),
        ("0F71-4391-B6CA", "v7x", Kind.ON_DEMAND, ("us-west1", "us-central1", "us-east1"), 12.0),
        ("026F-E6A1-BDBB", "v5p", Kind.CALENDAR, ("asia-south2",), 2.94),
        ("0561-8741-3BC7", "v5e", Kind.SPOT, ("asia-southeast1",), 0.78),
        ("0115-21ED-7F03", "v5p", Kind.COMMITTED_3Y, ("europe-west4",), 1.911),
        ("MADE-FLEX-0001", "v6e", Kind.FLEX_START, ("us-east5",), 1.35),
        ("MADE-TIER-0005", "v6e", Kind.ON_DEMAND, ("europe-west3",), 3.0),
    ],
)
def test_each_sku_is_read_by_its_description_and_usage(
    sku_id: str, generation: str, kind: Kind, regions: tuple[str, ...], usd: float
) -> None:
    found = {sku.sku_id: sku for sku in skus(RAW)}[sku_id]
    assert (found.generation, found.kind, found.regions) == (generation, kind, regions)
    assert found.usd_per_chip_hour == pytest.approx(usd)


def test_look_alikes_are_left_out() -> None:
    ids = {sku.sku_id for sku in skus(RAW)}
    assert not ids & {"MADE-CAPO-0002", "MADE-LOOK-0003", "MADE-DISK-0004"}


def test_a_description_with_the_wrong_usage_type_is_left_out() -> None:
    wrong = json.loads(json.dumps(RAW[2]))
    wrong["category"]["usageType"] = "Preemptible"
    assert skus([wrong]) == ()


def test_prices_name_the_sku_and_leave_commitments_out() -> None:
    found = prices(skus(RAW), AT)
    flex = [price for price in found if price.provisioning is ProvisioningModel.FLEX_START]
    assert [(price.generation, price.region, price.usd_per_chip_hour) for price in flex] == [("v6e", "us-east5", 1.35)]
    assert "MADE-FLEX-0001" in flex[0].source
    assert all("0115-21ED-7F03" not in price.source for price in found)
    assert {price.at for price in found} == {AT}


def test_the_clients_spelling_reads_the_same() -> None:
    snake = {
        "sku_id": "A",
        "description": "TpuV6e running in Dallas",
        "category": {"resource_group": "TPU", "usage_type": "OnDemand"},
        "service_regions": ["us-south1"],
        "pricing_info": [
            {
                "pricing_expression": {
                    "usage_unit": "h",
                    "tiered_rates": [{"unit_price": {"currency_code": "USD", "units": 2, "nanos": 700_000_000}}],
                }
            }
        ],
    }
    assert skus([snake])[0].usd_per_chip_hour == pytest.approx(2.70)


@pytest.mark.parametrize(
    "money",
    [
        {"currencyCode": "EUR", "units": "2", "nanos": 0},
        {"currencyCode": "USD", "units": "0", "nanos": 0},
        {"currencyCode": "USD", "units": "two", "nanos": 0},
        {"currencyCode": "USD", "units": None, "nanos": "-1"},
    ],
)
def test_a_price_that_cannot_be_read_is_no_price(money: dict[str, object]) -> None:
    odd = json.loads(json.dumps(RAW[2]))
    odd["pricingInfo"][0]["pricingExpression"]["tieredRates"][0]["unitPrice"] = money
    assert skus([odd]) == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*RAW[0], *RAW[0]["category"]]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(list(RAW[0])), JSON))
def test_malformed_skus_are_left_out_and_never_raise(changes: dict[str, object]) -> None:
    for sku in skus([RAW[2] | changes]):
        assert sku.usd_per_chip_hour > 0
        assert sku.regions
