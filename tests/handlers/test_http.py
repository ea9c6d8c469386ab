"""Slack over HTTP: the real Bolt and the real uvicorn, with the stand-in as Slack and a book in memory as the inbox."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import aiohttp
import pytest
from redis.exceptions import ConnectionError as RedisAway
from slack_sdk.signature import SignatureVerifier

from bot.requests import Request
from bot.slack.wire import connect
from handlers.http import BODY_LIMIT, PATH, Application, serving
from handlers.slack.app import NOT_TAKEN, Listeners, build
from jobs.inbox import Inbox
from sandbox.memory import free_port
from sandbox.slack import DeliveryFault, SlackStandIn, default_workspace, render_text

pytestmark = pytest.mark.wire
SECRET = default_workspace().app.signing_secret


@dataclass
class Book:
    """An inbox that remembers, or that is away."""

    taken: dict[str, Request] = field(default_factory=dict)
    tried: list[Request] = field(default_factory=list)
    away: bool = False

    async def accept(self, request: Request) -> bool:
        self.tried.append(request)
        if self.away:
            raise RedisAway("away")
        fresh = request.id not in self.taken
        self.taken[request.id] = request
        return fresh


class NowClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


async def nothing(*_args: Any) -> None:
    return None


@dataclass
class World:
    """Slack, what it reaches, and how well that is."""

    slack: SlackStandIn
    book: Book
    url: str
    ill: list[str] = field(default_factory=list)

    async def post(self, body: str, *, path: str = PATH, age_s: float = 0, secret: str = SECRET, **more: str) -> tuple[int, str]:
        at = str(int(time.time() - age_s))
        signature = SignatureVerifier(secret).generate_signature(timestamp=at, body=body) or ""
        headers = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature, **more}
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        async with aiohttp.ClientSession() as session, session.post(self.url + path, data=body, headers=headers) as answer:
            return answer.status, await answer.text()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    slack = SlackStandIn(default_workspace(), request_url=url + PATH)
    await slack.start()
    made = World(slack, Book(), url)

    async def health() -> str | None:
        return made.ill[0] if made.ill else None

    async with aiohttp.ClientSession() as session:
        client = connect(slack.workspace.app.bot_token, slack.api_url, session)
        app = build(client, SECRET, Listeners(cast(Inbox, made.book), NowClock(), nothing))
        async with serving(Application(app, health), "127.0.0.1", port):
            yield made
    await slack.stop()


async def quiet(slack: SlackStandIn) -> None:
    async with asyncio.timeout(10):
        while slack.deliveries.under_way:
            await asyncio.sleep(0.01)


COMMAND = "team_id=T0SANDBOX&user_id=U0ANNA&channel_id=C0OPS&command=%2Fgemma&text=status&trigger_id=1.2.a"


async def test_a_signed_command_is_written_down_and_acknowledged_with_nothing_to_show(world: World) -> None:
    status, text = await world.post(COMMAND)
    assert (status, text) == (200, "")
    assert [request.words for request in world.book.taken.values()] == ["status"]


async def test_a_wrong_signature_is_refused_before_anything_is_written(world: World) -> None:
    status, _ = await world.post(COMMAND, secret="somebody elses")
    assert status == 401
    assert not world.book.tried


async def test_a_recorded_request_that_is_played_again_after_minutes_is_refused(world: World) -> None:
    assert (await world.post(COMMAND, age_s=301))[0] == 401
    assert (await world.post(COMMAND, age_s=240))[0] == 200


async def test_an_unsigned_request_is_refused(world: World) -> None:
    async with aiohttp.ClientSession() as session, session.post(world.url + PATH, data=COMMAND) as answer:
        assert answer.status == 401


async def test_a_body_of_a_stranger_is_not_read_beyond_the_limit(world: World) -> None:
    assert (await world.post("x" * (BODY_LIMIT + 1)))[0] == 413
    assert not world.book.tried


async def test_only_the_one_path_takes_requests(world: World) -> None:
    assert (await world.post(COMMAND, path="/"))[0] == 404


async def test_a_repeated_event_is_one_request(world: World) -> None:
    world.slack.faults.add(DeliveryFault(kind="events_api", copies=3))
    await world.slack.type("anna", "#ops", "@gemma status")
    await quiet(world.slack)
    assert len(world.book.tried) >= 3
    assert len(world.book.taken) == 1


async def test_a_lost_acknowledgement_brings_the_event_again_with_its_number_and_it_is_one_request(world: World) -> None:
    world.slack.faults.add(DeliveryFault(kind="events_api", lose_ack=True))
    await world.slack.type("anna", "@gemma", "status")
    await quiet(world.slack)
    assert [one.attempt for one in world.slack.deliveries.log] == [0, 1]
    assert (len(world.book.tried), len(world.book.taken)) == (2, 1)


async def test_with_redis_away_an_event_gets_a_5xx_so_that_slack_repeats_it(world: World) -> None:
    world.book.away = True
    await world.slack.type("anna", "@gemma", "status")
    async with asyncio.timeout(10):
        while len(world.slack.deliveries.log) < 2:
            await asyncio.sleep(0.01)
    first = world.slack.deliveries.log[0]
    assert (first.kind, first.error) == ("events_api", "http_error")


async def test_with_redis_away_a_command_is_told_that_nothing_was_started(world: World) -> None:
    world.book.away = True
    await world.slack.type("anna", "#ops", "/gemma status")
    assert NOT_TAKEN in render_text(world.slack.transcript("anna", "#ops"))
    assert not world.book.taken


async def test_the_health_check_is_on_the_same_server_and_names_the_reason(world: World) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(world.url + "/healthz") as well:
            assert (well.status, await well.text()) == (200, "ok\n")
        world.ill.append("Redis does not answer")
        async with session.get(world.url + "/healthz") as ill:
            assert (ill.status, await ill.text()) == (503, "Redis does not answer\n")
