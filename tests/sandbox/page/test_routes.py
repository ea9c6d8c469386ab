import re
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.page.routes import page
from sandbox.slack import ManualClock, SlackStandIn

pytestmark = pytest.mark.wire


def text(words: str) -> dict[str, str]:
    return {"type": "plain_text", "text": words}


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    standin = SlackStandIn(clock=ManualClock(), doors=(page,))
    await standin.start()
    yield standin
    await standin.stop()


@pytest.fixture
def client(slack: SlackStandIn) -> AsyncWebClient:
    return AsyncWebClient(token=slack.workspace.app.bot_token, base_url=slack.api_url, proxy="")


async def get(slack: SlackStandIn, path: str, **query: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(slack.base_url + path, params=query) as response:
        return response.status, await response.text(errors="replace")


async def post(slack: SlackStandIn, path: str, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
    async with aiohttp.ClientSession() as session, session.post(slack.base_url + path, json=body, headers=headers) as response:
        return response.status, await response.json()


async def test_the_page_loads_nothing_from_outside_and_offers_people_and_channels(slack: SlackStandIn) -> None:
    async with aiohttp.ClientSession() as session, session.get(slack.base_url) as response:
        html, policy = await response.text(), response.headers["Content-Security-Policy"]
    assert not re.findall(r"(?:src|href)=[\"']?https?:", html)
    assert "default-src 'none'" in policy
    assert re.findall(r'<option value="(\w+)"', html)[:4] == ["anna", "ben", "carla", "dana"]
    assert 'value="@gemma"' in html


async def test_messages_are_shown_with_working_buttons(slack: SlackStandIn, client: AsyncWebClient) -> None:
    button = {
        "type": "button",
        "action_id": "go",
        "style": "danger",
        "text": text("Destroy <prod>"),
        "confirm": {"title": text("Sure?"), "text": text("It serves.")},
    }
    block = {"type": "actions", "block_id": "b", "elements": [button]}
    await client.chat_postMessage(channel="C0OPS", text="x", blocks=[block])
    _, html = await get(slack, "/page/messages", user="anna", channel="ops")
    assert 'class="danger" data-button="b/go"' in html
    assert "Destroy &lt;prod&gt;</button>" in html
    assert 'data-confirm="Sure?' in html


async def test_what_people_write_is_escaped(slack: SlackStandIn) -> None:
    await slack.type("ben", "ops", "<img src=x onerror=alert(1)> & co")
    _, html = await get(slack, "/page/messages", user="anna", channel="ops")
    assert "&lt;img src=x onerror=alert(1)&gt; &amp; co" in html
    assert "<img" not in html


async def test_a_form_is_shown_to_its_person_only(slack: SlackStandIn, client: AsyncWebClient) -> None:
    name = {
        "type": "input",
        "block_id": "name",
        "label": text("Name"),
        "element": {"type": "plain_text_input", "initial_value": '"prod"'},
    }
    view = {"type": "modal", "title": text("Setup"), "submit": text("Save"), "blocks": [name]}
    await client.views_open(trigger_id=slack.interactions.trigger("U0ANNA"), view=view)
    status, html = await get(slack, "/page/modal", user="anna")
    assert status == 200
    assert 'data-field="name"' in html
    assert 'value="&#34;prod&#34;"' in html
    assert (await get(slack, "/page/modal", user="ben"))[0] == 204


async def test_the_home_tab_is_shown(slack: SlackStandIn, client: AsyncWebClient) -> None:
    assert "has not put anything here" in (await get(slack, "/page/messages", user="anna", channel="home"))[1]
    await client.views_publish(
        user_id="U0ANNA", view={"type": "home", "blocks": [{"type": "header", "text": text("prod is ready")}]}
    )
    assert "prod is ready" in (await get(slack, "/page/messages", user="anna", channel="home"))[1]


async def test_an_uploaded_picture_is_shown_with_its_words(slack: SlackStandIn, client: AsyncWebClient) -> None:
    await client.files_upload_v2(filename="a.png", content=b"\x89PNG1", channel="C0OPS", alt_txt="p90 rose")
    _, html = await get(slack, "/page/messages", user="anna", channel="ops")
    source = re.search(r'<img src="(/files-pri/\w+)" alt="p90 rose">', html)
    assert source
    assert (await get(slack, source.group(1)))[0] == 200


@pytest.mark.parametrize("query", [{"user": "zoe", "channel": "ops"}, {"user": "anna", "channel": "nowhere"}])
async def test_unknown_people_and_channels_are_not_found(slack: SlackStandIn, query: dict[str, str]) -> None:
    assert (await get(slack, "/page/messages", **query))[0] == 404


async def test_another_web_site_cannot_type_here(slack: SlackStandIn) -> None:
    body = {"user": "anna", "channel": "ops", "text": "hi"}
    assert (await post(slack, "/sandbox/type", body, Origin="https://evil.example"))[0] == 403
    assert (await post(slack, "/sandbox/type", body, Origin=slack.base_url))[0] == 200
