"""A running stand-in with a clock moved by hand, and the real SDK clients that talk to it."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import ManualClock, SlackStandIn, default_workspace

PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """slack_sdk takes proxies from the environment; loopback needs none."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[SlackStandIn]:
    standin = SlackStandIn(default_workspace(), clock)
    await standin.start()
    yield standin
    await standin.stop()


@pytest.fixture
def client(slack: SlackStandIn) -> AsyncWebClient:
    return AsyncWebClient(token=slack.workspace.app.bot_token, base_url=slack.api_url)


@pytest.fixture
def app_client(slack: SlackStandIn) -> AsyncWebClient:
    return AsyncWebClient(token=slack.workspace.app.app_token, base_url=slack.api_url)


@pytest.fixture
def app(client: AsyncWebClient) -> AsyncApp:
    """A Bolt app as the product builds it: it acknowledges after the listener."""
    return AsyncApp(client=client, process_before_response=True)


Connect = Callable[[AsyncApp], Awaitable[AsyncSocketModeHandler]]


@pytest.fixture
async def connect(slack: SlackStandIn, app_client: AsyncWebClient) -> AsyncIterator[Connect]:
    """Connects a Bolt app by Socket Mode and waits until Slack sees it."""
    handlers: list[AsyncSocketModeHandler] = []

    async def connected(app: AsyncApp) -> AsyncSocketModeHandler:
        handler = AsyncSocketModeHandler(app, slack.workspace.app.app_token, web_client=app_client, ping_interval=0.2)
        before = len(slack.sockets.connections)
        await handler.connect_async()
        await slack_settles(lambda: len(slack.sockets.connections) > before)
        handlers.append(handler)
        return handler

    yield connected
    for handler in handlers:
        await handler.close_async()


async def slack_settles(true: Callable[[], bool], seconds: float = 5.0) -> None:
    """Lets the loop run until something is true; fails when it never becomes so."""
    import asyncio

    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


@pytest.fixture
def settle() -> Callable[..., Awaitable[None]]:
    return slack_settles


async def error_of(call: Awaitable[object]) -> str:
    try:
        await call
    except SlackApiError as refused:
        return str(refused.response["error"])
    return "ok"


@pytest.fixture
def refusal() -> Callable[[Awaitable[object]], Awaitable[str]]:
    """The error code of a call, "ok" when it is not refused."""
    return error_of
