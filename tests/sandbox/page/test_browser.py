"""The page in a real browser, driven over its debugging protocol. Skipped where no Chromium is installed."""

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.page.routes import page
from sandbox.slack import SlackStandIn

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--no-first-run", "--remote-debugging-port=0"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def text(words: str) -> dict[str, str]:
    return {"type": "plain_text", "text": words}


class Browser:
    """One tab of phone width."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = itertools.count(1)

    async def command(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer."""
        wanted = next(self._ids)
        await self._socket.send_json({"id": wanted, "method": method, "params": params})
        async with asyncio.timeout(10):
            while True:
                answer = json.loads((await self._socket.receive()).data)
                if answer.get("id") == wanted:
                    return dict(answer.get("result") or {})

    async def run(self, script: str) -> Any:
        """The value of an expression."""
        result = await self.command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    async def until(self, script: str) -> None:
        """Waits until an expression is true."""
        async with asyncio.timeout(10):
            while not await self.run(script):
                await asyncio.sleep(0.05)

    async def send(self, line: str) -> None:
        """Types a line and sends it."""
        await self.run(f"byId('line').value = {json.dumps(line)}; byId('box').requestSubmit()")

    async def press(self, label: str) -> None:
        """Presses the button with that label."""
        find = f"[...document.querySelectorAll('button')].find((b) => b.textContent.trim() === {json.dumps(label)})"
        await self.until(f"Boolean({find})")
        await self.run(f"{find}.click()")


@pytest.fixture
async def slack(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlackStandIn]:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    standin = SlackStandIn(doors=(page,))
    await standin.start()
    handler = await connected(standin)
    yield standin
    stop: Callable[[], Awaitable[None]] = handler.close_async
    await stop()
    await standin.stop()


async def connected(slack: SlackStandIn) -> AsyncSocketModeHandler:
    """A Bolt app with one command, one button and one form."""
    app = AsyncApp(client=AsyncWebClient(token=slack.workspace.app.bot_token, base_url=slack.api_url))
    name = {"type": "input", "block_id": "name", "label": text("Name"), "element": {"type": "plain_text_input", "action_id": "v"}}
    form = {"type": "modal", "callback_id": "f", "title": text("Setup"), "submit": text("Save"), "blocks": [name]}

    @app.command("/gemma")
    async def command(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        if body["text"] == "form":
            await client.views_open(trigger_id=body["trigger_id"], view=form)
            await ack()
            return
        await ack(
            {
                "text": "x",
                "blocks": [{"type": "actions", "elements": [{"type": "button", "action_id": "go", "text": text("Ask why")}]}],
            }
        )

    @app.action("go")
    async def go(ack: Any, respond: Any) -> None:
        await ack()
        await respond("because", replace_original=True)

    @app.view("f")
    async def saved(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        value = body["view"]["state"]["values"]["name"]["v"]["value"]
        if value == "taken":
            await ack(response_action="errors", errors={"name": "That name is taken"})
            return
        await ack()
        await client.chat_postMessage(channel="C0OPS", text=f"saved {value}")

    token = slack.workspace.app.app_token
    handler = AsyncSocketModeHandler(app, token, web_client=AsyncWebClient(token=token, base_url=slack.api_url))
    start: Callable[[], Awaitable[None]] = handler.connect_async
    await start()
    return handler


@pytest.fixture
async def browser(slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Browser]:
    process = await asyncio.create_subprocess_exec(
        str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path}", "about:blank", stderr=asyncio.subprocess.DEVNULL
    )
    port = tmp_path / "DevToolsActivePort"
    async with asyncio.timeout(20):
        while not port.exists() or not port.read_text().strip():
            await asyncio.sleep(0.05)
    try:
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port.read_text().split()[0]}/json") as response:
                tabs = [tab for tab in await response.json() if tab["type"] == "page"]
            async with session.ws_connect(tabs[0]["webSocketDebuggerUrl"]) as socket:
                tab = Browser(socket)
                await tab.command("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
                await tab.command("Page.navigate", url=f"{slack.base_url}/?user=anna&channel=ops")
                await tab.until("document.readyState === 'complete' && document.body.textContent.includes('bot connected')")
                yield tab
    finally:
        process.terminate()
        await process.wait()


async def test_a_person_types_presses_and_fills_in_a_form_at_phone_width(slack: SlackStandIn, browser: Browser) -> None:
    await browser.send("/gemma status")
    await browser.press("Ask why")
    await browser.until("document.querySelector('#messages').textContent.includes('because')")
    await browser.send("/gemma form")
    await browser.until("byId('modal').open")
    await browser.run("byId('name').value = 'taken'")
    await browser.press("Save")
    await browser.until("byId('modal').textContent.includes('That name is taken')")
    await browser.run("byId('name').value = 'prod'")
    await browser.press("Save")
    await browser.until("!byId('modal').open && document.querySelector('#messages').textContent.includes('saved prod')")
    await browser.press("Reply")
    await browser.send("a reply")
    await browser.until("document.querySelector('.replies').textContent.includes('a reply')")
    assert await browser.run("document.documentElement.scrollWidth <= window.innerWidth")
    assert slack.transcript("anna", "ops")[-1].replies[0].text == "a reply"
    assert [fault.status for fault in slack.faults.calls("views.open")] == [200]


async def test_a_mistake_is_said_and_the_line_is_kept(slack: SlackStandIn, browser: Browser) -> None:
    slack.workspace.channels["C0OPS"].members.discard("U0ANNA")
    await browser.send("hello")
    await browser.until("byId('problem').textContent === 'anna is not in #ops' && byId('line').value === 'hello'")
