"""Reads TPU prices out of Cloud Billing Catalog SKUs.

Rules (seen in SKU samples of 14 June 2026 and public notes of August 2026): resource group "TPU", service "Compute Engine"
(6F81-5844-456A; the service "Cloud TPU" only holds v2 to v4). Several kinds share the usage type "OnDemand", so the description
decides, anchored at its start. The price is the last tier of the last pricing info, units + nanos / 1e9, per hour of one chip
(TPU7x: per chip is assumed). Both JSON spellings (REST camelCase, client snake_case) are read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from bot.nouns import Noun, Price, ProvisioningModel

CATALOG_SOURCE = "Cloud Billing Catalog, list price"
SERVICE = "services/6F81-5844-456A"
"""The billing service to list: Compute Engine."""


class Kind(StrEnum):
    """How a SKU sells chips."""

    ON_DEMAND = "on-demand"
    FLEX_START = "flex-start"
    SPOT = "spot"
    CALENDAR = "calendar"
    COMMITTED_1Y = "committed 1 year"
    COMMITTED_3Y = "committed 3 years"


class Sku(Noun):
    """One TPU SKU: USD per chip-hour in every one of `regions`."""

    sku_id: str
    generation: str
    kind: Kind
    regions: tuple[str, ...]
    usd_per_chip_hour: float


_GENERATION = r"(?:Tpu|TPU)?(V5e|V5p|V6e|7x)"
_RULES: tuple[tuple[Kind, re.Pattern[str], frozenset[str]], ...] = (
    (Kind.ON_DEMAND, re.compile(rf"^(?=Tpu|TPU){_GENERATION} running in "), frozenset({"OnDemand"})),
    (Kind.FLEX_START, re.compile(rf"^DWS Defined Duration {_GENERATION} running in "), frozenset({"OnDemand"})),
    (Kind.SPOT, re.compile(rf"^(?=Tpu|TPU){_GENERATION} attached to Spot Preemptible VMs"), frozenset({"Preemptible"})),
    (Kind.CALENDAR, re.compile(rf"^Reserved {_GENERATION} .*Calendar Mode"), frozenset({"OnDemand"})),
    (Kind.COMMITTED_1Y, re.compile(rf"^Commitment v1: {_GENERATION} "), frozenset({"Commit1Yr"})),
    (Kind.COMMITTED_3Y, re.compile(rf"^Commitment v1: {_GENERATION} "), frozenset({"Commit3Yr"})),
)
_MODELS: dict[Kind, ProvisioningModel] = {
    Kind.ON_DEMAND: ProvisioningModel.ON_DEMAND,
    Kind.FLEX_START: ProvisioningModel.FLEX_START,
    Kind.SPOT: ProvisioningModel.SPOT,
    Kind.CALENDAR: ProvisioningModel.RESERVED,
}
_REGION = re.compile(r"[a-z]+(?:-[a-z]+)+\d{1,3}", re.ASCII)


def skus(raw: Iterable[Mapping[str, object]]) -> tuple[Sku, ...]:
    """The TPU SKUs among `raw` (JSON objects of one or more catalog pages). What is not understood is left out, never guessed."""
    return tuple(found for one in raw if (found := _sku(one)) is not None)


def prices(found: Iterable[Sku], at: datetime, source: str = CATALOG_SOURCE) -> tuple[Price, ...]:
    """One Price for each region of each SKU, dated `at`. Commitments are no way to get a machine and are left out."""
    return tuple(
        Price(
            generation=sku.generation,
            region=region,
            provisioning=_MODELS[sku.kind],
            usd_per_chip_hour=sku.usd_per_chip_hour,
            at=at,
            source=f"{source} (SKU {sku.sku_id})",
        )
        for sku in found
        if sku.kind in _MODELS
        for region in sku.regions
    )


def _sku(raw: Mapping[str, object]) -> Sku | None:
    """One SKU, or None when it sells no TPU chips by the hour."""
    category = _mapping(_either(raw, "category"))
    if _either(category, "resourceGroup", "resource_group") != "TPU":
        return None
    description, usage = str(raw.get("description", "")), str(_either(category, "usageType", "usage_type"))
    kind = _kind(description, usage)
    rate = _rate(raw)
    regions = tuple(
        str(one) for one in _sequence(_either(raw, "serviceRegions", "service_regions")) if _REGION.fullmatch(str(one))
    )
    if kind is None or rate is None or not regions:
        return None
    return Sku(
        sku_id=str(_either(raw, "skuId", "sku_id") or "unknown"),
        generation=kind[1],
        kind=kind[0],
        regions=regions,
        usd_per_chip_hour=rate,
    )


def _kind(description: str, usage: str) -> tuple[Kind, str] | None:
    """(how it sells, generation) by the anchored description and the usage type that goes with it."""
    if "Capacity Optimized" in description:
        return None
    for kind, rule, usages in _RULES:
        match = rule.match(description)
        if match and usage in usages:
            return kind, "v7x" if match[1] == "7x" else match[1].lower()
    return None


def _rate(raw: Mapping[str, object]) -> float | None:
    """USD per hour: last pricing info, last tier. None for other units or currencies, missing parts, or a price of 0."""
    infos = _sequence(_either(raw, "pricingInfo", "pricing_info"))
    expression = _mapping(_either(_mapping(infos[-1]), "pricingExpression", "pricing_expression")) if infos else {}
    tiers = _sequence(_either(expression, "tieredRates", "tiered_rates"))
    if not tiers or _either(expression, "usageUnit", "usage_unit") != "h":
        return None
    money = _mapping(_either(_mapping(tiers[-1]), "unitPrice", "unit_price"))
    if _either(money, "currencyCode", "currency_code") not in {"USD", None, ""}:
        return None
    units, nanos = _whole(money.get("units")), _whole(money.get("nanos"))
    if units is None or nanos is None:
        return None
    value = units + nanos / 1e9
    return value if value > 0 else None


def _whole(value: object) -> int | None:
    """A whole number from JSON: REST writes int64 as text and leaves out zeros."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return None


def _either(holder: Mapping[str, object], *names: str) -> object:
    return next((holder[name] for name in names if name in holder), None)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
