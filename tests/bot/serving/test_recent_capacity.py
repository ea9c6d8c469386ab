"""What is remembered of asking for capacity: each refusal for its own time; and where to ask first."""

from datetime import datetime, timedelta

import pytest

from bot.nouns import ProvisioningModel, RefusalKind, Tried
from bot.serving.recent_capacity import LIVES, WORKED_LIFE, Candidate, closed_until, holding, ranked, worked
from bot.serving.regions import PLACES, distance_km
from tests.doubles.ports import NOW


def tried(zone: str, kind: RefusalKind | None, at: datetime = NOW) -> Tried:
    return Tried(zone=zone, slice="v6e-4", provisioning=ProvisioningModel.FLEX_START, at=at, refusal=kind, took_s=None)


@pytest.mark.parametrize("kind", list(RefusalKind))
def test_a_refusal_holds_for_its_time_and_not_longer(kind: RefusalKind) -> None:
    said = [tried("us-east5-a", kind)]
    assert holding(said, "us-east5-a", NOW + LIVES[kind] - timedelta(seconds=1)) == said[0]
    assert holding(said, "us-east5-a", NOW + LIVES[kind]) is None
    assert holding(said, "us-east5-b", NOW) is None


def test_what_google_must_build_holds_for_weeks_a_quota_for_hours_capacity_for_minutes() -> None:
    order = [RefusalKind.STOCKOUT, RefusalKind.QUOTA, RefusalKind.MODEL_REFUSED]
    assert [LIVES[one] for one in order] == sorted(LIVES[one] for one in order)
    assert LIVES[RefusalKind.STOCKOUT] < timedelta(hours=1) < LIVES[RefusalKind.QUOTA] < timedelta(days=1)


def test_a_machine_that_came_since_voids_a_refusal_and_a_refusal_since_does_not_void_the_machine() -> None:
    earlier = NOW - timedelta(hours=1)
    voided = [tried("us-east5-a", RefusalKind.MODEL_REFUSED, earlier), tried("us-east5-a", None)]
    assert closed_until(voided, "us-east5-a") is None
    since = [tried("us-east5-a", None, earlier), tried("us-east5-a", RefusalKind.STOCKOUT)]
    assert closed_until(since, "us-east5-a") == NOW + LIVES[RefusalKind.STOCKOUT]
    assert worked(since, "us-east5-a", NOW) == since[0]
    assert worked(since, "us-east5-a", earlier + WORKED_LIFE) is None


def test_what_worked_comes_first_then_the_cheaper_then_the_nearer_and_what_is_closed_last() -> None:
    zones = ("asia-northeast1-b", "europe-west4-a", "us-central1-a", "us-east5-a", "us-east5-b", "us-south1-a")
    prices: dict[str, float | None] = dict.fromkeys(zones, 5.4)
    prices["us-central1-a"], prices["us-south1-a"] = 5.0, None
    said = [tried("europe-west4-a", None), tried("us-east5-b", RefusalKind.STOCKOUT)]
    found = ranked([Candidate(zone, prices[zone]) for zone in zones], said, "us-east5", NOW)
    assert [one.zone for one in found] == [
        "europe-west4-a",
        "us-central1-a",
        "us-east5-a",
        "asia-northeast1-b",
        "us-south1-a",
        "us-east5-b",
    ]


def test_distances_are_those_of_a_map_and_unknown_for_what_is_not_on_it() -> None:
    assert distance_km("us-east5", "us-east5") == 0
    across = distance_km("us-east5", "europe-west4")
    near = distance_km("us-east5", "us-east4")
    assert across is not None
    assert near is not None
    assert 5_500 < across < 7_500
    assert 200 < near < 700
    assert distance_km("us-east5", "moon-north1") is None
    assert all(-90 <= lat <= 90 and -180 <= lon <= 180 for lat, lon in PLACES.values())
