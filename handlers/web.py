"""`gemma web`: listens to Slack over Socket Mode, writes down what is said, and tells whether it is well."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable

import aiohttp
import structlog
from aiohttp import web
from redis.exceptions import RedisError
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_sdk.errors import SlackClientError

from bot.errors import BotError, NotConnectedError
from bot.operations import OPERATIONS
from bot.services import Runtime, running
from bot.settings import Settings
from bot.slack.wire import connect
from bot.view import View
from handlers.slack.app import Listeners, build
from jobs.inbox import Inbox
from jobs.kick import Kicker
from jobs.redis import for_rq

log = structlog.get_logger()


async def run(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. What is missing at the start is waited for; wrong tokens end it with a sentence."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    if settings.slack_app_token is None:
        raise NotConnectedError("Slack", "SLACK_APP_TOKEN")
    while not ended.is_set():
        try:
            async with running(settings) as runtime:
                await _serve(settings, runtime, ended)
        except (RedisError, SlackClientError, aiohttp.ClientError, OSError, BotError) as error:
            log.info("web waits", why=f"{type(error).__name__}: {error}"[:200])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await ended.wait()


async def _serve(settings: Settings, runtime: Runtime, ended: asyncio.Event) -> None:
    assert settings.slack_bot_token is not None
    assert settings.slack_app_token is not None
    inbox = Inbox(runtime.work, Kicker(for_rq(settings)), OPERATIONS)
    async with aiohttp.ClientSession(trust_env=False) as session:
        client = connect(settings.slack_bot_token.get_secret_value(), settings.slack_api_url, session)
        secret = settings.slack_signing_secret.get_secret_value() if settings.slack_signing_secret else None
        app = build(client, secret, Listeners(inbox, runtime.services.clock, runtime.counters.add, _saying(runtime)))
        opener = connect(settings.slack_app_token.get_secret_value(), settings.slack_api_url, session)
        handler = AsyncSocketModeHandler(app, settings.slack_app_token.get_secret_value(), web_client=opener)
        await handler.connect_async()
        health = await _health(settings, runtime, handler)
        log.info("listening", mode="socket")
        try:
            await ended.wait()
        finally:
            await health.cleanup()
            await handler.close_async()


def _saying(runtime: Runtime) -> Callable[[str, View], Awaitable[None]]:
    async def say(response_url: str, view: View) -> None:
        await runtime.slack.respond(response_url, view, replace=False)

    return say


async def _health(settings: Settings, runtime: Runtime, handler: AsyncSocketModeHandler) -> web.AppRunner:
    """`/healthz`: 200 when Redis answers and Slack is connected, else 503 with the reason."""

    async def healthz(_request: web.Request) -> web.Response:
        try:
            await runtime.redis.ping()
        except RedisError:
            return web.Response(status=503, text="Redis does not answer\n")
        if not await handler.client.is_connected():
            return web.Response(status=503, text="Slack is not connected\n")
        return web.Response(text="ok\n")

    app = web.Application()
    app.router.add_get("/healthz", healthz)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, settings.health_host, settings.health_port).start()
    return runner
