from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn

pytestmark = pytest.mark.wire


async def raw(slack: SlackStandIn, method: str, **more: Any) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, session.post(f"{slack.api_url}{method}", **more) as response:
        return dict(await response.json())


def bearer(slack: SlackStandIn) -> dict[str, str]:
    return {"Authorization": f"Bearer {slack.workspace.app.bot_token}"}


async def test_a_method_that_slack_lacks_is_unknown(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.api_call("chat.shout")) == "unknown_method"
    assert await refusal(client.chat_scheduleMessage(channel="C0OPS", post_at=1, text="x")) == "unknown_method"


async def test_a_call_without_token_is_not_authed(slack: SlackStandIn) -> None:
    assert (await raw(slack, "auth.test"))["error"] == "not_authed"


async def test_a_foreign_token_is_invalid(slack: SlackStandIn, refusal: Callable[[Awaitable[object]], Awaitable[str]]) -> None:
    assert await refusal(AsyncWebClient(token="xoxb-foreign", base_url=slack.api_url).auth_test()) == "invalid_auth"


async def test_each_kind_of_token_opens_its_own_methods_only(
    client: AsyncWebClient, app_client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.apps_connections_open(app_token=str(client.token))) == "not_allowed_token_type"
    assert await refusal(app_client.chat_postMessage(channel="C0OPS", text="x")) == "not_allowed_token_type"


async def test_a_missing_scope_names_what_is_needed_and_what_there_is(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.workspace.app.scopes = {"users:read"}
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel="C0OPS", text="x")
    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == "chat:write"
    assert refused.value.response["provided"] == "users:read"


async def test_socket_mode_needs_its_own_scope(
    slack: SlackStandIn, app_client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    slack.workspace.app.app_scopes = set()
    assert await refusal(app_client.apps_connections_open(app_token=str(app_client.token))) == "missing_scope"


async def test_the_answer_says_which_scopes_the_token_has(client: AsyncWebClient) -> None:
    assert "chat:write" in (await client.auth_test()).headers["X-OAuth-Scopes"]


async def test_auth_test_says_who_the_bot_is(client: AsyncWebClient) -> None:
    answer = await client.auth_test()
    assert (answer["team_id"], answer["user_id"], answer["bot_id"]) == ("T0SANDBOX", "U0GEMMA", "B0GEMMA")


async def test_arguments_are_taken_from_json_form_and_query(slack: SlackStandIn) -> None:
    blocks = '[{"type":"divider"}]'
    json_body = await raw(slack, "chat.postMessage", headers=bearer(slack), json={"channel": "C0OPS", "text": "json"})
    form = {"channel": "C0OPS", "text": "form", "blocks": blocks, "token": slack.workspace.app.bot_token}
    form_body = await raw(slack, "chat.postMessage", data=form)
    query = await raw(slack, "chat.postMessage", headers=bearer(slack), params={"channel": "C0OPS", "text": "query"})
    assert [answer["ok"] for answer in (json_body, form_body, query)] == [True, True, True]
    assert form_body["message"]["blocks"][0]["type"] == "divider"
    assert [m.text for m in slack.backend.visible("C0OPS")] == ["json", "form", "query"]


@pytest.mark.parametrize(("body", "error"), [("{", "invalid_json"), ("[1]", "json_not_object")])
async def test_a_body_that_is_no_json_object_is_refused(slack: SlackStandIn, body: Any, error: str) -> None:
    headers = {**bearer(slack), "Content-Type": "application/json"}
    assert (await raw(slack, "chat.postMessage", headers=headers, data=body))["error"] == error


async def test_a_missing_argument_is_named(slack: SlackStandIn) -> None:
    answer = await raw(slack, "chat.update", headers=bearer(slack), json={"channel": "C0OPS", "text": "x"})
    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"] == ["[ERROR] missing required field: ts"]


async def test_an_argument_that_slack_does_not_know_stands_in_the_log(slack: SlackStandIn, client: AsyncWebClient) -> None:
    await client.api_call("chat.postMessage", json={"channel": "C0OPS", "text": "x", "thread": "1"})
    assert slack.faults.calls("chat.postMessage")[0].unknown_args == ("thread",)


async def test_it_listens_on_loopback_only() -> None:
    with pytest.raises(ValueError, match="loopback"):
        await SlackStandIn().start("0.0.0.0")
