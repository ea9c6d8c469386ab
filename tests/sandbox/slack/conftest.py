"""A running stand-in with a clock moved by hand, and the real SDK clients that talk to it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

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
        start: Callable[[], Awaitable[None]] = handler.connect_async
        await start()
        await slack_settles(lambda: len(slack.sockets.connections) > before)
        handlers.append(handler)
        return handler

    yield connected
    for handler in handlers:
        stop: Callable[[], Awaitable[None]] = handler.close_async
        await stop()


async def slack_settles(true: Callable[[], bool], seconds: float = 5.0) -> None:
    """Lets the loop run until something is true; fails when it never becomes so."""
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


def text(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words}


def option(words: str) -> dict[str, Any]:
    return {"text": text(words), "value": words.lower()}


FORM = {
    "type": "modal",
    "callback_id": "setup",
    "title": text("Setup"),
    "submit": text("Save"),
    "notify_on_close": True,
    "private_metadata": "id-1",
    "blocks": [
        {"type": "input", "block_id": "name", "label": text("Name"), "element": {"type": "plain_text_input", "action_id": "v"}},
        {
            "type": "input",
            "block_id": "slice",
            "label": text("Slice"),
            "optional": True,
            "element": {"type": "static_select", "action_id": "v", "options": [option("V6e-4"), option("V6e-8")]},
        },
    ],
}


@pytest.fixture
async def bot(app: AsyncApp, connect: Callable[[AsyncApp], Awaitable[object]]) -> Any:
    """A Bolt app that does one of everything and remembers what it was sent."""
    got: dict[str, list[Any]] = {"command": [], "action": [], "view": [], "closed": [], "shortcut": [], "home": []}
    listen_to_commands(app, got)
    listen_to_presses(app, got)
    listen_to_forms(app, got)
    await connect(app)
    return got


def listen_to_commands(app: AsyncApp, got: dict[str, list[Any]]) -> None:
    answers = {"loud": {"response_type": "in_channel", "text": "for all"}, "bad": {"blocks": [{"type": "poem"}]}, "form": None}

    @app.command("/gemma")
    async def command(ack: Any, body: Any, client: AsyncWebClient) -> None:
        got["command"].append(body)
        if body["text"] == "form":
            await client.views_open(trigger_id=body["trigger_id"], view=FORM)
        await ack(answers.get(body["text"], {"text": "for you"}) or "")

    @app.message_shortcut("ask_gemma_message")
    async def shortcut(ack: Any, body: Any) -> None:
        got["shortcut"].append(body)
        await ack()

    @app.event("app_home_opened")
    async def home(event: dict[str, Any]) -> None:
        got["home"].append(event)

    @app.event("message")
    async def message(event: dict[str, Any]) -> None:
        pass


def listen_to_presses(app: AsyncApp, got: dict[str, list[Any]]) -> None:
    @app.action("go")
    async def action(ack: Any, body: Any, respond: Any) -> None:
        got["action"].append(body)
        await ack()
        await respond("pressed", replace_original=True)

    @app.action("pick")
    async def pick(ack: Any, body: Any) -> None:
        got["action"].append(body)
        await ack()


def listen_to_forms(app: AsyncApp, got: dict[str, list[Any]]) -> None:
    @app.view("setup")
    async def view(ack: Any, body: Any) -> None:
        got["view"].append(body)
        if body["view"]["state"]["values"]["name"]["v"]["value"] == "taken":
            await ack(response_action="errors", errors={"name": "That name is taken"})
        else:
            await ack()

    @app.view_closed("setup")
    async def closed(ack: Any, body: Any) -> None:
        got["closed"].append(body)
        await ack()
