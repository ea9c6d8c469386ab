"""The SKUs that the Cloud Billing Catalog lists for Compute Engine: TPU prices, and much that looks like them.

The first seven are real (captured 14 June 2026); flex-start and spot prices follow what was read in August 2026; ids that begin
with SBX- are made up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

NAME = "services/6F81-5844-456A"
OLD_TPUS = "services/E000-3F24-B8AA"
"""The service "Cloud TPU", which only sells v2 to v4."""


@dataclass(frozen=True)
class SkuRow:
    """One SKU. `price` is USD with up to nine places, as text; the catalog writes it as units and nanos."""

    sku_id: str
    description: str
    usage: str
    regions: tuple[str, ...]
    price: str
    group: str = "TPU"
    unit: str = "h"


_AMERICAS = ("us-west1", "us-central1", "us-east1")
_V6E = ("us-east5", "us-central1", "us-east1")

ROWS: tuple[SkuRow, ...] = (
    SkuRow("04C3-5B71-D137", "TpuV5e running in Delhi", "OnDemand", ("asia-south2",), "1.44132"),
    SkuRow("082F-763E-B398", "TpuV5p running in Sao Paulo", "OnDemand", ("southamerica-east1",), "6.430995"),
    SkuRow("2549-F208-72FA", "TpuV6e running in Dallas", "OnDemand", ("us-south1",), "2.70"),
    SkuRow("0F71-4391-B6CA", "TPU7x running in Americas", "OnDemand", _AMERICAS, "12.00"),
    SkuRow("026F-E6A1-BDBB", "Reserved TpuV5p in Delhi in Calendar Mode", "OnDemand", ("asia-south2",), "2.94"),
    SkuRow(
        "0561-8741-3BC7",
        "TpuV5e attached to Spot Preemptible VMs running in Singapore",
        "Preemptible",
        ("asia-southeast1",),
        "0.78",
    ),
    SkuRow("0115-21ED-7F03", "Commitment v1: TpuV5p running in Netherlands for 3 Years", "Commit3Yr", ("europe-west4",), "1.911"),
    SkuRow("SBX-0001", "TpuV6e running in Americas", "OnDemand", _V6E, "2.70"),
    SkuRow("SBX-0002", "DWS Defined Duration V6e running in Americas", "OnDemand", _V6E, "1.35"),
    SkuRow("SBX-0003", "TpuV6e attached to Spot Preemptible VMs running in Columbus", "Preemptible", ("us-east5",), "1.4033"),
    SkuRow("SBX-0004", "TpuV6e running in Netherlands", "OnDemand", ("europe-west4",), "2.97"),
    SkuRow("SBX-0005", "DWS Defined Duration V6e running in Netherlands", "OnDemand", ("europe-west4",), "1.35"),
    SkuRow("SBX-0006", "TpuV6e running in Tokyo", "OnDemand", ("asia-northeast1",), "3.24"),
    SkuRow("SBX-0007", "DWS Defined Duration V6e running in Tokyo", "OnDemand", ("asia-northeast1",), "1.35"),
    SkuRow("SBX-0008", "TpuV5e running in Las Vegas", "OnDemand", ("us-west4",), "1.20"),
    SkuRow("SBX-0009", "DWS Defined Duration V5e running in Las Vegas", "OnDemand", ("us-west4",), "0.60"),
    SkuRow("SBX-0101", "Capacity Optimized TpuV6e running in Americas", "OnDemand", _V6E, "9.99"),
    SkuRow("SBX-0102", "TpuV6e Capacity Optimized running in Americas", "OnDemand", _V6E, "9.98"),
    SkuRow("SBX-0103", "Reserved V6e in Columbus in Calendar Mode", "OnDemand", ("us-east5",), "1.89"),
    SkuRow("SBX-0104", "Commitment v1: TpuV6e running in Americas for 1 Year", "Commit1Yr", _V6E, "1.89"),
    SkuRow("SBX-0105", "TpuV6e running in Americas", "OnDemand", _V6E, "0.00001", unit="GiBy.h"),
    SkuRow("SBX-0106", "TpuV6e running in Americas", "OnDemand", _V6E, "0.01", group="CPU"),
    SkuRow("SBX-0107", "TpuV6e running in Americas", "Preemptible", _V6E, "0.02"),
    SkuRow("SBX-0108", "Static Ip Charge", "OnDemand", _V6E, "0.005", group="IpAddress"),
)


def skus(rows: Sequence[SkuRow], distractors: int) -> Iterator[dict[str, Any]]:
    """The rows scattered among so many SKUs of virtual machines, as the real list mixes them."""
    step = max(1, distractors // max(1, len(rows)))
    waiting = iter(rows)
    for number in range(distractors):
        if number % step == 0 and (row := next(waiting, None)) is not None:
            yield _shown(row)
        yield _shown(_machine(number))
    yield from map(_shown, waiting)


def _machine(number: int) -> SkuRow:
    kind = ("N2 Instance Core", "E2 Instance Ram", "Spot Preemptible N2D Instance Core", "Nvidia L4 GPU")[number % 4]
    group = ("CPU", "RAM", "CPU", "GPU")[number % 4]
    return SkuRow(f"SBX-M{number:05d}", f"{kind} running in Americas", "OnDemand", ("us-east5",), "0.031611", group)


def _shown(row: SkuRow) -> dict[str, Any]:
    """A SKU as REST writes it: int64 as text, zeros left out."""
    units, _, places = row.price.partition(".")
    money: dict[str, Any] = {"currencyCode": "USD", "units": units}
    if int(places or "0"):
        money["nanos"] = int(places.ljust(9, "0"))
    rates = [{"startUsageAmount": 0, "unitPrice": money}]
    return {
        "name": f"{NAME}/skus/{row.sku_id}",
        "skuId": row.sku_id,
        "description": row.description,
        "category": {
            "serviceDisplayName": "Compute Engine",
            "resourceFamily": "Compute",
            "resourceGroup": row.group,
            "usageType": row.usage,
        },
        "serviceRegions": list(row.regions),
        "pricingInfo": [
            {"summary": "", "pricingExpression": {"usageUnit": row.unit, "displayQuantity": 1, "tieredRates": rates}}
        ],
        "serviceProviderName": "Google",
    }
