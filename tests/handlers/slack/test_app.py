"""The doors that Slack knocks at: written down and acknowledged; when memory is away, said or sent again."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis.asyncio import Redis
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient
from structlog.testing import capture_logs

from bot.errors import RetryLater
from bot.operations import OPERATIONS
from bot.store.counters import Counters
from bot.store.work import WorkStore
from bot.view import View, plain
from handlers.slack.app import NOT_READ, NOT_TAKEN, Listeners, build
from jobs.inbox import Inbox
from sandbox.slack import SlackStandIn
from tests.doubles.ports import HeldClock

pytestmark = pytest.mark.wire

COMMAND = {
    "command": "/gemma",
    "team_id": "T0SANDBOX",
    "user_id": "U0ANNA",
    "channel_id": "C0OPS",
    "channel_name": "ops",
    "text": "status",
    "trigger_id": "1.2.3",
    "response_url": "http://127.0.0.1:1/r",
}
BUTTON = {
    "type": "block_actions",
    "team": {"id": "T0SANDBOX"},
    "user": {"id": "U0ANNA", "team_id": "T0SANDBOX"},
    "container": {"channel_id": "C0OPS", "message_ts": "1.0"},
    "actions": [{"type": "button", "action_id": "say:0", "block_id": "b", "value": "status"}],
    "trigger_id": "4.5.6",
    "response_url": "http://127.0.0.1:1/r",
}
MENTION = {
    "type": "event_callback",
    "team_id": "T0SANDBOX",
    "event": {
        "type": "app_mention",
        "user": "U0ANNA",
        "text": "<@U0GEMMA> status",
        "ts": "1.2",
        "channel": "C0OPS",
        "team": "T0SANDBOX",
    },
}


@dataclass
class Door:
    """The app as Slack reaches it, and what was said."""

    app: AsyncApp
    store: WorkStore
    said: list[str] = field(default_factory=list)

    async def knock(self, body: dict[str, Any]) -> tuple[int, str]:
        """Status and body of the acknowledgement."""
        answer = await self.app.async_dispatch(AsyncBoltRequest(body=json.dumps(body), mode="socket_mode"))
        return answer.status, answer.body


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    standin = SlackStandIn(rate_limits=False)
    await standin.start()
    yield standin
    await standin.stop()


def opened(slack: SlackStandIn, redis: Redis, respond_error: Exception | None = None) -> Door:
    store = WorkStore(redis, lease_s=5, kick_s=0)
    door: Door

    async def respond(response_url: str, view: View) -> None:
        del response_url
        if respond_error is not None:
            raise respond_error
        door.said.append(plain(view.verdict))

    client = AsyncWebClient(token=slack.workspace.app.bot_token, base_url=slack.api_url)
    listeners = Listeners(Inbox(store, OPERATIONS), HeldClock(), respond)
    door = Door(build(client, None, listeners), store)
    return door


@pytest.fixture
def away() -> Redis:
    """A Redis where nobody listens."""
    return Redis.from_url("redis://127.0.0.1:1/0")


@pytest.mark.parametrize(("body", "door_name"), [(COMMAND, "command"), (BUTTON, "button"), (MENTION, "mention")])
async def test_what_is_said_is_written_down_before_it_is_acknowledged(
    slack: SlackStandIn, redis: Redis, body: dict[str, Any], door_name: str
) -> None:
    door = opened(slack, redis)
    assert await door.knock(body) == (200, "")
    (work,) = await door.store.under_way("T0SANDBOX")
    assert (work.words, work.asked_by) == ("status", "U0ANNA")
    assert await Counters(redis).read() == {("requests", door_name): 1}


@pytest.mark.parametrize("body", [COMMAND, BUTTON, MENTION])
async def test_the_same_thing_twice_is_one_work_and_acknowledged_twice(
    slack: SlackStandIn, redis: Redis, body: dict[str, Any]
) -> None:
    door = opened(slack, redis)
    assert [await door.knock(body), await door.knock(body)] == [(200, ""), (200, "")]
    assert await door.store.unfinished() == 1


async def test_without_memory_a_command_is_told_that_it_was_not_taken(slack: SlackStandIn, away: Redis) -> None:
    with capture_logs() as logged:
        status, body = await opened(slack, away).knock(COMMAND)
    assert (status, body) == (200, NOT_TAKEN)
    assert [one["event"] for one in logged] == ["not taken"]


async def test_without_memory_a_button_is_told_at_its_address(slack: SlackStandIn, away: Redis) -> None:
    door = opened(slack, away)
    with capture_logs():
        assert await door.knock(BUTTON) == (200, "")
    assert door.said == [NOT_TAKEN]


async def test_a_button_is_acknowledged_even_when_nothing_can_be_said(slack: SlackStandIn, away: Redis) -> None:
    door = opened(slack, away, RetryLater("Slack does not answer."))
    with capture_logs() as logged:
        assert await door.knock(BUTTON) == (200, "")
    assert logged[-1]["event"] == "not said"


async def test_without_memory_an_event_is_not_acknowledged_so_that_slack_sends_it_again(slack: SlackStandIn, away: Redis) -> None:
    status, _ = await opened(slack, away).knock(MENTION)
    assert status >= 500


async def test_an_event_sent_again_when_memory_is_back_is_taken_once(slack: SlackStandIn, away: Redis, redis: Redis) -> None:
    await opened(slack, away).knock(MENTION)
    door = opened(slack, redis)
    await door.knock(MENTION)
    await door.knock(MENTION)
    assert await door.store.unfinished() == 1


async def test_a_command_that_cannot_be_read_is_told_so(slack: SlackStandIn, redis: Redis) -> None:
    door = opened(slack, redis)
    assert await door.knock({**COMMAND, "trigger_id": ""}) == (200, NOT_READ)
    assert await door.store.unfinished() == 0


@pytest.mark.parametrize("kind", ["reaction_added", "member_joined_channel", "app_home_opened", "something_new"])
async def test_events_that_mean_nothing_to_us_are_acknowledged(slack: SlackStandIn, redis: Redis, kind: str) -> None:
    door = opened(slack, redis)
    status, _ = await door.knock({**MENTION, "event": {"type": kind, "user": "U0ANNA", "channel": "C0OPS", "ts": "1.2"}})
    assert status == 200
    assert await door.store.unfinished() == 0
