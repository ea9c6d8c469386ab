"""The record of long work: begun once under a name that people see, and where its first message stands."""

from datetime import UTC, datetime

import pytest
from redis.asyncio import Redis

from bot.nouns import Actor
from bot.ports.stores import UNSTOPPABLE
from bot.requests import Door, Place, Request
from bot.store.deliveries import DeliveryStore
from bot.store.long_work import LongWorkStore
from bot.store.work import WorkStore

pytestmark = pytest.mark.wire

ASKED = Request(
    id="1",
    door=Door.COMMAND,
    actor=Actor(team_id="T1", user_id="U1"),
    place=Place(channel="C1"),
    words="machine create prod-2",
    at=datetime(2026, 11, 30, tzinfo=UTC),
)


def stores(redis: Redis) -> tuple[LongWorkStore, WorkStore]:
    return LongWorkStore(redis, queue="steps", kick_s=0), WorkStore(redis, lease_s=5, kick_s=0)


async def test_it_is_due_at_once_for_its_queue_and_holds_what_it_was_given(redis: Redis) -> None:
    long, works = stores(redis)
    name = await long.begin(ASKED, "machine.create", '{"name":"prod-2"}', {"plan": "x"})
    assert name == "machine-1"
    assert await works.due() == [("machine-1", "steps")]
    work = await works.claim("machine-1")
    assert work is not None
    assert (work.id, work.kind, work.state, work.request) == ("machine-1", "machine.create", "new", ASKED)
    assert (work.data["origin"], work.data["arguments"], work.data["notes"]) == ("r-1", '{"name":"prod-2"}', '{"plan":"x"}')


async def test_names_count_by_the_first_word_and_each_operation_of_a_request_begins_once(redis: Redis) -> None:
    long, _ = stores(redis)
    begun = [await long.begin(ASKED, path, "{}", {}) for path in ("machine.create", "machine.expire", "machine.create", "find")]
    assert begun == ["machine-1", "machine-2", "machine-1", "find-1"]
    assert [await long.begun(ASKED, path) for path in ("machine.expire", "deploy")] == ["machine-2", None]


async def test_work_that_a_yes_set_free_comes_from_the_question_of_that_id(redis: Redis) -> None:
    long, works = stores(redis)
    freed = ASKED.model_copy(update={"id": "ask-1", "approval": "ask-1"})
    work = await works.claim(await long.begin(freed, "machine.create", "{}", {}))
    assert work is not None
    assert work.data["origin"] == "ask-1"


async def test_people_see_it_and_why_it_cannot_be_stopped(redis: Redis) -> None:
    long, works = stores(redis)
    await long.begin(ASKED, "machine.destroy", "{}", {UNSTOPPABLE: "it is half gone"})
    await long.begin(ASKED, "machine.create", "{}", {})
    seen = await works.under_way("T1")
    assert [(one.id, one.unstoppable) for one in seen] == [("machine-1", "it is half gone"), ("machine-2", None)]
    assert await long.is_open("machine-1")
    assert not await long.is_open("machine-3")


async def test_its_first_message_is_the_first_part_that_stands(redis: Redis) -> None:
    long, works = stores(redis)
    await works.accept(ASKED, work_id="r-1", kind="request", queue="reads")
    work = await works.claim("r-1")
    assert work is not None
    assert await long.first_message("r-1", ("answer", "answer-direct")) is None
    await DeliveryStore(redis).sent(work, "answer-direct", "D1", "1.0")
    assert await long.first_message("r-1", ("answer", "answer-direct")) == ("D1", "1.0")
