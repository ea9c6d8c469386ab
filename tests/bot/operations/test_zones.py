"""`zones`: four gates, each zone out for the first that is shut, and what nobody can know said as unknown."""

import pytest

from bot.errors import NotConnectedError, RetryLater, UsageError
from bot.nouns import Quota
from bot.operations.command_line import parse
from bot.operations.execute import Outcome, execute
from bot.operations.zones import ZONES
from bot.view import Line, Shape, plain
from tests.doubles.ports import DANA, NOW, House
from tests.doubles.sights import PROD
from tests.doubles.works import Works

ALL = ("us-central1-b", "us-east5-a", "us-east5-b", "us-west4-a")


def quota(place: str, limit: int | None, used: int | None = None, *, unlimited: bool = False) -> Quota:
    return Quota(
        quota_id="TPUV6EPreemptiblePerProjectPerZoneForTPUAPI",
        place=place,
        unit="chips",
        limit=limit,
        used=used,
        unlimited=unlimited,
        at=NOW,
        source="Cloud Quotas",
    )


def works() -> Works:
    made = Works((ZONES,))
    made.yard.names = ALL
    made.yard.has = {"us-west4-a": False}
    made.yard.limits = {zone: (quota(zone, 64), quota(zone[:-2], 32)) for zone in ALL}
    made.yard.limits["us-east5-b"] = (quota("us-east5-b", 0), quota("us-east5", 32))
    return made


def lines(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


async def test_zones_that_can_be_asked_come_with_price_and_the_quota_that_decides_and_the_others_with_their_gate() -> None:
    assert lines(await works().say("zones v6e-4 flex", DANA)) == [
        "1 of 4 zones can be asked for a v6e-4 flex-start",
        "us-east5-a $5.40/h · quota 32 chips in us-east5, use unknown",
        "Out, no v6e-4 there: us-west4-a",
        "Out, flex-start was refused there in August 2026: us-central1-b",
        "Out, quota too small: us-east5-b",
        "Not known before asking: whether a zone sells it that way now, and whether it has capacity.",
    ]


async def test_a_refused_way_of_buying_is_not_held_against_another() -> None:
    found = await works().say("zones v6e-4 spot", DANA)
    assert plain(found.view.verdict) == "2 of 4 zones can be asked for a v6e-4 spot"


async def test_each_zone_has_a_line_behind_details_with_the_ids_of_its_quotas() -> None:
    details: tuple[Line, ...] = (await works().say("zones v6e-4", DANA)).view.details
    assert len(details) == len(ALL)
    assert "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI 64 in us-east5-a" in plain(details[0])
    assert any("quota of us-east5-b is 0 chips, 4 needed" in plain(one) for one in details)


async def test_an_unknown_quota_or_hardware_is_unknown_and_keeps_nobody_out() -> None:
    made = works()
    made.yard.limits["us-east5-a"] = (quota("us-east5-a", None), quota("us-east5", None))
    made.yard.has["us-east5-a"] = None
    assert lines(await made.say("zones v6e-4", DANA))[1] == "us-east5-a $5.40/h · hardware and quota unknown"


async def test_no_limit_is_said_and_used_chips_count() -> None:
    made = works()
    made.yard.limits["us-east5-a"] = (quota("us-east5-a", None, unlimited=True),) * 2
    assert "no limit" in lines(await made.say("zones v6e-4", DANA))[1]
    made.yard.limits["us-east5-a"] = (quota("us-east5-a", 8, used=6), quota("us-east5", 64))
    found = await made.say("zones v6e-4", DANA)
    assert plain(found.view.verdict) == "No zone can be asked for a v6e-4 flex-start · looked at 4 zones"
    assert found.view.shape is Shape.BAD


async def test_a_look_up_that_fails_is_said_and_the_other_still_counts() -> None:
    made = works()
    made.yard.errors["quotas"] = [RetryLater("Google Cloud did not answer in time while reading the project's TPU quotas.")]
    found = lines(await made.say("zones v6e-4", DANA))
    assert "quota unknown" in found[1]
    assert found[-2].startswith("Google Cloud did not answer in time")
    made.yard.errors = {"quotas": [RetryLater("no")], "offered": [RetryLater("no")]}
    with pytest.raises(RetryLater, match="Neither"):
        await made.say("zones v6e-4", DANA)


async def test_without_a_slice_that_of_the_channels_deployment_is_meant_and_v5p_counts_cores() -> None:
    made = works()
    made.house.names.known = [PROD.model_copy(update={"accelerator": "v6e-8"})]
    assert "v6e-8" in lines(await made.say("zones", DANA))[0]
    made.yard.limits = {zone: (quota(zone, 12),) for zone in ALL}
    assert "16 needed" in " ".join(plain(one) for one in (await made.say("zones v5p-16", DANA)).view.details)
    with pytest.raises(UsageError):
        await made.say("zones v9e-4", DANA)


async def test_where_only_looking_is_possible_it_says_what_to_set() -> None:
    house = House()
    with pytest.raises(NotConnectedError, match="GOOGLE_CLOUD_PROJECT"):
        await execute((ZONES,), house.services, house.request("zones"))


@pytest.mark.parametrize("word", ["flex", "flex-start", "Spot", "on-demand", "ondemand"])
def test_ways_of_buying_are_known_by_their_form(word: str) -> None:
    parsed = parse((ZONES,), f"zones v6e-4 {word}")
    assert parsed.arguments.model_dump()["provisioning"][:2].lower() == word[:2].lower()
