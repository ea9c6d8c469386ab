"""The file that follows an answer."""

from dataclasses import replace

import pytest
from pydantic import BaseModel
from redis.asyncio import Redis

from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import Effect, Role, SeenBy
from bot.operations.operation import Context, NoArguments, Operation
from bot.requests import Door, Place
from bot.view import Attachment, View, line
from tests.doubles.running import Workshop

pytestmark = pytest.mark.wire

FILE = Attachment(name="prod-metrics.txt", title="prod: metrics", content="vllm:thing 1\n")
COMMAND = Place(channel="C1", response_url="https://hooks.slack.com/commands/1")
MENTION = Place(channel="C1", message="1.0")


class Said(BaseModel):
    words: str = "with a file"


async def answer(_context: Context, _arguments: NoArguments) -> Said:
    return Said()


def show(said: Said, _context: Context) -> View:
    return View(verdict=line(said.words), attachment=FILE)


ASK = Operation(
    path="ask", summary="s", when_to_use="w", example="ask", arguments=NoArguments, effect=Effect.READS,
    role=Role.VIEWER, seen_by=SeenBy.YOU, run=answer, show=show,
)  # fmt: skip


async def asked(redis: Redis, place: Place, door: Door) -> Workshop:
    shop = Workshop(redis, (ASK,))
    await shop.accept(shop.house.request("ask", place=place, door=door))
    return shop


async def test_after_a_command_the_file_stands_in_the_askers_direct_messages(redis: Redis) -> None:
    shop = await asked(redis, COMMAND, Door.COMMAND)
    await shop.look()
    assert [(channel, thread, file) for channel, thread, file in shop.slack.attached] == [("DU1DANA", None, FILE)]


async def test_after_a_mention_the_file_stands_in_its_thread(redis: Redis) -> None:
    shop = await asked(redis, MENTION, Door.MENTION)
    await shop.look()
    assert shop.slack.attached == [("C1", "1.0", FILE)]


async def test_a_channel_that_takes_no_file_is_no_reason_not_to_show_it(redis: Redis) -> None:
    shop = await asked(redis, MENTION, Door.MENTION)
    shop.slack.refuse("attach", PersonMovesNext("I am not a member of that channel."))
    await shop.look()
    assert [channel for channel, _, _ in shop.slack.attached] == ["DU1DANA"]


async def test_a_file_that_slack_does_not_take_never_costs_the_answer(redis: Redis) -> None:
    shop = await asked(redis, MENTION, Door.MENTION)
    shop.slack.refuse("attach", RetryLater("Slack does not answer."))
    await shop.look()
    (message,) = shop.slack.messages.values()
    assert message.shown == ["with a file"]
    assert await shop.field_of("state") == "done"


async def test_a_private_file_goes_to_the_asker_alone_though_the_answer_stands_in_a_channel(redis: Redis) -> None:
    private = FILE.model_copy(update={"private": True})
    whole = replace(ASK, show=lambda said, _context: View(verdict=line(said.words), attachment=private))
    shop = Workshop(redis, (whole,))
    await shop.accept(shop.house.request("ask", place=MENTION, door=Door.MENTION))
    await shop.look()
    assert [(channel, thread) for channel, thread, _ in shop.slack.attached] == [("DU1DANA", None)]
