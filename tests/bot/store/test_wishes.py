"""What an engine was wanted to be: the newest first, the same wish of the same work once, enough of them to go back."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import EngineStart, Wish
from bot.store.wishes import KEPT, WishStore
from tests.doubles.ports import NOW

pytestmark = pytest.mark.wire


def wish(number: int, work: str | None = None, deployment: str = "prod") -> Wish:
    return Wish(
        deployment=deployment,
        specification=f'{{"context": {number}}}',
        fingerprint=f"f{number}",
        at=NOW + timedelta(minutes=number),
        by="U1BEN",
        work=work or f"ask-{number}",
        why="change prod context=32K",
    )


def start(number: int, seconds: float = 600) -> EngineStart:
    return EngineStart(at=NOW, seconds=seconds, work=f"ask-{number}", fingerprint="f1")


async def test_of_a_deployment_that_we_never_made_nothing_is_known(redis: Redis) -> None:
    assert await WishStore(redis).current("T1", "prod") is None
    assert await WishStore(redis).past("T1", "prod") == ()


async def test_the_newest_is_what_is_wanted_and_the_ones_before_stay(redis: Redis) -> None:
    store = WishStore(redis)
    for number in (1, 2, 3):
        await store.put("T1", wish(number))
    await store.put("T2", wish(9))
    assert await store.current("T1", "prod") == wish(3)
    assert [one.fingerprint for one in await store.past("T1", "prod")] == ["f3", "f2", "f1"]


async def test_a_repeat_of_the_same_work_adds_nothing_even_when_others_came_between(redis: Redis) -> None:
    store = WishStore(redis)
    await store.put("T1", wish(1))
    await store.put("T1", wish(2))
    await store.put("T1", wish(1))
    assert [one.fingerprint for one in await store.past("T1", "prod")] == ["f2", "f1"]


async def test_another_work_may_want_the_same_again(redis: Redis) -> None:
    store = WishStore(redis)
    await store.put("T1", wish(1))
    await store.put("T1", wish(2))
    await store.put("T1", wish(1, work="ask-rollback"))
    assert [one.work for one in await store.past("T1", "prod")] == ["ask-rollback", "ask-2", "ask-1"]


async def test_at_least_twenty_are_kept_and_no_endless_number(redis: Redis) -> None:
    store = WishStore(redis)
    for number in range(KEPT + 10):
        await store.put("T1", wish(number))
    kept = await store.past("T1", "prod")
    assert len(kept) == KEPT >= 20
    assert kept[0] == wish(KEPT + 9)


async def test_starts_are_remembered_once_each_the_newest_first(redis: Redis) -> None:
    store = WishStore(redis)
    for number in (1, 2, 2):
        await store.note_start("T1", "prod", start(number, 600 + number))
    assert [one.seconds for one in await store.starts("T1", "prod")] == [602, 601]
    assert await store.starts("T1", "bench") == ()
