"""Dead requests of ours go, and an end that nobody watches is watched again: by the yes that made the machine, and once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import ProvisioningModel, RequestState
from bot.operations.machine_tidy import dead, unwatched
from bot.ports import Lease, Question
from bot.services import Runtime
from bot.store import keys
from bot.store.approvals import ApprovalStore
from bot.store.leases import LeaseStore
from bot.store.long_work import LongWorkStore
from jobs.caretaker import Caretaker
from tests.doubles.ports import ANNA, BEN, NOW, TEAM
from tests.doubles.running import Workshop
from tests.doubles.sights import OURS, asked_for, fleet, machine
from tests.doubles.yard import Yard

pytestmark = pytest.mark.wire
MADE_BY = {**OURS, "work": "ask-1"}
SPOT = machine(provisioning=ProvisioningModel.SPOT, labels=MADE_BY)
LEASE = Lease(machine="prod-1", zone="us-east5-a", request="r", ends_at=NOW - timedelta(hours=1), owner="U1BEN", work="machine-1")
FAILED = asked_for(RequestState.FAILED, labels=MADE_BY)


async def runtime(redis: Redis, *, yes: bool = True) -> tuple[Workshop, Runtime]:
    shop = Workshop(redis)
    approvals = ApprovalStore(redis, queue="steps", kick_s=0)
    request = shop.house.request("machine create prod-1 v6e-4", BEN)
    question = Question(
        id="ask-1",
        request=request,
        operation="machine.create",
        arguments={},
        shown=(),
        second_person=False,
        expires_at=NOW + timedelta(days=3650),
    )
    if yes:
        await approvals.ask(question)
        await approvals.spend(question, ANNA)
    await LeaseStore(redis).put(TEAM, LEASE)
    house = replace(
        shop.house.services,
        approvals=approvals,
        leases=LeaseStore(redis),
        long_work=LongWorkStore(redis, queue="steps", kick_s=0),
        capacity=Yard().capacity(),
    )
    return shop, replace(shop.runtime, services=house)


async def begun(redis: Redis) -> list[str]:
    open_work = [one.decode() for one in await redis.zrange(keys.DUE, 0, -1)]
    kinds = [(await redis.hget(keys.work(one), "kind") or b"").decode() for one in open_work]
    return sorted(kind for kind in kinds if kind.startswith("machine."))


async def looks(shop: Workshop, of: Runtime, times: int = 3) -> None:
    for _ in range(times):
        await Caretaker(of).look()
        await Caretaker(of).look()
        shop.house.clock.move(minutes=31)


async def test_an_end_that_no_work_watches_is_watched_once_again_and_when_that_is_lost_too_once_more(redis: Redis) -> None:
    shop, of = await runtime(redis)
    shop.house.cloud.answer = fleet(SPOT)
    await looks(shop, of)
    assert await begun(redis) == ["machine.expire"]
    lost = [one for one in await redis.zrange(keys.DUE, 0, -1) if one.startswith(b"machine-")]
    await redis.zrem(keys.DUE, *lost)
    await looks(shop, of)
    assert await begun(redis) == ["machine.expire"]


async def test_without_the_yes_that_made_it_nothing_is_begun(redis: Redis) -> None:
    shop, of = await runtime(redis, yes=False)
    shop.house.cloud.answer = fleet(SPOT, requests=(FAILED,))
    await looks(shop, of, 5)
    assert await begun(redis) == []


async def test_a_request_that_failed_goes_after_an_hour_and_not_before(redis: Redis) -> None:
    shop, of = await runtime(redis)
    shop.house.cloud.answer = fleet(requests=(FAILED,))
    await looks(shop, of, 2)
    assert await begun(redis) == []
    await looks(shop, of, 2)
    assert await begun(redis) == ["machine.tidy"]


def test_only_what_is_ours_at_its_end_and_without_a_machine_that_runs_is_dead():
    foreign = asked_for(RequestState.FAILED, labels={})
    assert dead(fleet(requests=(FAILED, foreign, asked_for(RequestState.WAITING))), ()) == (FAILED,)
    assert dead(fleet(machine(), requests=(FAILED,)), ()) == ()


def test_google_ends_flex_start_machines_itself():
    assert unwatched(fleet(machine()), (LEASE,)) == ()
    assert [one.name for _, one in unwatched(fleet(SPOT), (LEASE,))] == ["prod-1"]
