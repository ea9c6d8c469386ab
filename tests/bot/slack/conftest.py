"""A Slack of a few lines for what a healthy one does not do: scripted status codes, bodies and broken connections."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.errors import RetryLater
from bot.slack.client import SlackClient
from bot.slack.wire import Wire, connect

TOKEN = "xoxb-not-a-real-token"
Answer = Callable[[web.Request], Any]


def answer(body: dict[str, Any] | str, status: int = 200, **headers: str) -> Answer:
    """A fixed answer: JSON for a dict, plain text else."""
    if isinstance(body, str):
        return lambda _request: web.Response(text=body, status=status, headers=headers)
    return lambda _request: web.json_response(body, status=status, headers=headers)


def drop(request: web.Request) -> web.Response:
    """Break the connection after the request has arrived."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@dataclass
class FakeSlack:
    """Answers by path, in order; the last answer of a path stays. `calls` is what arrived: path and fields."""

    url: str = ""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def script(self, path: str, *answers: Answer) -> None:
        self.answers[path] = list(answers)

    def sent(self, path: str) -> list[Any]:
        return [fields for called, fields in self.calls if called == path]

    async def handle(self, request: web.Request) -> web.Response:
        path = request.path.removeprefix("/api").removeprefix("/")
        if request.content_type == "application/json":
            self.calls.append((path, await request.json()))
        elif request.content_type == "application/octet-stream":
            self.calls.append((path, await request.read()))
        else:
            self.calls.append((path, dict(await request.post())))
        waiting = self.answers[path]
        result: web.Response = (waiting.pop(0) if len(waiting) > 1 else waiting[0])(request)
        return result


@dataclass
class CountingPace:
    """Lets everything through and remembers it; `full` refuses instead."""

    asked: list[tuple[str, str | None, bool]] = field(default_factory=list)
    full: bool = False

    async def wait(self, method: str, channel: str | None, *, urgent: bool) -> None:
        self.asked.append((method, channel, urgent))
        if self.full:
            raise RetryLater("Too many messages at once.", after_s=3.0, arrived=False)


@pytest.fixture
def fakes() -> SimpleNamespace:
    """The builders of scripted answers; tests cannot import this file by name."""
    return SimpleNamespace(answer=answer, drop=drop, TOKEN=TOKEN)


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    fake = FakeSlack()
    fake.script("auth.test", answer({"ok": True, "team_id": "T1", "user_id": "U0BOT", "bot_id": "B0BOT"}))
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", fake.handle)
    async with TestServer(app, host="127.0.0.1") as server:
        fake.url = str(server.make_url("/api/"))
        yield fake


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def pace() -> CountingPace:
    return CountingPace()


@pytest.fixture
def wire(slack: FakeSlack, http: aiohttp.ClientSession, pace: CountingPace) -> Wire:
    return Wire(connect(TOKEN, slack.url, http), http, pace)


@pytest.fixture
def client(wire: Wire) -> SlackClient:
    return SlackClient(wire)
