"""Slack's limits are kept by all processes together: bursts, then even gaps, and never more in a minute than the tier."""

import asyncio

import pytest
from redis.asyncio import Redis

from bot.errors import RetryLater
from bot.slack.tiers import PER_MINUTE
from bot.store import keys
from bot.store.pace import CHANNEL_BURST, RedisPace, spacing


class Slept(list[float]):
    """Remembers the waits, in seconds, and waits for none of them."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.mark.parametrize("per_minute", sorted({1, 2, 3, 4, *PER_MINUTE.values(), 300}))
def test_no_minute_holds_more_calls_than_the_tier(per_minute: int) -> None:
    gap, burst = spacing(per_minute)
    at = [max(0, (n - burst + 1) * gap) for n in range(4 * per_minute)]
    assert max(sum(start <= other < start + 60_000 for other in at) for start in at) <= per_minute


def test_a_tier_is_nearly_used_up_all_the_same() -> None:
    gap, burst = spacing(50)
    assert burst + (60_000 - 1) // gap >= 48


@pytest.fixture
def slept() -> Slept:
    return Slept()


@pytest.fixture
def pace(redis: Redis, slept: Slept) -> RedisPace:
    return RedisPace(redis, {"views.open": 100, "conversations.open": 3}, sleep=slept)


@pytest.mark.wire
async def test_a_burst_goes_at_once_and_then_each_call_waits_longer(pace: RedisPace, slept: Slept) -> None:
    for _ in range(CHANNEL_BURST + 3):
        await pace.wait("chat.postMessage", "C1", urgent=True)
    assert [round(wait) for wait in slept] == [1, 2, 3]


@pytest.mark.wire
async def test_channels_do_not_wait_for_each_other(pace: RedisPace, slept: Slept) -> None:
    for channel in ("C1", "C2", "C3", "C4"):
        await pace.wait("chat.postMessage", channel, urgent=True)
    assert slept == []


@pytest.mark.wire
async def test_what_is_not_urgent_is_given_up_where_it_would_wait_longer_than_a_second(pace: RedisPace, redis: Redis) -> None:
    for _ in range(CHANNEL_BURST + 1):
        await pace.wait("chat.postMessage", "C1", urgent=False)
    before = await redis.get(keys.pace("chat.postMessage", "C1"))
    with pytest.raises(RetryLater) as refused:
        await pace.wait("chat.postMessage", "C1", urgent=False)
    assert refused.value.arrived is False
    assert refused.value.after_s == pytest.approx(2, abs=0.2)
    assert await redis.get(keys.pace("chat.postMessage", "C1")) == before, "what was refused is not booked"


@pytest.mark.wire
async def test_what_is_urgent_waits_up_to_the_bound_and_is_then_told_to_come_back(redis: Redis, slept: Slept) -> None:
    pace = RedisPace(redis, {}, longest_wait_s=2, sleep=slept)
    for _ in range(CHANNEL_BURST + 2):
        await pace.wait("chat.postMessage", "C1", urgent=True)
    with pytest.raises(RetryLater, match="rate limit"):
        await pace.wait("chat.postMessage", "C1", urgent=True)
    assert [round(wait) for wait in slept] == [1, 2]


@pytest.mark.wire
async def test_a_method_has_the_gap_of_its_tier(pace: RedisPace, slept: Slept) -> None:
    await pace.wait("conversations.open", None, urgent=False)
    assert slept == []
    with pytest.raises(RetryLater) as refused:
        await pace.wait("conversations.open", None, urgent=True)
    assert refused.value.after_s == pytest.approx(30, abs=0.5)


@pytest.mark.wire
async def test_many_processes_book_one_after_the_other(redis: Redis) -> None:
    sleeps = [Slept() for _ in range(8)]
    await asyncio.gather(*(RedisPace(redis, {}, sleep=one).wait("chat.postMessage", "C1", urgent=True) for one in sleeps))
    waits = sorted(round(one[0]) if one else 0 for one in sleeps)
    assert waits == [0, 0, 0, 1, 2, 3, 4, 5]


@pytest.mark.wire
async def test_a_limit_leaves_no_key_behind(pace: RedisPace, redis: Redis) -> None:
    await pace.wait("chat.postMessage", "C1", urgent=True)
    assert 0 < await redis.pttl(keys.pace("chat.postMessage", "C1")) <= 2_000
