import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn, render_text

pytestmark = pytest.mark.wire


@pytest.fixture
async def http(slack: SlackStandIn) -> AsyncIterator[Any]:
    """Calls the control API as another process would: `http("type", user=...)` posts, `http("calls")` gets."""
    async with aiohttp.ClientSession() as session:

        async def call(name: str, get: dict[str, Any] | None = None, **body: Any) -> Any:
            url = f"{slack.base_url}/sandbox/{name}"
            request = session.get(url, params=get) if get is not None else session.post(url, json=body)
            async with request as response:
                text = await response.text()
                return response.status, json.loads(text) if response.content_type == "application/json" else text

        yield call


@pytest.fixture
async def bot(app: AsyncApp, connect: Callable[[AsyncApp], Awaitable[object]]) -> None:
    @app.command("/gemma")
    async def command(ack: Any, body: Any, client: AsyncWebClient) -> None:
        button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Status"}}
        if body["text"] == "form":
            name = {
                "type": "input",
                "block_id": "n",
                "label": {"type": "plain_text", "text": "Name"},
                "element": {"type": "plain_text_input"},
            }
            head = {"type": "plain_text", "text": "Go"}
            view = {"type": "modal", "callback_id": "f", "title": head, "submit": head, "blocks": [name]}
            await client.views_open(trigger_id=body["trigger_id"], view=view)
        await ack({"text": "ready", "blocks": [{"type": "actions", "elements": [button]}]})

    @app.action("go")
    async def go(ack: Any, respond: Any) -> None:
        await ack()
        await respond("pressed", replace_original=True)

    @app.view("f")
    async def form(ack: Any) -> None:
        await ack()

    await connect(app)


async def test_another_process_types_presses_and_reads(
    slack: SlackStandIn, http: Callable[..., Awaitable[Any]], bot: dict[str, list[Any]]
) -> None:
    status, typed = await http("type", user="anna", channel="#ops", text="/gemma status")
    assert (status, typed["ok"]) == (200, True)
    _, before = await http("transcript", get={"user": "anna", "channel": "ops"})
    pressed = await http("click", user="anna", message=before["entries"][-1]["ts"], button="Status")
    assert pressed == (200, {"ok": True, "error": None})
    _, text = await http("transcript", get={"user": "anna", "format": "text"})
    assert text == render_text(slack.transcript("anna"))
    assert text.endswith("gemma (only you, edited): pressed")


async def test_another_process_fills_in_a_form(http: Callable[..., Awaitable[Any]], bot: dict[str, list[Any]]) -> None:
    await http("type", user="anna", channel="ops", text="/gemma form")
    _, view = await http("view", get={"user": "anna"})
    assert view["modal"]["text"].startswith("== Go ==\nName:")
    assert (await http("submit", view=view["modal"]["id"], values={"Name": "x"}))[1] == {"ok": True, "errors": {}, "open": False}
    assert (await http("view", get={"user": "anna"}))[1]["modal"] is None


async def test_faults_calls_pings_deliveries_and_state(
    slack: SlackStandIn,
    http: Callable[..., Awaitable[Any]],
    client: AsyncWebClient,
    refusal: Callable[[Awaitable[object]], Awaitable[str]],
) -> None:
    await http("faults", method="chat.postMessage", answer="500")
    with pytest.raises(SlackApiError, match="500"):
        await client.chat_postMessage(channel="C0OPS", text="<!here>")
    await client.chat_postMessage(channel="C0OPS", text="<!here>")
    assert [call["status"] for call in (await http("calls", get={"method": "chat.postMessage"}))[1]["calls"]] == [500, 200]
    assert [ping["token"] for ping in (await http("pings", get={}))[1]["pings"]] == ["!here"]
    await http("faults", delivery={"copies": 2})
    await http("type", user="anna", channel="@gemma", text="hi")
    kinds = [
        one["payload"]["event"]["text"] for one in (await http("deliveries", get={}))[1]["deliveries"] if one["attempt"] == 0
    ]
    assert kinds.count("hi") == 2
    state = (await http("state", get={}))[1]
    assert (state["connections"], state["under_way"]) == (0, 3)
    await http("faults", answer="500", times=9)
    await http("faults")
    assert await refusal(client.auth_test()) == "ok"


async def test_reset_forgets_everything_but_connections(
    slack: SlackStandIn, http: Callable[..., Awaitable[Any]], bot: dict[str, list[Any]]
) -> None:
    await http("type", user="anna", channel="ops", text="/gemma status")
    await http("reset")
    assert slack.transcript("anna") == []
    assert slack.faults.calls() == []
    assert len(slack.sockets.connections) == 1


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        ("type", {"user": "anna", "channel": "ops"}, "text"),
        ("type", {"user": "zoe", "channel": "ops", "text": "x"}, "no such person or channel: zoe"),
        ("click", {"user": "anna", "message": "1.2", "button": "x"}, "anna sees no message 1.2"),
        ("faults", {"when": 3}, "unknown keys: when"),
        ("submit", {"view": "V9", "values": {}}, "that view is closed"),
    ],
)
async def test_a_mistake_gets_a_sentence(http: Callable[..., Awaitable[Any]], name: str, body: Any, sentence: str) -> None:
    status, answer = await http(name, **body)
    assert status == 400
    assert sentence in answer["error"]
