from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn
from sandbox.slack.message import Message

pytestmark = pytest.mark.wire


@pytest.fixture
async def talk(slack: SlackStandIn) -> Any:
    """A root with three replies, and a second root."""
    root = await slack.type("anna", "ops", "root")
    for number in range(3):
        await slack.type("ben", "ops", f"reply {number}", thread=root.ts)
    await slack.type("carla", "ops", "second root")
    return root


async def test_history_is_newest_first_and_without_replies(client: AsyncWebClient, talk: Message) -> None:
    messages = (await client.conversations_history(channel="C0OPS"))["messages"]
    assert [message["text"] for message in messages] == ["second root", "root"]
    assert messages[1]["reply_count"] == 3
    assert messages[1]["thread_ts"] == talk.ts


async def test_replies_are_oldest_first_and_begin_with_the_root(client: AsyncWebClient, talk: Message) -> None:
    messages = (await client.conversations_replies(channel="C0OPS", ts=talk.ts))["messages"]
    assert [message["text"] for message in messages] == ["root", "reply 0", "reply 1", "reply 2"]


async def test_a_cursor_leads_through_all_pages(client: AsyncWebClient, talk: Message) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while cursor != "":
        page = await client.conversations_replies(channel="C0OPS", ts=talk.ts, limit=3, cursor=cursor)
        seen.extend(message["text"] for message in page["messages"])
        assert page["has_more"] == bool((page.get("response_metadata") or {}).get("next_cursor"))
        cursor = (page.get("response_metadata") or {}).get("next_cursor", "")
    assert seen == ["root", "reply 0", "reply 1", "reply 2"]


async def test_oldest_and_latest_belong_to_it_only_when_inclusive(client: AsyncWebClient, talk: Message) -> None:
    open_ended = await client.conversations_history(channel="C0OPS", oldest=talk.ts)
    closed = await client.conversations_history(channel="C0OPS", oldest=talk.ts, inclusive=True)
    only = await client.conversations_history(channel="C0OPS", latest=talk.ts, inclusive=True, limit=1)
    assert [m["text"] for m in open_ended["messages"]] == ["second root"]
    assert [m["text"] for m in closed["messages"]] == ["second root", "root"]
    assert [m["text"] for m in only["messages"]] == ["root"]


async def test_metadata_comes_back_only_when_asked_for(client: AsyncWebClient) -> None:
    meta = {"event_type": "work", "event_payload": {"id": "bench-12"}}
    await client.chat_postMessage(channel="C0OPS", text="x", metadata=meta)
    assert "metadata" not in (await client.conversations_history(channel="C0OPS"))["messages"][0]
    full = await client.conversations_history(channel="C0OPS", include_all_metadata=True)
    assert full["messages"][0]["metadata"] == meta


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"channel": "C0GENERAL"}, "not_in_channel"),
        ({"channel": "C9"}, "channel_not_found"),
        ({"channel": "C0OPS", "cursor": "?"}, "invalid_cursor"),
        ({"channel": "C0OPS", "limit": 5000}, "invalid_limit"),
        ({"channel": "C0OPS", "oldest": "yesterday"}, "invalid_ts_oldest"),
    ],
)
async def test_history_refuses_what_slack_refuses(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]], args: dict[str, Any], error: str
) -> None:
    assert await refusal(client.api_call("conversations.history", params=args)) == error


async def test_a_thread_that_is_not_there_is_not_found(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.conversations_replies(channel="C0OPS", ts="1700000000.000001")) == "thread_not_found"


async def test_each_kind_of_channel_has_its_own_scope(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    slack.workspace.app.scopes.discard("im:history")
    assert await refusal(client.conversations_history(channel=slack.workspace.direct("U0ANNA").id)) == "missing_scope"
    assert await refusal(client.conversations_history(channel="C0OPS")) == "ok"


async def test_the_list_holds_public_channels_and_says_where_the_bot_is(client: AsyncWebClient) -> None:
    channels = (await client.conversations_list())["channels"]
    assert {channel["name"]: channel["is_member"] for channel in channels} == {"ops": True, "general": False}


async def test_members_and_info(client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]) -> None:
    assert "U0CARLA" in (await client.conversations_members(channel="C0OPS"))["members"]
    assert (await client.conversations_info(channel="C0OPS"))["channel"]["name"] == "ops"
    assert await refusal(client.conversations_info(channel="C9")) == "channel_not_found"


async def test_opening_a_direct_message(client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]) -> None:
    assert (await client.conversations_open(users="U0ANNA"))["channel"]["id"] == "D00ANNA"
    assert await refusal(client.conversations_open(users="U9")) == "user_not_found"
    assert await refusal(client.conversations_open(users="")) == "users_list_not_supplied"


async def test_joining_needs_its_scope_and_opens_the_channel(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.conversations_join(channel="C0GENERAL")) == "missing_scope"
    slack.workspace.app.scopes.add("channels:join")
    await client.conversations_join(channel="C0GENERAL")
    assert await refusal(client.chat_postMessage(channel="C0GENERAL", text="x")) == "ok"
