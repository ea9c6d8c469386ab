"""Work is accepted once, held by one, moved by its holder alone, and handed over when the holder is gone."""

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.nouns import Actor
from bot.requests import Request
from bot.store import keys
from bot.store.work import Work, WorkStore
from bot.view import View, line
from tests.doubles.ports import House

pytestmark = pytest.mark.wire


@pytest.fixture
def store(redis: Redis) -> WorkStore:
    return WorkStore(redis, lease_s=5, kick_s=0)


@pytest.fixture
def hasty(redis: Redis) -> WorkStore:
    """Its leases end after 20 ms."""
    return WorkStore(redis, lease_s=0.02, kick_s=0)


def asked(words: str = "status", by: Actor | None = None) -> Request:
    return House().request(words, by) if by else House().request(words)


async def accepted(store: WorkStore, work_id: str = "r-1", **more: Any) -> bool:
    return await store.accept(asked(), **{"work_id": work_id, "kind": "request", "queue": "reads", **more})


async def claimed(store: WorkStore, work_id: str = "r-1") -> Work:
    work = await store.claim(work_id)
    assert work is not None
    return work


async def lease_ends(redis: Redis, work_id: str = "r-1") -> None:
    """As if the holder had died a lease ago."""
    await redis.hset(keys.work(work_id), "lease_until", 0)
    await redis.zadd(keys.DUE, {work_id: 0})


async def test_the_same_trigger_makes_one_work(store: WorkStore) -> None:
    assert [await accepted(store), await accepted(store)] == [True, False]
    assert await store.unfinished() == 1


async def test_many_at_once_make_one_work(store: WorkStore) -> None:
    assert sum(await asyncio.gather(*(accepted(store) for _ in range(20)))) == 1


async def test_a_claim_tells_all_that_was_asked(store: WorkStore) -> None:
    await accepted(store)
    work = await claimed(store)
    assert (work.id, work.kind, work.state, work.queue, work.fence) == ("r-1", "request", "new", "reads", 1)
    assert work.request == asked()
    assert work.created_ms > 1_700_000_000_000


async def test_of_many_claims_one_succeeds(store: WorkStore) -> None:
    await accepted(store)
    found = await asyncio.gather(*(store.claim("r-1") for _ in range(20)))
    assert len([one for one in found if one is not None]) == 1


async def test_nobody_claims_what_is_unknown_or_done(store: WorkStore) -> None:
    assert await store.claim("r-9") is None
    await accepted(store)
    await store.advance(await claimed(store), "done")
    assert await store.claim("r-1") is None


