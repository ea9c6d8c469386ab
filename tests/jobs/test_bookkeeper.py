"""The clock counts each slot once, whoever of several clocks takes it; what it could not see stays a gap."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.errors import RetryLater
from bot.nouns import Fleet, Machine, MachineState, ProvisioningModel, Zone
from bot.ports import Month
from bot.store.ledger import LedgerStore
from jobs.bookkeeper import Bookkeeper
from tests.doubles.ports import NOW
from tests.doubles.running import Workshop
from tests.doubles.sights import PROD

pytestmark = pytest.mark.wire


def fleet(*silent: str) -> Fleet:
    machine = Machine(
        backend="tpu",
        name="prod-1",
        zone=Zone(name="us-east5-a"),
        state=MachineState.READY,
        accelerator="v6e-4",
        created_at=NOW - timedelta(days=40),
        provisioning=ProvisioningModel.FLEX_START,
        labels={"deployment": "prod"},
    )
    return Fleet(at=NOW, machines=(machine,), requests=(), unreachable=dict.fromkeys(silent, "no answer"), zones_asked=6)


def watching(redis: Redis, every_s: float = 600) -> tuple[Workshop, Bookkeeper, Bookkeeper]:
    shop = Workshop(redis)
    shop.house.names.known = [PROD]
    shop.house.cloud.answer = fleet()
    runtime = shop.runtime
    runtime = replace(runtime, services=replace(runtime.services, ledger=LedgerStore(redis)))
    return shop, Bookkeeper(runtime, every_s), Bookkeeper(runtime, every_s)


async def month(redis: Redis, at: datetime = NOW) -> Month:
    found = await LedgerStore(redis).month("T1", at)
    assert found is not None
    return found


async def test_of_two_clocks_one_counts_a_slot_and_asks_the_cloud_once(redis: Redis) -> None:
    shop, one, other = watching(redis)
    await asyncio.gather(one.look(), other.look(), one.look())
    await other.look()
    assert len(shop.house.cloud.asked) == 1
    found = await month(redis)
    assert (found.since, found.until, found.seen_s) == (NOW - timedelta(minutes=10), NOW, 600)
    assert [(one.kind.deployment, one.run_s) for one in found.counted] == [("prod", 600)]
    shop.house.clock.move(minutes=10)
    await other.look()
    assert (await month(redis)).counted[0].run_s == 1200


async def test_a_slot_whose_claim_was_lost_is_still_counted_once(redis: Redis) -> None:
    _, one, other = watching(redis)
    await one.look()
    await redis.delete(*await redis.keys("gemma:once:*"))
    await other.look()
    assert (await month(redis)).counted[0].run_s == 600


async def test_a_cloud_that_does_not_answer_leaves_a_gap_and_a_silent_zone_is_named(redis: Redis) -> None:
    shop, one, _ = watching(redis)
    await one.look()
    shop.house.clock.move(minutes=10)
    shop.house.cloud.answer = RetryLater("Google does not answer.")
    with capture_logs() as logs:
        await one.look()
    assert [line["event"] for line in logs] == ["machine time not counted"]
    shop.house.clock.move(minutes=10)
    shop.house.cloud.answer = fleet("us-east5-b")
    await one.look()
    found = await month(redis)
    assert (found.seen_s, (found.until - found.since).total_seconds()) == (1200, 1800)
    assert found.counted[0].run_s == 1200
    assert found.unseen == {"us-east5-b": 600}


async def test_the_last_slot_of_a_month_belongs_to_it_and_none_lies_in_two(redis: Redis) -> None:
    shop, one, _ = watching(redis, every_s=7 * 3600)
    shop.house.clock.at = datetime(2026, 12, 1, 0, 30, tzinfo=UTC)
    for _ in range(3):
        await one.look()
        shop.house.clock.move(hours=7)
    december = await month(redis, shop.house.clock.at)
    assert december.since == datetime(2026, 12, 1, tzinfo=UTC)
    assert december.seen_s == (december.until - december.since).total_seconds()


async def test_another_length_of_slots_counts_no_time_twice(redis: Redis) -> None:
    shop, short, _ = watching(redis)
    shop.house.clock.move(minutes=10)
    await short.look()
    shop.house.clock.move(minutes=50)
    longer, hours, _ = watching(redis, every_s=3600)
    longer.house.clock.at = shop.house.clock.at
    await hours.look()
    found = await month(redis)
    assert (found.seen_s, found.counted[0].run_s) == (3600, 3600)
    assert found.until - found.since == timedelta(hours=1)


async def test_nothing_is_counted_where_it_is_switched_off(redis: Redis) -> None:
    shop, _, _ = watching(redis)
    await Bookkeeper(shop.runtime, 600).look()
    await watching(redis, every_s=0)[1].look()
    assert await LedgerStore(redis).month("T1", NOW) is None
    assert shop.house.cloud.asked == []
