"""A yes and its work are one step; whoever answers first has answered."""

import asyncio
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import Role
from bot.ports import Question
from bot.store import keys
from bot.store.approvals import ApprovalStore
from bot.store.work import WorkStore
from tests.doubles.ports import ANNA, BEN, House

pytestmark = pytest.mark.wire


@pytest.fixture
def approvals(redis: Redis) -> ApprovalStore:
    return ApprovalStore(redis, queue="steps", kick_s=0)


@pytest.fixture
def work(redis: Redis) -> WorkStore:
    return WorkStore(redis, lease_s=5, kick_s=0)


def question(name: str = "ask-1") -> Question:
    house = House()
    return Question(
        id=name,
        request=house.request("machine destroy prod-2", BEN),
        operation="machine.destroy",
        arguments={"name": "prod-2"},
        shown=("Destroy prod-2?",),
        second_person=True,
        role=Role.ADMIN,
        expires_at=house.clock.now() + timedelta(days=3650),
    )


async def test_a_question_comes_back_as_it_was_asked(approvals: ApprovalStore) -> None:
    await approvals.ask(question())
    assert await approvals.get("ask-1") == question()
    assert await approvals.get("ask-2") is None


async def test_asking_again_changes_nothing(approvals: ApprovalStore) -> None:
    await approvals.ask(question())
    await approvals.ask(question().model_copy(update={"arguments": {"name": "prod-1"}}))
    found = await approvals.get("ask-1")
    assert found is not None
    assert found.arguments == {"name": "prod-2"}


async def test_the_work_exists_if_and_only_if_the_question_is_spent(approvals: ApprovalStore, work: WorkStore) -> None:
    await approvals.ask(question())
    assert await work.claim("ask-1") is None
    assert await approvals.spend(question(), ANNA)
    made = await work.claim("ask-1")
    assert made is not None
    assert (made.request.approval, made.request.id, made.request.actor, made.queue) == ("ask-1", "ask-1", BEN, "steps")
    found = await approvals.get("ask-1")
    assert found is not None
    assert found.spent_by == ANNA.user_id


async def test_of_many_clicks_one_makes_the_work(approvals: ApprovalStore, work: WorkStore) -> None:
    await approvals.ask(question())
    assert sum(await asyncio.gather(*(approvals.spend(question(), ANNA) for _ in range(20)))) == 1
    assert await work.unfinished() == 1


async def test_of_yes_and_no_the_first_wins(approvals: ApprovalStore, work: WorkStore) -> None:
    await approvals.ask(question())
    assert await approvals.decline(question(), BEN)
    assert not await approvals.spend(question(), ANNA)
    assert not await approvals.decline(question(), ANNA)
    assert await work.unfinished() == 0
    found = await approvals.get("ask-1")
    assert found is not None
    assert found.spent_by is None


async def test_a_question_that_was_never_asked_cannot_be_spent(approvals: ApprovalStore, work: WorkStore) -> None:
    assert not await approvals.spend(question(), ANNA)
    assert await work.unfinished() == 0


async def test_a_spent_question_is_remembered_for_a_month(approvals: ApprovalStore, redis: Redis) -> None:
    await approvals.ask(question())
    await approvals.spend(question(), ANNA)
    assert 29 * 86_400 < await redis.ttl(keys.approval("ask-1")) <= 30 * 86_400


async def test_an_expired_question_is_remembered_for_another_day(approvals: ApprovalStore, redis: Redis) -> None:
    now = (await redis.time())[0]
    soon = House().clock.now().fromtimestamp(now + 60, tz=question().expires_at.tzinfo)
    await approvals.ask(question().model_copy(update={"expires_at": soon}))
    assert await redis.ttl(keys.approval("ask-1")) == pytest.approx(86_400 + 60, abs=2)


async def test_an_older_record_has_no_role_and_asks_for_an_operator(approvals: ApprovalStore, redis: Redis) -> None:
    old = question().model_dump_json(exclude={"role"})
    await redis.hset(keys.approval("ask-1"), "question", old)
    found = await approvals.get("ask-1")
    assert found is not None
    assert found.role is Role.OPERATOR
