"""Kinds of error as they are remembered: new once, the same for the same report, and not for ever."""

from datetime import UTC, datetime, timedelta

import pytest
from redis.asyncio import Redis

from bot.ports import Compared, LastReport
from bot.store import keys
from bot.store.known_errors import KEPT, MOST_KEPT, KnownErrorStore

pytestmark = pytest.mark.wire
START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


@pytest.fixture
def store(redis: Redis) -> KnownErrorStore:
    return KnownErrorStore(redis)


def minutes(after: float) -> datetime:
    return START + timedelta(minutes=after)


async def report(store: KnownErrorStore, name: str, after: float, *kinds: str) -> Compared:
    return await store.report("T1", "prod", name, minutes(after), 2 * len(kinds), kinds)


async def test_the_first_report_has_nothing_to_compare_with(store: KnownErrorStore) -> None:
    assert await store.last("T1", "prod") is None
    assert await report(store, "r1", 0, "a", "b") == Compared(new=("a", "b"), before=None)
    assert await store.last("T1", "prod") == LastReport(at=START, errors=4, new=None)


async def test_only_what_was_never_reported_is_new(store: KnownErrorStore) -> None:
    await report(store, "r1", 0, "a", "b")
    assert await report(store, "r2", 5, "b", "c") == Compared(new=("c",), before=START)
    assert await report(store, "r3", 9, "a", "b", "c") == Compared(new=(), before=minutes(5))
    assert await store.last("T1", "prod") == LastReport(at=minutes(9), errors=6, new=0)


async def test_a_report_that_is_carried_out_twice_says_the_same(store: KnownErrorStore) -> None:
    await report(store, "r1", 0, "a")
    first = await report(store, "r2", 5, "a", "b")
    assert await report(store, "r2", 6, "a", "b") == first == Compared(new=("b",), before=START)


async def test_a_quiet_report_is_a_report(store: KnownErrorStore) -> None:
    await report(store, "r1", 0)
    assert await report(store, "r2", 5, "a") == Compared(new=("a",), before=START)


async def test_what_was_not_reported_for_long_is_new_again(store: KnownErrorStore, redis: Redis) -> None:
    await report(store, "r1", 0, "a", "b")
    await report(store, "r2", 20 * 24 * 60, "b")
    late = KEPT.total_seconds() / 60 + 1
    await report(store, "r3", late)
    assert (await report(store, "r4", late + 1, "a", "b")).new == ("a",)
    assert 0 < await redis.ttl(keys.known_errors("T1", "prod")) <= KEPT.total_seconds()


async def test_a_storm_of_kinds_is_bounded_and_the_newest_stay(store: KnownErrorStore, redis: Redis) -> None:
    await report(store, "r1", 0, *(f"old{n}" for n in range(MOST_KEPT)))
    await report(store, "r2", 5, "fresh")
    assert await redis.hlen(keys.known_errors("T1", "prod")) <= MOST_KEPT + 6
    assert (await report(store, "r3", 6, "fresh")).new == ()


async def test_deployments_and_workspaces_are_kept_apart(store: KnownErrorStore) -> None:
    await report(store, "r1", 0, "a")
    assert (await store.report("T2", "prod", "r2", START, 1, ["a"])).before is None
    assert (await store.report("T1", "bench", "r2", START, 1, ["a"])).new == ("a",)
