"""An answer: stored before it is sent, one message however often it is tried, and words for whatever went wrong."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from pydantic import BaseModel
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.errors import PersonMovesNext, RetryLater, UsageError, WeMoveNext
from bot.nouns import Effect, Role, SeenBy
from bot.operations.again import details_operation
from bot.operations.operation import AnyOperation, Context, NoArguments, Operation, Started
from bot.requests import Door, Place, Request
from bot.slack.failures import MessageGoneError
from bot.store import keys
from bot.view import View, line, plain
from jobs.steps import CLAIMS_LIMIT, reference
from tests.doubles.running import Workshop
from tests.doubles.slack import FakeSlack

pytestmark = pytest.mark.wire


class Said(BaseModel):
    """Words."""

    words: str


async def fresh(_context: Context, _arguments: NoArguments) -> Said:
    return Said(words="fresh")


async def remembered(_context: Context, _arguments: NoArguments) -> Said:
    return Said(words="remembered")


def slow(slack: FakeSlack) -> Callable[[Context, NoArguments], Awaitable[Said]]:
    """Answers when something was shown early, and not before."""

    async def run(context: Context, arguments: NoArguments) -> Said:
        async with asyncio.timeout(5):
            while not slack.calls:
                await asyncio.sleep(0.005)
        return await fresh(context, arguments)

    return run


def asking(
    run: Callable[[Context, NoArguments], Awaitable[object]], *, early: bool = False, seen_by: SeenBy = SeenBy.YOU
) -> AnyOperation:
    return Operation(
        path="status",
        summary="how it stands",
        when_to_use="In tests.",
        example="status",
        arguments=NoArguments,
        effect=Effect.READS,
        role=Role.VIEWER,
        seen_by=SeenBy.YOU,
        run=run,
        early=remembered if early else None,
        show=lambda found, _context: View(verdict=line(found.words)),
        timeout=5,
    )


COMMAND = Place(channel="C1", response_url="https://hooks.example/1")
MENTION = Place(channel="C1", thread="1.0", message="2.0")


def failing(error: Exception) -> Callable[[Context, NoArguments], Awaitable[Said]]:
    async def run(_context: Context, _arguments: NoArguments) -> Said:
        raise error

    return run


async def asked(shop: Workshop, place: Place = COMMAND, door: Door = Door.COMMAND) -> Request:
    request = shop.house.request("status", door=door, place=place)
    await shop.accept(request)
    return request


def verdicts(shop: Workshop) -> list[str]:
    return [plain(view.verdict) for _, _, view in shop.slack.alone]


async def test_a_command_is_answered_to_the_asker_alone(redis: Redis) -> None:
    shop = Workshop(redis, (asking(fresh),))
    await asked(shop)
    await shop.look()
    assert verdicts(shop) == ["fresh"]
    assert await shop.field_of("state") == "done"
    assert shop.slack.messages == {}


async def test_who_would_wait_is_shown_what_is_remembered_and_then_the_answer_in_its_place(redis: Redis) -> None:
    shop = Workshop(redis)
    shop.registry = (asking(slow(shop.slack), early=True),)
    await asked(shop)
    await shop.look()
    assert verdicts(shop) == ["remembered", "fresh"]
    assert {replace for _, replace, _ in shop.slack.alone} == {True}


async def test_a_mention_shows_both_in_one_message_of_its_thread(redis: Redis) -> None:
    shop = Workshop(redis)
    shop.registry = (asking(slow(shop.slack), early=True),)
    await asked(shop, MENTION, Door.MENTION)
    await shop.look()
    (message,) = shop.slack.messages.values()
    assert (message.channel, message.thread, message.shown) == ("C1", "1.0", ["remembered", "fresh"])


async def test_nothing_is_shown_early_where_a_second_message_would_follow(redis: Redis) -> None:
    async def patient(context: Context, arguments: NoArguments) -> Said:
        await asyncio.sleep(0.4)
        return await fresh(context, arguments)

    shop = Workshop(redis, (asking(patient, early=True),))
    pressed = COMMAND.model_copy(update={"message": "9.0"})
    await asked(shop, pressed, Door.BUTTON)
    await shop.look()
    assert [(replace, plain(view.verdict)) for _, replace, view in shop.slack.alone] == [(False, "fresh")]


async def test_nothing_is_shown_early_to_a_command_where_slack_replaces_no_answers(redis: Redis) -> None:
    async def patient(_context: Context, _arguments: NoArguments) -> Said:
        await asyncio.sleep(0.4)
        return Said(words="fresh")

    shop = Workshop(redis, (asking(patient, early=True),), replaceable=False)
    await asked(shop)
    await shop.look()
    assert verdicts(shop) == ["fresh"]


async def test_what_cannot_be_shown_early_is_no_reason_not_to_answer(redis: Redis) -> None:
    shop = Workshop(redis)
    shop.registry = (asking(slow(shop.slack), early=True),)
    shop.slack.refuse("respond", ValueError("a bug"))
    await asked(shop)
    await shop.look()
    assert verdicts(shop) == ["fresh"]


async def test_whoever_takes_over_sends_the_same_answer_and_runs_nothing_again(redis: Redis) -> None:
    runs: list[str] = []

    async def once(_context: Context, _arguments: NoArguments) -> Said:
        runs.append("ran")
        return Said(words=f"answer {len(runs)}")

    shop = Workshop(redis, (asking(once),))
    await asked(shop)
    shop.slack.refuse("respond", RetryLater("Slack does not answer."))
    await shop.look()
    assert await shop.field_of("state") == "answered"
    await shop.hand_over()
    await shop.look()
    assert (runs, verdicts(shop)) == (["ran"], ["answer 1"])


async def test_a_post_that_arrived_without_our_knowing_is_found_and_not_repeated(redis: Redis) -> None:
    shop = Workshop(redis, (asking(fresh),))
    await asked(shop, MENTION, Door.MENTION)
    shop.slack.break_after_post = True
    await shop.look()
    await shop.hand_over()
    await shop.look()
    (message,) = shop.slack.messages.values()
    assert message.shown == ["fresh", "fresh"]
    assert await shop.field_of("state") == "done"


async def test_wrong_words_are_told_without_a_reference(redis: Redis) -> None:
    shop = Workshop(redis, (asking(failing(UsageError("“x” is no zone.", near=("status",)))),))
    await asked(shop)
    await shop.look()
    ((_, _, view),) = shop.slack.alone
    assert plain(view.verdict) == "“x” is no zone."
    assert all("ref" not in plain(one) for one in view.lines)
    assert [button.words for button in view.buttons] == ["status"]


async def test_trouble_of_a_neighbour_is_told_with_the_reference_of_its_log_line(redis: Redis) -> None:
    shop = Workshop(redis, (asking(failing(RetryLater("Google does not answer.", next_step="Try again."))),))
    await asked(shop)
    with capture_logs() as logged:
        await shop.look()
    ((_, _, view),) = shop.slack.alone
    assert [plain(one) for one in (view.verdict, *view.lines)] == [
        "Google does not answer.",
        "Try again.",
        f"ref {reference('r-1')}",
    ]
    assert logged[0]["ref"] == reference("r-1")


async def test_our_own_fault_is_told_with_the_reference_and_none_of_its_words(redis: Redis) -> None:
    shop = Workshop(redis, (asking(failing(ValueError("secret detail"))),))
    await asked(shop)
    with capture_logs() as logged:
        await shop.look()
    ((_, _, view),) = shop.slack.alone
    words = " ".join(map(plain, (view.verdict, *view.lines)))
    assert reference("r-1") in words
    assert "secret detail" not in words
    assert [one["event"] for one in logged if one["log_level"] == "error"] == ["operation failed"]


async def test_an_answer_that_slack_refuses_is_told_as_a_fault_of_ours(redis: Redis) -> None:
    shop = Workshop(redis, (asking(fresh),))
    await asked(shop)
    shop.slack.refuse("respond", WeMoveNext("Slack refused respond: invalid_blocks"))
    with capture_logs():
        await shop.look()
    assert verdicts(shop) == ["Something went wrong on my side, so I have no answer"]
    assert await shop.field_of("state") == "done"


async def test_a_request_that_keeps_killing_its_worker_is_given_up_and_told(redis: Redis) -> None:
    shop = Workshop(redis, (asking(failing(AssertionError("it ran again"))),))
    await asked(shop)
    await redis.hset(keys.work("r-1"), "fence", CLAIMS_LIMIT)
    await shop.look()
    assert verdicts(shop) == ["Something went wrong on my side, so I have no answer"]


async def test_long_work_is_said_and_kicked(redis: Redis) -> None:
    async def start(_context: Context, _arguments: NoArguments) -> Started:
        return Started(work_id="find-1", said="Looking")

    shop = Workshop(redis, (asking(start),))
    await asked(shop)
    await shop.look()
    assert shop.kicks == [("find-1", "steps")]
    (message,) = shop.slack.messages.values()
    assert (message.thread, message.shown) == (None, ["Looking"])


async def test_an_answer_can_be_opened_again_and_shared_from_its_button(redis: Redis) -> None:
    shop = Workshop(redis, (asking(fresh),))
    request = await asked(shop)
    await shop.look()
    assert [button.words for _, _, view in shop.slack.alone for button in view.buttons] == ["share r-1"]
    assert await shop.work.answer("r-1") == (request, View(verdict=line("fresh")))


@pytest.mark.parametrize(
    ("place", "offered"),
    [
        (Place(channel="C1", message="1.0", ephemeral=True, response_url="https://hooks.example/2"), ["share r-1"]),
        (Place(channel="D1", message="1.0", direct=True), []),
    ],
)
async def test_behind_details_it_can_still_be_shared_where_others_are(redis: Redis, place: Place, offered: list[str]) -> None:
    operation = asking(fresh)
    shop = Workshop(redis, (operation, details_operation(lambda: (operation,))))
    await asked(shop)
    await shop.look()
    given = await shop.work.answer("r-1")
    assert given is not None
    shop.house.desk.given["r-1"] = given
    await shop.accept(shop.house.request("details r-1", door=Door.BUTTON, place=place), "r-2")
    await shop.look("r-2")
    shown = [view for *_, view in shop.slack.alone] + [message.view for message in shop.slack.messages.values()]
    assert [button.words for button in shown[-1].buttons] == offered


@pytest.mark.parametrize("path", ["post", "respond"])
async def test_a_place_that_does_not_take_the_answer_is_replaced_by_a_direct_message(redis: Redis, path: str) -> None:
    shop = Workshop(redis, (asking(fresh),))
    await asked(shop, *((MENTION, Door.MENTION) if path == "post" else (COMMAND, Door.COMMAND)))
    shop.slack.refuse(path, PersonMovesNext("I am not a member of that channel.", next_step="Say /invite @gemma there."))
    await shop.look()
    (message,) = shop.slack.messages.values()
    assert (message.channel, message.thread, message.shown) == ("DU1DANA", None, ["fresh"])
    hints = [plain(one) for one in message.view.lines]
    assert hints == (["So I answer here. I am not a member of that channel. Say /invite @gemma there."] if path == "post" else [])


async def test_a_message_that_somebody_deleted_is_said_anew(redis: Redis) -> None:
    shop = Workshop(redis)
    shop.registry = (asking(slow(shop.slack), early=True),)
    shop.slack.refuse("update", MessageGoneError("That message is no longer there."))
    await asked(shop, MENTION, Door.MENTION)
    await shop.look()
    assert [one.shown for one in shop.slack.messages.values()] == [["remembered"], ["fresh"]]
