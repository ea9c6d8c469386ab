"""The ledger: each span of time is added once, months stay apart, gaps stay gaps, and nobody can fill the memory."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from redis.asyncio import Redis

from bot.nouns import Price, ProvisioningModel
from bot.ports import Counted, Kind
from bot.store import keys
from bot.store.ledger import KEPT_S, LedgerStore

pytestmark = pytest.mark.wire

AT = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
SLOT = timedelta(minutes=10)
PRICE = Price(
    generation="v6e",
    region="us-east5",
    provisioning=ProvisioningModel.SPOT,
    usd_per_chip_hour=1.35,
    at=AT,
    source="list price | of \u201ctoday\u201d",
)


def counted(deployment: str | None = "prod", price: Price | None = PRICE, run_s: int = 600) -> Counted:
    kind = Kind(
        deployment=deployment,
        accelerator="v6e-4",
        provisioning=ProvisioningModel.SPOT,
        zone="us-east5-a",
        chips=4,
        price=price,
    )
    return Counted(kind=kind, run_s=run_s, busy_s=200, idle_s=100, output_tokens=5_000_000_000, tokens_s=300)


async def test_time_adds_up_by_kind_and_is_read_back_as_it_was_written(redis: Redis) -> None:
    store = LedgerStore(redis)
    for slot in range(3):
        begun = AT + slot * SLOT
        assert await store.add("T1", begun, begun + SLOT, [counted(), counted(None)], {"us-east5-b": 600})
    month = await store.month("T1", AT)
    assert month is not None
    assert (month.since, month.until, month.seen_s) == (AT, AT + 3 * SLOT, 1800)
    assert month.unseen == {"us-east5-b": 1800}
    prod = next(one for one in month.counted if one.kind.deployment == "prod")
    assert prod == counted().model_copy(
        update={"run_s": 1800, "busy_s": 600, "idle_s": 300, "output_tokens": 15_000_000_000, "tokens_s": 900}
    )


async def test_a_replayed_span_adds_nothing_also_when_both_come_at_once(redis: Redis) -> None:
    one, other = LedgerStore(redis), LedgerStore(redis)
    first = await asyncio.gather(*(store.add("T1", AT, AT + SLOT, [counted()], {}) for store in (one, other, one)))
    assert sorted(first) == [False, False, True]
    before = await one.month("T1", AT)
    assert await one.add("T1", AT - SLOT, AT, [counted()], {}) is False, "nor does one from before"
    assert await one.month("T1", AT) == before


async def test_a_gap_is_time_that_was_not_seen(redis: Redis) -> None:
    store = LedgerStore(redis)
    await store.add("T1", AT, AT + SLOT, [counted()], {})
    await store.add("T1", AT + 5 * SLOT, AT + 6 * SLOT, [counted()], {})
    month = await store.month("T1", AT)
    assert month is not None
    assert month.seen_s == 1200
    assert month.until - month.since == 6 * SLOT
    assert month.counted[0].run_s == 1200


async def test_another_price_is_another_kind_so_that_old_hours_keep_theirs(redis: Redis) -> None:
    store = LedgerStore(redis)
    await store.add("T1", AT, AT + SLOT, [counted()], {})
    dearer = PRICE.model_copy(update={"usd_per_chip_hour": 2.0})
    await store.add("T1", AT + SLOT, AT + 2 * SLOT, [counted(price=dearer)], {})
    month = await store.month("T1", AT)
    assert month is not None
    assert {one.kind.price.usd_per_chip_hour: one.run_s for one in month.counted if one.kind.price} == {1.35: 600, 2.0: 600}


async def test_months_and_workspaces_are_kept_apart_and_not_for_ever(redis: Redis) -> None:
    store = LedgerStore(redis)
    turn = datetime(2026, 12, 1, tzinfo=UTC)
    await store.add("T1", turn - SLOT, turn, [counted()], {})
    await store.add("T1", turn, turn + SLOT, [counted()], {})
    november, december = await store.month("T1", AT), await store.month("T1", turn)
    assert november is not None
    assert december is not None
    assert (november.until, december.since) == (turn, turn)
    assert await store.month("T2", AT) is None
    assert 0 < await redis.ttl(keys.ledger("T1", "2026-11")) <= KEPT_S


@pytest.mark.parametrize("until", [AT, AT - SLOT, AT + timedelta(days=3)])
async def test_what_is_no_span_of_one_month_is_refused(redis: Redis, until: datetime) -> None:
    with pytest.raises(ValueError, match="not a span of one month"):
        await LedgerStore(redis).add("T1", AT, until, [counted()], {})
    assert await redis.keys() == []


async def test_more_kinds_than_are_kept_are_counted_as_such_and_take_no_room(redis: Redis) -> None:
    store = LedgerStore(redis, most_fields=20)
    for slot in range(3):
        begun = AT + slot * SLOT
        await store.add("T1", begun, begun + SLOT, [counted(f"d{n}") for n in range(50)], {})
    month = await store.month("T1", AT)
    assert month is not None
    assert await redis.hlen(keys.ledger("T1", "2026-11")) <= 21
    kept = sum(one.run_s for one in month.counted)
    assert kept + month.over_s == 3 * 50 * 600
    assert month.over_s > 0
