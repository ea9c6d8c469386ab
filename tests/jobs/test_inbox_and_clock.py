"""The inbox, the clock's kicks, its look at deployments, and our own figures."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import Happened, ServedModel
from bot.operations import OPERATIONS
from bot.store import keys
from bot.store.happenings import HappeningStore
from bot.store.work import KICKS_KEPT, WorkStore
from jobs.clock import kick_due
from jobs.exposition import figures
from jobs.inbox import Inbox
from jobs.sampler import Sampler
from tests.doubles.ports import NOW, House
from tests.doubles.running import Workshop
from tests.doubles.sights import PROD, scrape

pytestmark = pytest.mark.wire


@pytest.fixture
def inbox(redis: Redis) -> Inbox:
    return Inbox(WorkStore(redis, lease_s=5, kick_s=2), OPERATIONS)


async def notes(redis: Redis) -> list[str]:
    """What workers were asked to look at, the oldest first."""
    found = reversed(await redis.lrange(keys.KICKS, 0, -1))
    return [note.decode() if isinstance(note, bytes) else note for note in found]


async def test_a_request_is_written_down_once_and_kicked_once(inbox: Inbox, redis: Redis) -> None:
    request = House().request("status", id="0f")
    assert [await inbox.accept(request), await inbox.accept(request)] == [True, False]
    assert await notes(redis) == ["reads r-0f"]
    work = await inbox.work.claim("r-0f")
    assert work is not None
    assert work.request == request


@pytest.mark.parametrize("words", ["no such word", "machines !!", "", "\u2014\u2014", "status prod"])
async def test_words_that_make_no_request_are_written_down_too(inbox: Inbox, redis: Redis, words: str) -> None:
    assert await inbox.accept(House().request(words, id="0f"))
    assert await notes(redis) == ["reads r-0f"]


async def test_a_lost_kick_loses_no_work_for_the_clock_kicks_again(inbox: Inbox, redis: Redis) -> None:
    await inbox.accept(House().request("status", id="0f"))
    await redis.delete(keys.KICKS)
    shop = Workshop(redis)
    await kick_due(shop.runtime)
    assert await notes(redis) == [], "it is not due before two seconds have passed"
    await redis.zadd(keys.DUE, {"r-0f": 0})
    await kick_due(shop.runtime)
    await kick_due(shop.runtime)
    assert await notes(redis) == ["reads r-0f"]


async def test_without_workers_the_notes_do_not_pile_up(inbox: Inbox, redis: Redis) -> None:
    await redis.lpush(keys.KICKS, *[f"reads r-{number}" for number in range(KICKS_KEPT)])
    await inbox.work.ring("r-last", "reads")
    assert await redis.llen(keys.KICKS) == KICKS_KEPT
    assert await redis.lindex(keys.KICKS, 0) == b"reads r-last"


async def watching(redis: Redis) -> tuple[Workshop, Sampler, Sampler]:
    shop = Workshop(redis)
    shop.house.names.known = [
        PROD,
        PROD.model_copy(update={"name": "bench"}),
        PROD.model_copy(update={"name": "new", "base_url": None}),
    ]
    shop.house.engine.scrape = scrape(running=4)
    return shop, Sampler(shop.runtime, 30), Sampler(shop.runtime, 30)


async def test_of_two_clocks_one_takes_a_slot(redis: Redis) -> None:
    shop, one, other = await watching(redis)
    await asyncio.gather(one.look(), other.look(), one.look())
    assert await shop.runtime.counters.read() == {("samples", "prod"): 1, ("samples", "bench"): 1}
    shop.house.clock.move(seconds=30)
    shop.house.engine.scrape = scrape(shop.house.clock.now(), running=5)
    await other.look()
    assert (await shop.runtime.counters.read())["samples", "prod"] == 2
    last = await shop.runtime.history.last("T1", "prod")
    assert last is not None
    assert last.gauges == {"running": 5}


async def test_a_deployment_that_does_not_answer_leaves_a_gap_and_is_counted(redis: Redis) -> None:
    shop, sampler, _ = await watching(redis)
    shop.house.engine.scrape = RetryLater("Engine: no answer.")
    with capture_logs():
        await sampler.look()
    assert await shop.runtime.counters.read() == {("samples_missed", "prod"): 1, ("samples_missed", "bench"): 1}
    assert await shop.runtime.history.last("T1", "prod") is None


async def test_what_is_usual_is_worked_out_every_ten_minutes_only(redis: Redis) -> None:
    shop, sampler, _ = await watching(redis)
    for _ in range(21):
        shop.house.engine.scrape = scrape(shop.house.clock.now(), running=4)
        await sampler.look()
        shop.house.clock.move(seconds=30)
    assert len(await redis.keys(keys.once("usual:*"))) == 2
    assert len(await redis.keys(keys.once("sample:*"))) == 21


async def looked(redis: Redis) -> tuple[Workshop, Sampler, Sampler]:
    """Two clocks over one memory, an engine that began an hour ago, and one look at it."""
    shop, _, _ = await watching(redis)
    shop.house.names.known = [PROD]
    shop.house.happenings = HappeningStore(redis)
    shop.house.engine.served = (ServedModel(id="31b", context=65536),)
    shop.house.engine.said_version = "0.26.0"
    shop.house.engine.scrape = scrape().model_copy(update={"started_at": NOW - timedelta(hours=1)})
    await Sampler(shop.runtime, 30).look()
    return shop, Sampler(shop.runtime, 30), Sampler(shop.runtime, 30)


async def later(shop: Workshop, *clocks: Sampler, **said: Any) -> None:
    """Half a minute on, all clocks look at an engine that says this."""
    shop.house.clock.move(seconds=30)
    fields = {"at": shop.house.clock.now(), "started_at": NOW - timedelta(hours=1), **said}
    shop.house.engine.scrape = scrape().model_copy(update=fields)
    await asyncio.gather(*(clock.look() for clock in clocks))


async def changes(redis: Redis) -> list[tuple[Happened, datetime]]:
    return [(one.kind, one.at) for one in await HappeningStore(redis).since("T1", "prod", NOW - timedelta(days=1), 50)]


async def test_two_clocks_note_a_restart_and_what_came_with_it_once(redis: Redis) -> None:
    shop, one, other = await looked(redis)
    began = NOW + timedelta(seconds=7)
    shop.house.engine.said_version = "0.32.0"
    shop.house.engine.served = (ServedModel(id="31b", context=32768),)
    with capture_logs():
        await later(shop, one, other, started_at=began)
        await later(shop, one, other, started_at=began)
    assert {*await changes(redis)} == {(Happened.RESTARTED, began), (Happened.VERSION, began), (Happened.WINDOW, began)}
    assert len(await changes(redis)) == 3


async def test_silence_counts_from_the_second_look_on_and_tells_the_first(redis: Redis) -> None:
    shop, one, _ = await looked(redis)
    shop.house.engine.scrape = RetryLater("Engine: no answer.")
    with capture_logs():
        for _ in range(2):
            assert await changes(redis) == []
            shop.house.clock.move(seconds=30)
            await one.look()
        assert await changes(redis) == [(Happened.SILENT, NOW + timedelta(seconds=30))]
        await later(shop, one)
        await later(shop, one)
    assert (await changes(redis))[0] == (Happened.ANSWERS, NOW + timedelta(seconds=90))


async def test_an_engine_that_wants_another_key_is_not_called_silent(redis: Redis) -> None:
    shop, one, _ = await looked(redis)
    shop.house.engine.scrape = PersonMovesNext("Engine: it wants another key.")
    with capture_logs():
        for _ in range(3):
            shop.house.clock.move(seconds=30)
            await one.look()
    assert await changes(redis) == []


async def test_our_own_figures_can_be_read_by_prometheus(redis: Redis) -> None:
    shop = Workshop(redis)
    await shop.accept(shop.house.request("status"))
    await shop.runtime.counters.add("requests", "command", 2)
    await shop.runtime.counters.add("samples_missed", 'pr"o\\d\n')
    await shop.runtime.counters.add("other", "x")
    families = {one.name: one for one in text_string_to_metric_families(await figures(shop.runtime))}
    samples = {(one.name, tuple(one.labels.items())): one.value for family in families.values() for one in family.samples}
    assert samples["gemma_open_work", ()] == 1
    assert samples["gemma_requests_total", (("door", "command"),)] == 3
    assert samples["gemma_samples_missed_total", (("deployment", 'pr"o\\d\n'),)] == 1
    assert samples["gemma_other_total", (("of", "x"),)] == 1
    assert families["gemma_requests"].type == "counter"
    assert all(family.documentation for family in families.values())
