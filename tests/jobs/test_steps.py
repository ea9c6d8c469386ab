"""A step: claimed, kept, moved and let go; whatever happens inside, nothing is lost and nothing is done twice."""

import asyncio

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisAwayError
from structlog.testing import capture_logs

from bot.errors import PersonMovesNext, RetryLater
from bot.store import keys
from jobs.steps import BACKOFF_S, CLAIMS_LIMIT, Kind, LeaseLostError, Step, reference
from tests.doubles.running import Workshop

pytestmark = pytest.mark.wire


def raising(error: Exception) -> Kind:
    async def kind(_step: Step) -> None:
        raise error

    return kind


async def workshop(redis: Redis, kind: Kind, lease_s: float = 5) -> Workshop:
    made = Workshop(redis, kinds={"request": kind}, lease_s=lease_s)
    await made.accept(made.house.request("status"))
    return made


async def finish(step: Step) -> None:
    await step.move("done", said="hello")


async def test_a_step_moves_its_work(redis: Redis) -> None:
    shop = await workshop(redis, finish)
    await shop.look()
    assert (await shop.field_of("state"), await shop.field_of("said")) == ("done", "hello")


async def test_a_kick_for_nothing_does_nothing(redis: Redis) -> None:
    shop = await workshop(redis, raising(AssertionError("it ran")))
    await shop.look("r-unknown")


async def test_work_that_another_holds_is_left_alone(redis: Redis) -> None:
    shop = await workshop(redis, raising(AssertionError("it ran")))
    await shop.work.claim("r-1")
    await shop.look()


async def test_a_moved_step_knows_its_new_state_and_fields(redis: Redis) -> None:
    seen: list[tuple[str, str]] = []

    async def kind(step: Step) -> None:
        await step.move("waiting", zone="us-east5-a")
        seen.append((step.work.state, step.work.data["zone"]))
        await step.move("done")

    await (await workshop(redis, kind)).look()
    assert seen == [("waiting", "us-east5-a")]


async def test_passing_trouble_is_put_off_for_as_long_as_the_other_side_asked(redis: Redis) -> None:
    shop = await workshop(redis, raising(RetryLater("Slack asks us to slow down.", after_s=42)))
    await shop.look()
    assert await shop.waits_s() == pytest.approx(42, abs=1)
    assert await shop.field_of("state") == "new"


@pytest.mark.parametrize(("claim", "wait"), [(1, 0.5), (2, 1), (4, 4), (7, 30), (30, 30)])
async def test_trouble_without_a_time_is_put_off_longer_each_time(redis: Redis, claim: int, wait: float) -> None:
    shop = await workshop(redis, raising(RetryLater("Slack does not answer.")))
    await redis.hset(keys.work("r-1"), "fence", claim - 1)
    await shop.look()
    assert await shop.waits_s() == pytest.approx(wait, abs=0.3)
    assert wait in BACKOFF_S


async def test_our_own_fault_is_logged_with_a_reference_and_tried_again(redis: Redis) -> None:
    shop = await workshop(redis, raising(ValueError("a bug")))
    with capture_logs() as logged:
        await shop.look()
    assert [(one["event"], one["ref"]) for one in logged] == [("step failed", reference("r-1"))]
    assert await shop.field_of("state") == "new"


async def test_a_fault_that_never_ends_is_given_up(redis: Redis) -> None:
    shop = await workshop(redis, raising(ValueError("a bug")))
    await redis.hset(keys.work("r-1"), "fence", CLAIMS_LIMIT - 1)
    with capture_logs():
        await shop.look()
    assert await shop.field_of("state") == "done"


async def test_what_a_person_must_put_right_ends_the_work(redis: Redis) -> None:
    shop = await workshop(redis, raising(PersonMovesNext("The token was revoked.")))
    with capture_logs() as logged:
        await shop.look()
    assert (logged[0]["event"], logged[0]["why"]) == ("given up", "The token was revoked.")
    assert await shop.field_of("state") == "done"


async def test_a_lost_lease_stops_silently(redis: Redis) -> None:
    shop = await workshop(redis, raising(LeaseLostError("r-1")))
    with capture_logs() as logged:
        await shop.look()
    assert [one["log_level"] for one in logged] == ["info"]


@pytest.mark.parametrize("error", [RetryLater("later"), ValueError("a bug"), PersonMovesNext("no")])
async def test_who_lost_the_lease_meanwhile_changes_nothing_whatever_went_wrong(redis: Redis, error: Exception) -> None:
    shop = await workshop(redis, raising(error))

    async def overtaken(_step: Step) -> None:
        await shop.hand_over()
        assert await shop.work.claim("r-1") is not None
        raise error

    shop.kinds = {"request": overtaken}
    with capture_logs() as logged:
        await shop.look()
    assert logged[-1]["event"] == "lease lost"
    assert (await shop.field_of("state"), await shop.field_of("fence")) == ("new", "2")


async def test_memory_that_goes_away_leaves_the_work_for_the_next_kick(redis: Redis) -> None:
    shop = await workshop(redis, raising(RedisAwayError("gone")))
    with capture_logs() as logged:
        await shop.look()
    assert logged[0]["event"] == "memory is away, the clock kicks again"
    assert await shop.field_of("state") == "new"


async def test_a_lease_is_kept_while_the_step_runs_long(redis: Redis) -> None:
    async def long(step: Step) -> None:
        await asyncio.sleep(0.25)
        await step.move("done")

    shop = await workshop(redis, long, lease_s=0.12)
    await shop.look()
    assert await shop.field_of("state") == "done"
    assert await shop.field_of("fence") == "1"


async def test_a_holder_whose_lease_is_taken_is_ended(redis: Redis) -> None:
    async def endless(_step: Step) -> None:
        await shop.hand_over()
        assert await shop.work.claim("r-1") is not None
        await asyncio.Event().wait()

    shop = await workshop(redis, endless, lease_s=0.06)
    async with asyncio.timeout(3):
        with pytest.raises(asyncio.CancelledError):
            await shop.look()
    assert await shop.field_of("fence") == "2"


async def test_a_step_that_is_told_to_end_lets_its_work_go_at_once(redis: Redis) -> None:
    begun = asyncio.Event()

    async def endless(_step: Step) -> None:
        begun.set()
        await asyncio.Event().wait()

    shop = await workshop(redis, endless)
    task = asyncio.create_task(shop.look())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await shop.work.due() == [("r-1", "reads")]
    assert await shop.work.claim("r-1") is not None


def test_a_reference_is_four_characters_that_stay_the_same() -> None:
    assert reference("r-1") == reference("r-1") != reference("r-2")
    assert len(reference("r-1")) == 4
