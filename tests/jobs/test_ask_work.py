"""A question as work: one complete answer each, in the order of a thread, whoever dies at whichever call."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.agent import Agent
from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import Heard, ToolResult
from bot.operations.ask import ASK
from bot.operations.operation import Registry
from bot.ports import Thread
from bot.requests import Door, Place, Request
from bot.store import keys
from bot.store.conversations import ConversationStore
from bot.store.long_work import LongWorkStore
from bot.view import plain
from jobs.answer import answer
from jobs.long import long
from tests.bot.agent.conftest import Desk
from tests.doubles.gemma import ScriptedModel, calls, said
from tests.doubles.ports import BEN
from tests.doubles.running import Workshop
from tests.doubles.slack import FakeSlack

pytestmark = pytest.mark.wire

THREAD = Place(channel="C1", thread="1.5", message="2.5")
SLOW = "Yes: first token p90 is 0.98 s."


class Died(BaseException):
    """The process is gone: nothing in it can catch this."""


@dataclass
class Fuse:
    """Counts calls and blows at the k-th, once."""

    at: int = 0
    met: int = 0

    def __call__(self, *_what: object) -> None:
        self.met += 1
        if self.met == self.at:
            raise Died


class FusedRedis(Redis):
    """Every command may be the last one: before it is sent, or after it was carried out."""

    fuse: Callable[..., None] = Fuse()

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        self.fuse()
        answered = await super().execute_command(*args, **options)
        self.fuse()
        return answered


class FusedSlack(FakeSlack):
    """The same for Slack: a call dies before it arrives, or after."""

    fuse: Callable[..., None] = Fuse()

    def _called(self, method: str) -> None:
        self.fuse()
        super()._called(method)

    async def post(self, *args: Any, **more: Any) -> Any:
        posted = await super().post(*args, **more)
        self.fuse()
        return posted

    async def update(self, *args: Any, **more: Any) -> None:
        await super().update(*args, **more)
        self.fuse()


@dataclass
class Helpdesk(Workshop):
    """A workshop whose one word is `ask`, with the tools of the agent's tests behind it."""

    desk: Desk = field(default_factory=Desk)
    heard: Heard | None = None

    def __post_init__(self) -> None:
        self.registry: Registry = (ASK,)
        self.kinds = {"request": answer, "ask": long}
        self.house = self.desk.house
        self.house.long_work = LongWorkStore(self.redis, queue="steps", kick_s=0)
        agent = Agent(self.desk.registry, self.desk.services)
        self.house.more = {"answerer": agent, "conversations": ConversationStore(self.redis), "threads": self}
        self.house.more["model"] = self.desk.model

    async def root(self, channel: str, thread: str) -> Heard | None:
        assert (channel, thread) == ("C1", "1.5")
        return self.heard

    async def asks(self, question: str = "why is prod slow?", number: int = 1, place: Place = THREAD) -> Request:
        """A mention in the thread."""
        self.house.clock.move(seconds=1)
        door = Door.COMMAND if place.message is None else Door.MENTION
        request = self.house.request(question, BEN, door, place=place, id=str(number))
        await self.accept(request, f"r-{number}")
        return request

    async def go(self, *works: str, times: int = 14) -> None:
        """Each of these works, looked at again and again."""
        for _ in range(times):
            for work in works:
                if await self.field_of("state", work) not in (None, "done"):
                    await self.hand_over(work)
                    await self.look(work)

    def answers(self) -> list[str]:
        """What stands in the thread besides first messages."""
        standing = (plain(one.view.verdict) for one in self.slack.messages.values())
        return [words for words in standing if not words.startswith("ask-")]


def scripted(desk: Helpdesk) -> ScriptedModel:
    """Two look-ups, then the answer: by what it was told, as a model would, and not by the number of the call."""

    def turn(messages, _tools):
        looked = any(isinstance(one, ToolResult) for one in messages)
        return said(SLOW) if looked else calls(("status", {}), ("metrics", {"since": "1h"}))

    desk.desk.model.turns = [turn]
    return desk.desk.model


@pytest.fixture
def shop(redis: Redis) -> Helpdesk:
    made = Helpdesk(redis)
    scripted(made)
    return made


async def test_it_is_seen_at_once_then_what_it_looks_at_then_the_answer_for_who_asked(shop: Helpdesk) -> None:
    await shop.asks()
    await shop.go("r-1", "ask-1")
    first, last = shop.slack.messages.values()
    assert first.shown == [
        "ask-1: on it",
        "ask-1: looking at status, metrics 1h…",
        "ask-1: answered below",
    ]
    assert (first.thread, last.thread) == ("1.5", "1.5")
    assert last.view.mention is not None
    assert last.view.mention.id == BEN.user_id
    assert [plain(last.view.verdict), plain(last.view.lines[-1])] == [SLOW, "Sources: status, metrics · all figures checked"]


