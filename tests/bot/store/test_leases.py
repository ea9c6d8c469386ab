"""The ends of our machines: the soonest first, one a machine, forgotten with it."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.ports import Lease
from bot.store.leases import LeaseStore
from tests.doubles.ports import NOW

pytestmark = pytest.mark.wire


def lease(machine: str, hours: float) -> Lease:
    return Lease(
        machine=machine,
        zone="us-east5-a",
        request=machine,
        ends_at=NOW + timedelta(hours=hours),
        owner="U1BEN",
        work="machine-1",
    )


async def test_ends_are_listed_the_soonest_first(redis: Redis) -> None:
    store = LeaseStore(redis)
    await store.put("T1", lease("late", 8))
    await store.put("T1", lease("soon", 1))
    await store.put("T2", lease("elsewhere", 1))
    assert [one.machine for one in await store.all("T1")] == ["soon", "late"]


async def test_a_later_end_of_the_same_machine_replaces_the_first_and_goes_with_it(redis: Redis) -> None:
    store = LeaseStore(redis)
    await store.put("T1", lease("prod-1", 8))
    await store.put("T1", lease("prod-1", 9))
    assert [one.ends_at for one in await store.all("T1")] == [NOW + timedelta(hours=9)]
    await store.drop("T1", "us-east5-a", "prod-1")
    assert await store.all("T1") == ()
