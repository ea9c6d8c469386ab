"""Changes as they are kept: once each, within bounds, whoever looks and however often."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import Happened, Look
from bot.store import keys
from bot.store.happenings import KEPT, MOST_KEPT, HappeningStore

pytestmark = pytest.mark.wire

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


@pytest.fixture
def store(redis: Redis) -> HappeningStore:
    return HappeningStore(redis)


def look(after_s: float, version: str = "0.26.0", began_s: float = -3600) -> Look:
    at, began = (START + timedelta(seconds=after) for after in (after_s, began_s))
    return Look(at=at, answers=True, started_at=began, version=version)


async def kinds(store: HappeningStore, since: datetime = START - KEPT) -> list[Happened]:
    return [one.kind for one in await store.since("T1", "prod", since, 100)]


async def test_before_the_first_look_nothing_is_known(store: HappeningStore) -> None:
    assert await store.watched("T1", "prod") is None
    assert await kinds(store) == []


async def test_changes_come_back_whole_and_the_newest_first(store: HappeningStore) -> None:
    await store.note("T1", "prod", look(0))
    noted = [one for at in (30, 60) for one in await store.note("T1", "prod", look(at, version=f"0.{at}"))]
    assert await store.since("T1", "prod", START, 10) == tuple(reversed(noted))
    assert await store.since("T1", "prod", START, 1) == (noted[1],)
    assert await store.since("T1", "prod", START + timedelta(seconds=60), 10) == (noted[1],)
    watched = await store.watched("T1", "prod")
    assert watched is not None
    assert (watched.since, watched.at, watched.version) == (START, START + timedelta(seconds=60), "0.60")


async def test_a_look_that_is_replayed_is_noted_once(store: HappeningStore) -> None:
    await store.note("T1", "prod", look(0))
    assert len(await store.note("T1", "prod", look(30, began_s=20))) == 1
    assert await store.note("T1", "prod", look(30, began_s=20)) == ()
    assert await store.note("T1", "prod", look(0)) == ()
    assert await kinds(store) == [Happened.RESTARTED]


async def test_two_clocks_at_once_note_a_change_once(store: HappeningStore, redis: Redis) -> None:
    await store.note("T1", "prod", look(0))
    clocks = [HappeningStore(redis) for _ in range(6)]
    found = await asyncio.gather(*(one.note("T1", "prod", look(30 + n / 10, began_s=20)) for n, one in enumerate(clocks)))
    assert sum(map(len, found)) == 1
    assert await kinds(store) == [Happened.RESTARTED]


async def test_what_another_clock_wrote_meanwhile_is_compared_anew(store: HappeningStore, redis: Redis) -> None:
    await store.note("T1", "prod", look(0))
    seen = await redis.get(keys.watched("T1", "prod"))
    await store.note("T1", "prod", look(30, version="0.32.0"))
    known = await store.watched("T1", "prod")
    assert known is not None
    names = [keys.watched("T1", "prod"), keys.happenings("T1", "prod")]
    assert not await store._write(names, seen, known.model_copy(update={"version": "stale"}), ())
    assert await store.watched("T1", "prod") == known


async def test_at_most_so_many_are_kept_and_the_newest_stay(store: HappeningStore, redis: Redis) -> None:
    for n in range(MOST_KEPT + 20):
        await store.note("T1", "prod", look(30 * n, version=f"0.{n}"))
    assert await redis.zcard(keys.happenings("T1", "prod")) == MOST_KEPT
    (newest,) = await store.since("T1", "prod", START, 1)
    assert newest.moves[0].after == f"0.{MOST_KEPT + 19}"


async def test_old_ones_are_dropped_and_nothing_lives_for_ever(store: HappeningStore, redis: Redis) -> None:
    await store.note("T1", "prod", look(0))
    await store.note("T1", "prod", look(30, version="0.32.0"))
    later = KEPT.total_seconds() - 60
    await store.note("T1", "prod", look(later))
    assert await kinds(store) == [Happened.VERSION, Happened.VERSION]
    await store.note("T1", "prod", look(later + 120))
    assert await kinds(store) == [Happened.VERSION]
    for name in (keys.watched("T1", "prod"), keys.happenings("T1", "prod")):
        assert 0 < await redis.ttl(name) <= KEPT.total_seconds()


async def test_deployments_and_workspaces_are_kept_apart(store: HappeningStore) -> None:
    await store.note("T1", "prod", look(0))
    await store.note("T1", "prod", look(30, version="0.32.0"))
    assert await store.since("T2", "prod", START, 10) == ()
    assert await store.since("T1", "bench", START, 10) == ()
    assert await store.watched("T1", "bench") is None
