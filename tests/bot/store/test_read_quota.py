"""Reads that are counted for all processes together."""

import pytest
from redis.asyncio import Redis

from bot.errors import RetryLater
from bot.store.read_quota import OwnReadQuota, RedisReadQuota

pytestmark = pytest.mark.wire


async def test_a_burst_is_let_through_then_turns_are_spaced_and_then_refused(redis: Redis) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    processes = [RedisReadQuota(redis, per_minute=60, longest_wait_s=4.0, sleep=sleep) for _ in range(3)]
    for n in range(20):
        await processes[n % 3].turn("logging")
    assert slept == []

    async def many() -> None:
        for n in range(10):
            await processes[n % 3].turn("logging")

    with pytest.raises(RetryLater) as refused:
        await many()
    assert 2 <= len(slept) <= 3
    assert all(0 < one <= 4.0 for one in slept)
    assert refused.value.after_s is not None
    assert refused.value.after_s > 4
    assert refused.value.arrived is False


async def test_services_are_counted_apart(redis: Redis) -> None:
    quota = RedisReadQuota(redis, per_minute=3, longest_wait_s=0)
    await quota.turn("one")
    await quota.turn("two")
    with pytest.raises(RetryLater, match="reads that one allows"):
        await quota.turn("one")


async def test_a_terminal_by_itself_counts_nothing() -> None:
    for _ in range(100):
        await OwnReadQuota().turn("logging")
