"""What the clock saw, by the minute and by ten; a gap stays a gap, and a restart makes no window."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from redis.asyncio import Redis

from bot.nouns import EngineSample
from bot.statistics.windows import quantile
from bot.store import keys
from bot.store.history import SCRAPES_KEPT, HistoryStore, NoHistory
from tests.doubles.sights import first_tokens

pytestmark = pytest.mark.wire

START = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@pytest.fixture
def history(redis: Redis) -> HistoryStore:
    return HistoryStore(redis)


def seen(after_s: float, finished: float | None = None, first_s: float = 0.4) -> EngineSample:
    """A scrape so long after START; one request a second has finished unless told otherwise."""
    n = after_s if finished is None else finished
    counters = {"requests_finished.stop": n}
    return EngineSample(at=START + timedelta(seconds=after_s), counters=counters, histograms={"ttft": first_tokens(first_s, n)})


async def watched(history: HistoryStore, *times: float) -> None:
    for after_s in times:
        await history.keep("T1", "prod", seen(after_s))


async def test_the_newest_scrape_is_the_last_and_an_older_one_the_other_end(history: HistoryStore) -> None:
    assert await history.last("T1", "prod") is None
    await watched(history, 0, 30, 60)
    last = await history.last("T1", "prod")
    earlier = await history.earlier("T1", "prod", START + timedelta(seconds=40))
    assert last is not None
    assert earlier is not None
    assert (last.at, earlier.at) == (START + timedelta(seconds=60), START + timedelta(seconds=30))
    assert await history.earlier("T1", "prod", START) is None


async def test_only_a_few_whole_scrapes_are_kept(history: HistoryStore, redis: Redis) -> None:
    await watched(history, *range(0, 600, 30))
    assert await redis.llen(keys.last_sample("T1", "prod")) == SCRAPES_KEPT


async def test_a_repeated_or_older_scrape_is_passed_over(history: HistoryStore, redis: Redis) -> None:
    await watched(history, 30, 30, 0)
    assert await redis.llen(keys.last_sample("T1", "prod")) == 1


async def test_scrapes_of_a_minute_become_one_window(history: HistoryStore) -> None:
    await watched(history, *range(0, 181, 30))
    found = await history.windows("T1", "prod", START, START + timedelta(minutes=5))
    assert [(one.since - START).total_seconds() for one in found] == [0, 30, 90, 150]
    assert sum(one.seconds for one in found) == 180
    assert sum(one.counters["requests_finished.stop"].amount for one in found) == 180


async def test_a_gap_stays_a_gap(history: HistoryStore) -> None:
    await watched(history, 0, 30, 1000, 1030)
    found = await history.windows("T1", "prod", START, START + timedelta(hours=1))
    assert [(one.since, one.until) for one in found] == [
        (START, START + timedelta(seconds=30)),
        (START + timedelta(seconds=1000), START + timedelta(seconds=1030)),
    ]


async def test_a_restart_makes_no_window(history: HistoryStore) -> None:
    await history.keep("T1", "prod", seen(0, finished=500))
    await history.keep("T1", "prod", seen(30, finished=3))
    assert await history.windows("T1", "prod", START, START + timedelta(hours=1)) == ()


async def test_windows_outside_the_question_are_left_out(history: HistoryStore) -> None:
    await watched(history, *range(0, 601, 30))
    found = await history.windows("T1", "prod", START + timedelta(minutes=4), START + timedelta(minutes=6))
    assert found
    assert all(one.until > START + timedelta(minutes=4) and one.since < START + timedelta(minutes=6) for one in found)


async def test_beyond_two_days_tens_stand_for_minutes_and_nothing_counts_twice(history: HistoryStore, redis: Redis) -> None:
    await watched(history, *range(0, 3601, 60))
    minutes = keys.history("T1", "prod", "60")
    await redis.zremrangebyscore(minutes, "-inf", (START + timedelta(minutes=30)).timestamp() - 1)
    found = await history.windows("T1", "prod", START - timedelta(days=3), START + timedelta(hours=1))
    spans = [(one.since, one.until) for one in found]
    assert spans == sorted(spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert sum(one.seconds for one in found) >= 3600 - 600


async def test_old_minutes_are_dropped_and_old_tens_kept(history: HistoryStore, redis: Redis) -> None:
    await watched(history, 0, 30)
    later = timedelta(days=3).total_seconds()
    await watched(history, later, later + 30)
    assert await redis.zcard(keys.history("T1", "prod", "60")) == 1
    assert await redis.zcard(keys.history("T1", "prod", "600")) == 2


async def test_deployments_and_workspaces_are_kept_apart(history: HistoryStore) -> None:
    await watched(history, 0, 30)
    assert await history.last("T1", "bench") is None
    assert await history.last("T2", "prod") is None


async def test_usual_is_unknown_until_an_hour_with_requests_was_seen(history: HistoryStore) -> None:
    await watched(history, *range(0, 3000, 60))
    await history.work_out_usual("T1", "prod", START + timedelta(seconds=3000))
    assert await history.usual("T1", "prod") is None
    await watched(history, *range(3000, 4501, 60))
    await history.work_out_usual("T1", "prod", START + timedelta(seconds=4500))
    usual = await history.usual("T1", "prod")
    assert usual is not None
    assert usual.first_token_s == pytest.approx(0.4)
    assert usual.windows >= 6


async def test_a_window_survives_the_store_whole(history: HistoryStore) -> None:
    await watched(history, 0, 30)
    (window,) = await history.windows("T1", "prod", START, START + timedelta(minutes=1))
    median = quantile(window, "ttft", 0.5)
    assert median is not None
    assert median.value == pytest.approx(0.4)


async def test_without_memory_everything_past_is_unknown() -> None:
    nothing = NoHistory()
    await nothing.keep("T1", "prod", seen(0))
    assert await nothing.last("T1", "prod") is None
    assert await nothing.earlier("T1", "prod", START) is None
    assert await nothing.usual("T1", "prod") is None
    assert await nothing.windows("T1", "prod", START, START) == ()