async def test_a_question_by_command_makes_a_thread_of_its_own_with_the_question_in_front(shop: Helpdesk) -> None:
    await shop.asks("ask why is prod slow?", place=Place(channel="C1"))
    await shop.go("r-1", "ask-1")
    (ts, first), (_, last) = shop.slack.messages.items()
    assert first.shown[0] == "ask-1: “why is prod slow?”, on it"
    assert (first.thread, last.thread) == (None, ts)
    exchanges = await ConversationStore(shop.redis).exchanges(Thread(team_id="T1", channel="C1", thread=ts))
    assert [(one.question, one.answer) for one in exchanges] == [("why is prod slow?", SLOW)]


async def test_a_button_in_what_one_person_sees_begins_a_thread_too(shop: Helpdesk) -> None:
    pressed = Place(channel="C1", message="9.9", ephemeral=True, response_url="https://hooks.example/1")
    request = shop.house.request("ask why prod is slow", BEN, Door.BUTTON, place=pressed, id="1")
    await shop.accept(request, "r-1")
    await shop.go("r-1", "ask-1")
    (ts, first), (_, last) = shop.slack.messages.items()
    assert (first.thread, last.thread) == (None, ts)
    assert first.shown[0] == "ask-1: “why prod is slow”, on it"
    thread = Thread(team_id="T1", channel="C1", thread=ts)
    assert len(await ConversationStore(shop.redis).exchanges(thread)) == 1


async def test_progress_has_a_stop_button_and_stop_ends_it_without_an_answer(shop: Helpdesk) -> None:
    shop.desk.model.turns = [RetryLater("Gemma does not answer.")]
    await shop.asks()
    await shop.go("r-1", "ask-1", times=4)
    (first,) = shop.slack.messages.values()
    assert first.view.buttons[-1].words == "unneeded ask-1"
    assert await shop.work.ask_to_stop("ask-1")
    await shop.go("ask-1")
    assert [message.shown[-1] for message in shop.slack.messages.values()] == [
        "ask-1 has ended: ask-1 was stopped, there is no answer",
        "ask-1 was stopped, there is no answer",
    ]


async def test_stop_hangs_up_on_a_model_that_thinks_without_end(shop: Helpdesk) -> None:
    async def pressed() -> None:
        assert await shop.work.ask_to_stop("ask-1")

    shop.house.more["work"] = shop.work
    shop.desk.model.meanwhile = pressed
    await shop.asks()
    await shop.go("r-1", "ask-1", times=6)
    assert [words for message in shop.slack.messages.values() for words in message.shown][-1] == (
        "ask-1 was stopped, there is no answer"
    )
    assert await shop.field_of("state", "ask-1") == "done"
    assert len(shop.desk.model.asked) == 1


async def test_questions_of_a_thread_are_answered_in_their_order(shop: Helpdesk) -> None:
    for number in range(1, 4):
        await shop.asks(f"question {number} of the thread?", number)
    shop.desk.model.turns = [lambda messages, _tools: said(f"On: {messages[-1].text.rpartition('UTC] ')[2]}")]
    for number in range(1, 4):
        await shop.go(f"r-{number}", times=1)
    await shop.go("ask-3", "ask-2", "ask-1", times=20)
    assert shop.answers() == [f"On: question {number} of the thread?" for number in range(1, 4)]


async def test_the_next_question_of_a_thread_is_looked_at_as_soon_as_the_one_before_is_answered(shop: Helpdesk) -> None:
    for number in (1, 2):
        await shop.asks(f"question {number} of the thread?", number)
        await shop.go(f"r-{number}", times=1)
    await shop.look("ask-2")
    assert await shop.waits_s("ask-2") > 10
    await shop.redis.delete(keys.KICKS)
    await shop.go("ask-1")
    assert await shop.waits_s("ask-2") < 0
    assert b"answers ask-2" in await shop.redis.lrange(keys.KICKS, 0, -1)


async def test_the_second_question_knows_the_first(shop: Helpdesk) -> None:
    await shop.asks("how is it?", 1)
    await shop.go("r-1", "ask-1")
    await shop.asks("and the waiting?", 2)
    await shop.go("r-2", "ask-2")
    sent = [one.text for one in shop.desk.model.asked[-1][0]]
    assert any(text.endswith("how is it?") for text in sent)
    assert SLOW in sent


