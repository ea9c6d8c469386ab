import asyncio

from sandbox.slack import ManualClock


async def test_time_stands_still_until_it_is_moved() -> None:
    clock = ManualClock(100.0)
    sleeper = asyncio.ensure_future(clock.sleep(5))
    await asyncio.sleep(0)
    await clock.advance(4.9)
    assert not sleeper.done()
    await clock.advance(0.1)
    assert sleeper.done()
    assert clock.now() == 105.0


async def test_sleepers_wake_in_order_and_at_their_own_moment() -> None:
    clock = ManualClock(0.0)
    woke: list[tuple[str, float]] = []

    async def sleep_twice(name: str, seconds: float) -> None:
        for _ in range(2):
            await clock.sleep(seconds)
            woke.append((name, clock.now()))

    tasks = [asyncio.ensure_future(sleep_twice("slow", 3)), asyncio.ensure_future(sleep_twice("fast", 2))]
    await asyncio.sleep(0)
    await clock.advance(10)
    assert woke == [("fast", 2.0), ("slow", 3.0), ("fast", 4.0), ("slow", 6.0)]
    await asyncio.gather(*tasks)