async def test_a_lease_that_ends_hands_the_work_over_and_the_old_holder_can_write_nothing(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    old = await claimed(store)
    await lease_ends(redis)
    new = await claimed(store)
    assert new.fence == old.fence + 1
    assert not await store.renew(old)
    assert not await store.advance(old, "answered", view="stale")
    assert await redis.hget(keys.work("r-1"), "view") is None
    assert await store.renew(new)
    assert await store.advance(new, "answered", view="fresh")


async def test_a_lease_ends_by_itself(hasty: WorkStore) -> None:
    await accepted(hasty)
    await claimed(hasty)
    async with asyncio.timeout(2):
        while await hasty.claim("r-1") is None:
            await asyncio.sleep(0.005)


async def test_a_renewed_lease_is_kept(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    work = await claimed(store)
    await redis.hset(keys.work("r-1"), "lease_until", 1)
    assert await store.renew(work)
    assert await store.claim("r-1") is None


async def test_a_move_from_another_state_writes_nothing(store: WorkStore) -> None:
    await accepted(store)
    work = await claimed(store)
    assert await store.advance(work, "answered", view="one")
    assert not await store.advance(work, "answered", view="two")


async def test_letting_go_sets_the_next_look(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    await store.advance(await claimed(store), "new", wait_s=60)
    assert await store.claim("r-1") is None
    assert await store.due() == []
    await redis.hset(keys.work("r-1"), "not_before", 0)
    assert (await claimed(store)).fence == 2


async def test_what_is_let_go_at_once_can_be_claimed_at_once(store: WorkStore) -> None:
    await accepted(store)
    await store.advance(await claimed(store), "new", wait_s=0)
    assert await store.due() == [("r-1", "reads")]
    assert (await claimed(store)).fence == 2


async def test_done_work_is_neither_due_nor_open_and_is_forgotten_after_a_day(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    await store.advance(await claimed(store), "done")
    assert (await store.due(), await store.under_way("T1"), await store.unfinished()) == ([], (), 0)
    assert 86_000 < await redis.ttl(keys.work("r-1")) <= 86_400
    assert not await accepted(store), "a repeated trigger is still known"


async def test_what_is_due_is_put_off_twice_as_long_with_every_kick_that_nobody_took(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    waits = []
    for _ in range(6):
        await redis.zadd(keys.DUE, {"r-1": 0})
        assert await store.due() == [("r-1", "reads")]
        now = (await redis.time())[0]
        waits.append(round((await redis.zscore(keys.DUE, "r-1") or 0) / 1000 - now))
    assert waits == pytest.approx([5, 10, 20, 40, 60, 60], abs=1)
    await claimed(store)
    assert await redis.hget(keys.work("r-1"), "kicks") == b"0"


async def test_two_clocks_do_not_kick_the_same_work(store: WorkStore) -> None:
    for n in range(30):
        await accepted(store, f"r-{n}")
    found = await asyncio.gather(*(store.due(10) for _ in range(6)))
    kicked = [work_id for part in found for work_id, _ in part]
    assert sorted(kicked) == sorted(f"r-{n}" for n in range(30))


async def test_a_held_lease_is_not_due(store: WorkStore) -> None:
    await accepted(store)
    await claimed(store)
    assert await store.due() == []


async def test_a_due_id_without_a_record_is_dropped(store: WorkStore, redis: Redis) -> None:
    await redis.zadd(keys.DUE, {"ghost": 0})
    assert await store.due() == []
    assert await redis.zcard(keys.DUE) == 0


async def test_a_stop_reaches_the_holder_at_its_next_claim_also_when_it_waits(store: WorkStore) -> None:
    await accepted(store, kind="bench")
    await store.advance(await claimed(store), "running", wait_s=600)
    assert await store.ask_to_stop("r-1")
    assert await store.due() == [("r-1", "reads")]
    assert (await claimed(store)).data["stop"] == "1"
    assert [one.stopping for one in await store.under_way("T1")] == [True]


async def test_what_is_not_open_cannot_be_stopped(store: WorkStore, redis: Redis) -> None:
    assert not await store.ask_to_stop("r-1")
    await accepted(store)
    await store.advance(await claimed(store), "done")
    assert not await store.ask_to_stop("r-1")
    assert await redis.hget(keys.work("r-1"), "stop") is None


async def test_open_work_is_told_oldest_first_and_by_workspace(store: WorkStore) -> None:
    await store.accept(asked("bench"), work_id="bench-1", kind="bench", queue="benchmarks")
    await store.accept(asked("find"), work_id="find-1", kind="find", queue="steps")
    elsewhere = asked(by=Actor(team_id="T2", user_id="U9"))
    await store.accept(elsewhere, work_id="bench-2", kind="bench", queue="benchmarks")
    assert {(one.id, one.words) for one in await store.under_way("T1")} == {("bench-1", "bench"), ("find-1", "find")}
    assert [one.id for one in await store.under_way("T2")] == ["bench-2"]


async def test_an_answer_is_remembered_with_what_was_asked(store: WorkStore) -> None:
    await accepted(store)
    assert await store.answer("r-1") is None
    view = View(verdict=line("It is so"))
    await store.advance(await claimed(store), "answered", view=view.model_dump_json())
    assert await store.answer("r-1") == (asked(), view)
    assert await store.answer("r-2") is None


async def test_fields_of_a_move_come_back_and_our_own_do_not_mix_with_them(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    await store.advance(await claimed(store), "waiting", wait_s=0, zone="us-east5-a", empty="")
    assert (await claimed(store)).data == {"zone": "us-east5-a", "empty": ""}
    assert await redis.hget(keys.work("r-1"), "v") == b"1"


async def test_names_that_people_see_are_counted_by_workspace(store: WorkStore) -> None:
    names = [await store.next_name("T1", "bench"), await store.next_name("T1", "bench"), await store.next_name("T2", "bench")]
    assert names == ["bench-1", "bench-2", "bench-1"]


async def test_scripts_survive_a_server_that_forgot_them(store: WorkStore, redis: Redis) -> None:
    await accepted(store)
    await redis.script_flush()
    assert not await accepted(store)
