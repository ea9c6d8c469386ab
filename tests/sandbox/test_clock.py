"""A clock that a test holds."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from sandbox.clock import HeldClock

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


async def test_sleepers_wake_in_the_order_of_their_times_and_each_sees_its_own() -> None:
    clock = HeldClock(START)
    woken: list[tuple[float, float]] = []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((seconds, (clock.now() - START).total_seconds()))

    tasks = [asyncio.create_task(sleeper(seconds)) for seconds in (3, 1, 2, 9)]
    await asyncio.sleep(0)
    await clock.advance(5)
    assert woken == [(1, 1), (2, 2), (3, 3)]
    assert clock.now() == START + timedelta(seconds=5)
    tasks[-1].cancel()


async def test_a_sleeper_that_was_cancelled_is_passed_over() -> None:
    clock = HeldClock(START)
    task = asyncio.create_task(clock.sleep(1))
    await asyncio.sleep(0)
    task.cancel()
    await clock.advance(2)
    assert task.cancelled()


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        HeldClock(datetime(2026, 11, 30, 12, 0))  # noqa: DTZ001 - the naive time is what is tested
