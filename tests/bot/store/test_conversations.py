"""The talk of a thread: one answers at a time, in the order of the questions, and a turn ends with its work."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import Exchange
from bot.ports import Thread
from bot.store import keys
from bot.store.conversations import KEPT, ConversationStore
from tests.doubles.ports import NOW

pytestmark = pytest.mark.wire
HERE = Thread(team_id="T1", channel="C1", thread="1.0")


async def open_works(redis: Redis, *names: str) -> None:
    await redis.zadd(keys.DUE, dict.fromkeys(names, 0.0))


async def test_the_earliest_question_has_its_turn_and_keeps_it(redis: Redis) -> None:
    store = ConversationStore(redis)
    await open_works(redis, "ask-1", "ask-2", "ask-3")
    assert await store.my_turn(HERE, "ask-2", 2.0)
    assert not await store.my_turn(HERE, "ask-1", 1.0), "whoever began is not interrupted"
    assert not await store.my_turn(HERE, "ask-3", 3.0)
    assert await store.my_turn(HERE, "ask-2", 2.0)


async def test_a_turn_ends_with_its_work_and_the_next_in_order_follows(redis: Redis) -> None:
    store = ConversationStore(redis)
    await open_works(redis, "ask-1", "ask-2", "ask-3")
    for order, name in enumerate(("ask-1", "ask-2", "ask-3")):
        await store.my_turn(HERE, name, order)
    await redis.zrem(keys.DUE, "ask-1")
    assert not await store.my_turn(HERE, "ask-3", 2.0)
    assert await store.my_turn(HERE, "ask-2", 1.0)


async def test_a_work_that_died_in_line_blocks_nobody(redis: Redis) -> None:
    store = ConversationStore(redis)
    await open_works(redis, "ask-1", "ask-2", "ask-3")
    for order, name in enumerate(("ask-1", "ask-2", "ask-3")):
        await store.my_turn(HERE, name, order)
    await redis.zrem(keys.DUE, "ask-1", "ask-2")
    assert await store.my_turn(HERE, "ask-3", 2.0)


async def test_whoever_ends_wakes_the_next_that_still_lives(redis: Redis) -> None:
    store = ConversationStore(redis)
    await open_works(redis, "ask-1", "ask-2", "ask-3")
    for order, name in enumerate(("ask-1", "ask-2", "ask-3")):
        await store.my_turn(HERE, name, order)
        await redis.hset(keys.work(name), mapping={"queue": "answers", "not_before": 9e15})
    await redis.zrem(keys.DUE, "ask-1", "ask-2")
    await redis.zadd(keys.DUE, {"ask-3": 9e15})
    await store.wake_next(HERE, "ask-1")
    assert await redis.lrange(keys.KICKS, 0, -1) == [b"answers ask-3"]
    assert (await redis.zscore(keys.DUE, "ask-3"), await redis.hget(keys.work("ask-3"), "not_before")) == (0.0, b"0")
    await redis.zrem(keys.DUE, "ask-3")
    await store.wake_next(HERE, "ask-3")
    assert await redis.llen(keys.KICKS) == 1, "nobody waits any more"


async def test_threads_do_not_wait_for_each_other(redis: Redis) -> None:
    store = ConversationStore(redis)
    await open_works(redis, "ask-1", "ask-2")
    assert await store.my_turn(HERE, "ask-1", 1.0)
    assert await store.my_turn(HERE.model_copy(update={"thread": "9.0"}), "ask-2", 2.0)
    assert await store.my_turn(HERE.model_copy(update={"team_id": "T2"}), "ask-2", 2.0)


async def test_what_was_said_is_kept_once_in_order_and_the_latest_few(redis: Redis) -> None:
    store = ConversationStore(redis)
    said = [
        Exchange(id=f"ask-{n}", question=f"{n}?", asked_by="U1", at=NOW + timedelta(minutes=n), answer=f"{n}.")
        for n in range(KEPT + 3)
    ]
    for one in (*reversed(said), said[-1]):
        await store.remember(HERE, one)
    assert await store.exchanges(HERE) == tuple(said[-KEPT:])
    assert await store.exchanges(HERE.model_copy(update={"channel": "C2"})) == ()
    assert 0 < await redis.ttl(keys.conversation("T1", "C1", "1.0")) <= 24 * 3600
