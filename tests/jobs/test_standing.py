"""A standing process goes on through trouble, and ends when it is told to."""

import asyncio

from bot.errors import RetryLater
from jobs.standing import every, wait


async def test_trouble_at_one_tick_does_not_stop_the_next() -> None:
    ended, acts = asyncio.Event(), 0

    async def act() -> None:
        nonlocal acts
        acts += 1
        if acts == 3:
            ended.set()
        raise RetryLater("Redis is away.")

    await every(ended, 0, act)
    assert acts == 3


async def test_who_is_to_end_waits_no_longer() -> None:
    ended = asyncio.Event()
    waiting = asyncio.create_task(wait(ended, 3_600))
    await asyncio.sleep(0)
    ended.set()
    await waiting
