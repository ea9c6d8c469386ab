"""Limits of the right quota, in the zone and in its region; what nobody says is unknown."""

from typing import Any

import pytest

from bot.cloud.quotas import CloudQuotas, limit_in, units_of
from bot.errors import PersonMovesNext
from bot.nouns import ProvisioningModel, Quota
from bot.serving import slices
from sandbox.google.faults import Fault, FaultKind
from tests.bot.cloud.wired import NOW, Google

FLEX, SPOT, BOUGHT = ProvisioningModel.FLEX_START, ProvisioningModel.SPOT, ProvisioningModel.ON_DEMAND
V6E = slices.parse("v6e-4")
HERE = {"zone": "us-east5-a", "region": "us-east5"}


async def asked(google: Google, slice_name: str, kind: ProvisioningModel, *zones: str) -> dict[str, tuple[Quota, ...]]:
    async with google.rest() as rest:
        return await CloudQuotas(rest, google.clock).quotas(slices.parse(slice_name), kind, zones)


@pytest.mark.wire
@pytest.mark.parametrize(("kind", "limit", "word"), [(FLEX, 64, "Preemptible"), (SPOT, 64, "Preemptible"), (BOUGHT, 8, "V6EPer")])
async def test_flex_and_spot_spend_the_preemptible_quota_in_zone_and_region(
    wired: Google, kind: ProvisioningModel, limit: int, word: str
) -> None:
    zone, region = (await asked(wired, "v6e-4", kind, "us-east5-a"))["us-east5-a"]
    assert (zone.limit, zone.place, region.limit, region.place) == (limit, "us-east5-a", limit, "us-east5")
    assert word in zone.quota_id
    assert "PerZone" in zone.quota_id
    assert "PerRegion" in region.quota_id
    assert (zone.unit, zone.used, zone.at, zone.source) == ("chips", None, NOW, "Cloud Quotas")
    assert not zone.rules_out(limit)
    assert zone.rules_out(limit + 1)


@pytest.mark.wire
async def test_a_nought_is_a_nought_although_google_leaves_it_out(wired: Google) -> None:
    zone, region = (await asked(wired, "v6e-4", FLEX, "asia-northeast1-b"))["asia-northeast1-b"]
    assert (zone.limit, region.limit) == (0, 64)
    assert zone.rules_out(1)


@pytest.mark.wire
async def test_all_zones_cost_two_calls(wired: Google) -> None:
    found = await asked(wired, "v6e-4", FLEX, *wired.project.zones)
    assert set(found) == set(wired.project.zones)
    assert len(wired.standin.faults.calls) == 2


@pytest.mark.wire
async def test_the_default_of_many_places_and_no_limit_are_told_apart_from_unknown(wired: Google) -> None:
    unlimited, _ = (await asked(wired, "v5litepod-4", FLEX, "us-west4-a"))["us-west4-a"]
    assert (unlimited.unlimited, unlimited.limit, unlimited.rules_out(10_000)) == (True, None, False)
    unknown, _ = (await asked(wired, "v6e-4", FLEX, "us-foo1-a"))["us-foo1-a"]
    assert (unknown.unlimited, unknown.limit, unknown.rules_out(10_000)) == (False, None, False)


@pytest.mark.wire
async def test_where_nobody_knows_which_quota_it_is_none_is_shown(wired: Google) -> None:
    assert await asked(wired, "tpu7x-4", FLEX, "us-central1-c") == {"us-central1-c": ()}
    assert await asked(wired, "v6e-4", ProvisioningModel.RESERVED, "us-east5-a") == {"us-east5-a": ()}
    assert wired.standin.faults.calls == []


@pytest.mark.wire
async def test_a_missing_role_is_named(wired: Google) -> None:
    wired.standin.faults.plan(Fault(FaultKind.PERMISSION_DENIED, method="GetQuotaInfo"))
    with pytest.raises(PersonMovesNext) as caught:
        await asked(wired, "v6e-4", FLEX, "us-east5-a")
    assert "roles/cloudquotas.viewer" in caught.value.telling.next_step


@pytest.mark.wire
async def test_an_id_that_cloud_quotas_does_not_know_is_unknown_and_not_nought(wired: Google) -> None:
    wired.project.quotas.unlisted |= {f"TPUV6EPreemptiblePerProjectPer{place}ForTPUAPI" for place in ("Zone", "Region")}
    for quota in (await asked(wired, "v6e-4", FLEX, "us-east5-a"))["us-east5-a"]:
        assert (quota.limit, quota.unlimited) == (None, False)


def info(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"dimensionsInfos": list(entries)}


def entry(value: object = "4", places: tuple[str, ...] = (), **dimensions: str) -> dict[str, Any]:
    return {"dimensions": dimensions, "details": {"value": value}, "applicableLocations": list(places)}


@pytest.mark.parametrize(
    ("found", "limit"),
    [
        (info(entry("4", zone="us-east5-a")), 4),
        (info(entry("9", ("us-east5-a",)), entry("4", zone="us-east5-a")), 4),
        (info(entry("4", zone="us-east5-a"), entry("9", ("us-east5-a",))), 4),
        (info(entry("9", ("us-east5-a",))), 9),
        (info(entry("9", ("us-east5-b",))), None),
        (info(entry("9")), None),
        (info(entry("4", zone="us-east5-b")), None),
        (info(entry("4", region="us-east5")), 4),
        (info(entry("4", region="us-east5"), entry("7", region="us-east5", zone="us-east5-a")), 7),
        (info(entry("4", zone="us-east5-a", tpu_family="CT6E")), None),
        (info(entry("-1", zone="us-east5-a")), -1),
        (info({"dimensions": {"zone": "us-east5-a"}, "details": {}}), 0),
        (info({"dimensions": {"zone": "us-east5-a"}}), None),
        (info(entry("many", zone="us-east5-a")), None),
        (info(entry(None, zone="us-east5-a")), None),
        ({}, None),
    ],
)
def test_the_entry_that_speaks_most_closely_of_the_place_holds(found: dict[str, Any], limit: int | None) -> None:
    assert limit_in(found, HERE, "us-east5-a") == limit


@pytest.mark.parametrize(("slice_name", "units"), [("v6e-4", 4), ("v5litepod-8", 8), ("v5p-8", 8)])
def test_a_slice_counts_chips_but_v5p_counts_cores(slice_name: str, units: int) -> None:
    assert units_of(slices.parse(slice_name)) == units


def test_what_is_used_already_leaves_less_room() -> None:
    quota = Quota(quota_id="q", place="z", unit="chips", limit=8, used=6, at=NOW, source="s")
    assert not quota.rules_out(2)
    assert quota.rules_out(3)