async def test_an_alert_at_the_root_is_read_and_a_thread_that_cannot_be_read_is_no_reason(shop: Helpdesk) -> None:
    shop.heard = Heard(text="FIRING HighTTFT", by="Alertmanager", at=shop.house.clock.at)
    await shop.asks()
    await shop.go("r-1", "ask-1")
    assert "FIRING HighTTFT" in shop.desk.model.asked[0][0][1].text

    async def refused(channel: str, thread: str) -> None:
        raise PersonMovesNext("missing_scope")

    shop.house.more["threads"] = type("Closed", (), {"root": staticmethod(refused)})()
    await shop.asks("and now?", 2)
    await shop.go("r-2", "ask-2")
    assert shop.answers() == [SLOW, SLOW]


async def test_the_same_mention_twice_is_one_question(shop: Helpdesk) -> None:
    request = await shop.asks()
    await shop.accept(request, "r-1")
    await shop.go("r-1", "ask-1")
    await shop.accept(request, "r-1")
    await shop.go("r-1", "ask-1")
    assert shop.answers() == [SLOW]


async def test_slack_that_takes_nothing_for_a_while_gets_the_answer_once(shop: Helpdesk) -> None:
    await shop.asks()
    shop.slack.refuse("post", RetryLater("429", after_s=1, arrived=False), RetryLater("429", after_s=1, arrived=False))
    shop.slack.refuse("update", *(RetryLater("429", after_s=1, arrived=False) for _ in range(3)))
    await shop.go("r-1", "ask-1", times=20)
    assert shop.answers() == [SLOW]


async def test_gemma_that_is_away_is_told_and_the_question_is_kept_and_answered_when_it_is_back(shop: Helpdesk) -> None:
    turns = list(shop.desk.model.turns)
    shop.desk.model.turns = [RetryLater("Gemma does not answer at 127.0.0.1:1")]
    await shop.asks()
    await shop.go("r-1", "ask-1", times=8)
    (first,) = shop.slack.messages.values()
    assert "Gemma does not answer" in first.shown[-1]
    assert any("kept for 15 minutes" in plain(one) for one in first.view.lines)
    shop.desk.model.turns = turns
    await shop.go("ask-1")
    assert shop.answers() == [SLOW]


async def test_after_fifteen_minutes_the_question_is_dropped_with_words(shop: Helpdesk) -> None:
    shop.desk.model.turns = [RetryLater("Gemma does not answer at 127.0.0.1:1")]
    await shop.asks()
    await shop.go("r-1", "ask-1", times=6)
    shop.house.clock.move(minutes=16)
    await shop.go("ask-1", times=2)
    (told,) = shop.answers()
    assert told.startswith("Gemma does not answer")
    assert await shop.field_of("state", "ask-1") == "done"


async def run_with(valkey: str, fuse: Fuse) -> Helpdesk:
    """One question, driven by processes that die at the fuse's call, until all is done."""
    connection = FusedRedis.from_url(valkey)
    connection.fuse = Fuse()
    await connection.flushdb()
    slack = FusedSlack()
    shop = Helpdesk(connection, slack=slack)
    scripted(shop)
    await shop.asks()
    connection.fuse = slack.fuse = shop.desk.model.before = fuse
    for _ in range(12):
        try:
            await _until_done(shop)
        except Died:
            connection.fuse = slack.fuse = shop.desk.model.before = Fuse()
            continue
        break
    connection.fuse = Fuse()
    assert await shop.field_of("state", "ask-1") == "done", fuse
    await connection.aclose()
    return shop


async def _until_done(shop: Helpdesk) -> None:
    for _ in range(14):
        for work in ("r-1", "ask-1"):
            fused, shop.redis.fuse = shop.redis.fuse, Fuse()
            state = await shop.field_of("state", work)
            if state not in (None, "done"):
                await shop.hand_over(work)
            shop.redis.fuse = fused
            if state not in (None, "done"):
                await shop.look(work)


async def _each(valkey: str, check: Callable[[Helpdesk, int], Awaitable[None]]) -> int:
    whole = Fuse()
    await run_with(valkey, whole)
    for k in range(1, whole.met + 1):
        await check(await run_with(valkey, Fuse(at=k)), k)
    return whole.met


async def test_killed_at_any_call_there_is_exactly_one_complete_answer(valkey: str) -> None:
    async def one_answer(shop: Helpdesk, k: int) -> None:
        assert shop.answers() == [SLOW], f"died at call {k}"
        assert len(shop.slack.messages) == 2, f"died at call {k}"
        turns = [len(messages) for messages, _, _ in shop.desk.model.asked]
        assert len(turns) <= 3, f"died at call {k}: only the turn that was lost is asked again, {turns}"
        assert len(shop.desk.runs) <= 3, f"died at call {k}: {shop.desk.runs}"

    with capture_logs():
        assert await _each(valkey, one_answer) > 60
