"""The intent to post stands before the post, and only the holder of the work may post."""

import pytest
from redis.asyncio import Redis

from bot.store import keys
from bot.store.deliveries import DeliveryStore
from bot.store.work import Work, WorkStore
from tests.doubles.ports import NOW, House

pytestmark = pytest.mark.wire


@pytest.fixture
async def work(redis: Redis) -> Work:
    store = WorkStore(redis, lease_s=5, kick_s=0)
    await store.accept(House().request("status"), work_id="r-1", kind="request", queue="reads")
    found = await store.claim("r-1")
    assert found is not None
    return found


@pytest.fixture
def deliveries(redis: Redis) -> DeliveryStore:
    return DeliveryStore(redis)


async def test_untried_then_unknown_since_the_first_try_then_sent(deliveries: DeliveryStore, work: Work) -> None:
    first = await deliveries.begin(work, "answer", NOW)
    assert (first.standing, first.since) == ("untried", NOW)
    again = await deliveries.begin(work, "answer", NOW.replace(hour=9))
    assert (again.standing, again.since) == ("unknown", NOW)
    await deliveries.sent(work, "answer", "C1", "1764471600.000100")
    known = await deliveries.begin(work, "answer", NOW)
    assert (known.standing, known.channel, known.ts) == ("sent", "C1", "1764471600.000100")


async def test_each_part_is_a_message_of_its_own(deliveries: DeliveryStore, work: Work) -> None:
    await deliveries.begin(work, "answer", NOW)
    assert (await deliveries.begin(work, "answer-direct", NOW)).standing == "untried"


async def test_who_lost_the_lease_may_not_post(deliveries: DeliveryStore, work: Work, redis: Redis) -> None:
    await redis.hset(keys.work("r-1"), "lease_until", 0)
    store = WorkStore(redis, lease_s=5, kick_s=0)
    new = await store.claim("r-1")
    assert new is not None
    assert (await deliveries.begin(work, "answer", NOW)).standing == "lost"
    assert (await deliveries.begin(new, "answer", NOW)).standing == "untried"


async def test_an_intent_is_forgotten_with_its_work(deliveries: DeliveryStore, work: Work, redis: Redis) -> None:
    await deliveries.begin(work, "answer", NOW)
    await deliveries.sent(work, "answer", "C1", "1.2")
    assert 86_000 < await redis.ttl(keys.delivery("r-1", "answer")) <= 86_400
