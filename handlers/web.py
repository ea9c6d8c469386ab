"""`gemma web`: listens to Slack over Socket Mode or HTTP, writes down what is said, and tells whether it is well."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable

import aiohttp
import structlog
from aiohttp import web
from redis.exceptions import RedisError
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackClientError

from bot.errors import BotError, NotConnectedError
from bot.operations import OPERATIONS
from bot.operations.access import grants_of
from bot.services import Runtime, running
from bot.settings import Settings
from bot.slack.wire import connect
from bot.store.probes import Heart
from bot.store.roles import CODE_LIFE_S, RoleStore, new_code
from bot.view import View
from handlers.http import Application, Health, serving
from handlers.slack.app import Listeners, build
from handlers.slack.modals import Forms
from handlers.slack.secrets import digest
from jobs.inbox import Inbox

log = structlog.get_logger()

NOTICED_S = 4.0
"""How often a Socket Mode connection is tried, in seconds. One that was cut is made again after about as long, and until then
Slack has nowhere to deliver; Bolt's own 10 s lost what people typed for 9 (measured). Shorter, and a slow network looks cut:
a pong is waited for half as long (aiohttp, `heartbeat`)."""


async def run(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. What is missing at the start is waited for; wrong tokens end it with a sentence."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    mode(settings)
    while not ended.is_set():
        try:
            async with running(settings) as runtime:
                await _serve(settings, runtime, ended)
        except (RedisError, SlackClientError, aiohttp.ClientError, OSError, BotError) as error:
            log.info("web waits", why=f"{type(error).__name__}: {error}"[:200])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await ended.wait()


def mode(settings: Settings) -> str:
    """`socket` or `http`. Raises NotConnectedError naming the setting that the chosen one needs."""
    chosen = settings.slack_mode
    if chosen == "auto":
        chosen = "http" if settings.slack_app_token is None and settings.slack_signing_secret is not None else "socket"
    if chosen == "socket" and settings.slack_app_token is None:
        raise NotConnectedError("Slack", "SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)")
    if chosen == "http" and settings.slack_signing_secret is None:
        raise NotConnectedError("Slack", "SLACK_SIGNING_SECRET")
    return chosen


async def _serve(settings: Settings, runtime: Runtime, ended: asyncio.Event) -> None:
    assert settings.slack_bot_token is not None
    inbox = Inbox(runtime.work, OPERATIONS)
    async with aiohttp.ClientSession(trust_env=False) as session:
        client = connect(settings.slack_bot_token.get_secret_value(), settings.slack_api_url, session)
        secret = settings.slack_signing_secret.get_secret_value() if settings.slack_signing_secret else None
        forms = Forms(runtime.services, runtime.slack)
        app = build(client, secret, Listeners(inbox, runtime.services.clock, _saying(runtime), forms))
        chosen = mode(settings)
        listening = _over_http(settings, runtime, app) if chosen == "http" else _over_socket(settings, runtime, app, session)
        async with listening:
            log.info("listening", mode=chosen)
            await _offer_first_admin(runtime)
            heart = asyncio.create_task(Heart(runtime.redis, "web").keep())
            try:
                await ended.wait()
            finally:
                heart.cancel()


async def _offer_first_admin(runtime: Runtime) -> None:
    """While nobody is admin, our log says how somebody becomes it: only who runs the bot can read that."""
    services = runtime.services
    if (await grants_of(services)).admins:
        return
    code = new_code()
    await RoleStore(runtime.redis).offer(services.team_id, digest(code))
    log.warning("nobody is admin yet", say=f"/gemma setup {code}", minutes=CODE_LIFE_S // 60)


@contextlib.asynccontextmanager
async def _over_http(settings: Settings, runtime: Runtime, app: AsyncApp) -> AsyncIterator[None]:
    async def slack_reaches_us() -> bool:
        return True

    health = _health(runtime, slack_reaches_us)
    async with serving(Application(app, health), settings.health_host, settings.health_port):
        yield


@contextlib.asynccontextmanager
async def _over_socket(
    settings: Settings, runtime: Runtime, app: AsyncApp, session: aiohttp.ClientSession
) -> AsyncIterator[None]:
    assert settings.slack_app_token is not None
    token = settings.slack_app_token.get_secret_value()
    asking = connect(token, settings.slack_api_url, session)
    handler = AsyncSocketModeHandler(app, token, web_client=asking, ping_interval=NOTICED_S)
    await handler.connect_async()
    check = await _check(settings, _health(runtime, handler.client.is_connected))
    try:
        yield
    finally:
        await check.cleanup()
        await handler.close_async()


def _saying(runtime: Runtime) -> Callable[[str, View], Awaitable[None]]:
    async def say(response_url: str, view: View) -> None:
        await runtime.slack.respond(response_url, view, replace=False)

    return say


def _health(runtime: Runtime, connected: Callable[[], Awaitable[bool]]) -> Health:
    """None when Redis answers and Slack can reach us, else the reason."""

    async def health() -> str | None:
        try:
            await runtime.redis.ping()
        except RedisError:
            return "Redis does not answer"
        return None if await connected() else "Slack is not connected"

    return health


async def _check(settings: Settings, health: Health) -> web.AppRunner:
    """`/healthz` of its own, where nothing else listens: 200, or 503 with the reason."""

    async def healthz(_request: web.Request) -> web.Response:
        why = await health()
        return web.Response(status=200 if why is None else 503, text=f"{why or 'ok'}\n")

    app = web.Application()
    app.router.add_get("/healthz", healthz)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, settings.health_host, settings.health_port).start()
    return runner
