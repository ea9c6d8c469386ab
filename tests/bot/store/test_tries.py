"""What asking for capacity came to is kept by zone and kind, and all workers together ask no faster than Google lets them."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import ProvisioningModel, RefusalKind, Tried
from bot.store.tries import CREATES_PER_MINUTE, TryStore
from tests.doubles.ports import NOW

pytestmark = pytest.mark.wire
FLEX, SPOT = ProvisioningModel.FLEX_START, ProvisioningModel.SPOT


def tried(zone: str, kind: RefusalKind | None, minutes: float = 0) -> Tried:
    return Tried(zone=zone, slice="v6e-4", provisioning=FLEX, at=NOW + timedelta(minutes=minutes), refusal=kind)


async def test_the_newest_of_each_zone_and_kind_is_kept_and_kinds_and_slices_are_kept_apart(redis: Redis) -> None:
    store = TryStore(redis)
    for one in (tried("a-b1-c", RefusalKind.QUOTA), tried("a-b1-c", RefusalKind.QUOTA, 5), tried("a-b1-c", None, 9)):
        await store.remember("T1", one)
    assert [(one.refusal, one.at) for one in await store.all("T1", "v6e-4", FLEX)] == [
        (RefusalKind.QUOTA, NOW + timedelta(minutes=5)),
        (None, NOW + timedelta(minutes=9)),
    ]
    assert await store.all("T1", "v6e-4", SPOT) == ()
    assert await store.all("T1", "v6e-8", FLEX) == ()
    assert await store.all("T2", "v6e-4", FLEX) == ()


async def test_two_workers_together_get_no_more_places_than_a_minute_has(redis: Redis) -> None:
    one, other = TryStore(redis), TryStore(redis)
    got = await one.places(50) + await other.places(50)
    assert 0 < got <= CREATES_PER_MINUTE // 3 + 1
