import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import Clock as SdkClock
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import ManualClock, SlackStandIn

pytestmark = pytest.mark.wire
Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture
async def listen() -> AsyncIterator[Any]:
    """An app's request URL, served by a function."""
    runners: list[web.AppRunner] = []

    async def listening(serve: Serve) -> str:
        server = web.Application()
        server.add_routes([web.post("/slack/events", serve)])
        runner = web.AppRunner(server)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        runners.append(runner)
        return f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"

    yield listening
    for runner in runners:
        await runner.cleanup()


@pytest.fixture
async def over_http(listen: Callable[..., Awaitable[str]]) -> AsyncIterator[Any]:
    """A stand-in that delivers to a function."""
    started: list[SlackStandIn] = []

    async def starting(serve: Serve, **more: Any) -> SlackStandIn:
        slack = SlackStandIn(request_url=await listen(serve), **more)
        await slack.start()
        started.append(slack)
        return slack

    yield starting
    for slack in started:
        await slack.stop()


class At(SdkClock):
    def __init__(self, moment: float) -> None:
        self._moment = moment

    def now(self) -> float:
        return self._moment


async def test_requests_are_signed_and_of_the_content_type_of_their_kind(
    over_http: Callable[..., Awaitable[SlackStandIn]], settle: Callable[..., Awaitable[None]], clock: ManualClock
) -> None:
    got: list[tuple[str, str]] = []

    async def serve(request: web.Request) -> web.Response:
        body = await request.text()
        verifier = SignatureVerifier("sandbox-signing-secret", At(clock.now()))
        assert verifier.is_valid_request(body, dict(request.headers))
        got.append((request.content_type, body))
        return web.Response()

    slack = await over_http(serve, clock=clock)
    await slack.type("anna", "@gemma", "hello")
    await slack.type("anna", "ops", "/gemma status")
    await settle(lambda: len(got) == 2)
    kinds = dict(got)
    assert json.loads(kinds["application/json"])["event"]["channel_type"] == "im"
    assert parse_qs(kinds["application/x-www-form-urlencoded"])["command"] == ["/gemma"]


async def test_a_failed_event_comes_again_with_its_number_and_reason(
    over_http: Callable[..., Awaitable[SlackStandIn]], settle: Callable[..., Awaitable[None]], clock: ManualClock
) -> None:
    headers: list[tuple[str | None, str | None]] = []

    async def serve(request: web.Request) -> web.Response:
        headers.append((request.headers.get("X-Slack-Retry-Num"), request.headers.get("X-Slack-Retry-Reason")))
        return web.Response(status=500 if len(headers) < 3 else 200)

    slack = await over_http(serve, clock=clock)
    await slack.type("anna", "@gemma", "hello")
    await settle(lambda: len(headers) == 2)
    await settle(lambda: clock.sleeping > 0)
    await clock.advance(60)
    await settle(lambda: slack.deliveries.under_way == 0)
    assert headers == [(None, None), ("1", "http_error"), ("2", "http_error")]


async def test_no_retry_when_the_app_says_so(
    over_http: Callable[..., Awaitable[SlackStandIn]], settle: Callable[..., Awaitable[None]]
) -> None:
    calls: list[int] = []

    async def serve(request: web.Request) -> web.Response:
        calls.append(1)
        return web.Response(status=404, headers={"X-Slack-No-Retry": "1"})

    slack = await over_http(serve)
    await slack.type("anna", "@gemma", "hello")
    await settle(lambda: calls != [] and slack.deliveries.under_way == 0)
    assert len(calls) == 1


async def test_a_failed_command_is_not_sent_again(over_http: Callable[..., Awaitable[SlackStandIn]]) -> None:
    async def serve(request: web.Request) -> web.Response:
        return web.Response(status=500)

    slack = await over_http(serve)
    await slack.type("anna", "ops", "/gemma status")
    assert slack.transcript("anna", "ops")[-1].text == '/gemma failed with the error "dispatch_failed"'
    assert len(slack.deliveries.log) == 1


async def test_bolt_verifies_answers_and_is_answered(over_http: Callable[..., Awaitable[SlackStandIn]]) -> None:
    app = AsyncApp(
        client=AsyncWebClient(token="xoxb-sandbox-bot"), signing_secret="sandbox-signing-secret", process_before_response=True
    )

    async def serve(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    slack = await over_http(serve)
    app.client.base_url = slack.api_url

    @app.command("/gemma")
    async def command(ack: Any, body: Any) -> None:
        await ack(f"you said {body['text']}")

    await slack.type("anna", "ops", "/gemma status")
    assert slack.transcript("anna", "ops")[-1].text == "you said status"
    slack.workspace.app.signing_secret = "another"
    await slack.type("anna", "ops", "/gemma status")
    assert "dispatch_failed" in slack.transcript("anna", "ops")[-1].text
