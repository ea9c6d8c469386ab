from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn

pytestmark = pytest.mark.wire

BUTTON = {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Go"}, "action_id": "go"}]}


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"channel": "C0OPS"}, "no_text"),
        ({"channel": "C0GENERAL", "text": "x"}, "not_in_channel"),
        ({"channel": "C9", "text": "x"}, "channel_not_found"),
        ({"channel": "C0OPS", "text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"channel": "C0OPS", "markdown_text": "y" * 12_001}, "msg_too_long"),
        ({"channel": "C0OPS", "blocks": [{"type": "alert", "text": {"type": "mrkdwn", "text": "x"}}]}, "invalid_blocks"),
        ({"channel": "C0OPS", "blocks": [{"type": "divider"}] * 51}, "msg_blocks_too_many"),
        ({"channel": "C0OPS", "blocks": "{"}, "invalid_blocks_format"),
        ({"channel": "C0OPS", "text": "x", "attachments": [{"text": "a"}] * 101}, "too_many_attachments"),
        ({"channel": "C0OPS", "text": "x", "metadata": {"event_type": "a"}}, "invalid_metadata_format"),
        (
            {"channel": "C0OPS", "text": "x", "metadata": {"event_type": "a", "event_payload": {"b": "c" * 20_000}}},
            "metadata_too_large",
        ),
        ({"channel": "C0OPS", "text": "x", "thread_ts": "1700000000.000001"}, "thread_not_found"),
        ({"channel": "C0OPS", "text": "x", "thread_ts": "0"}, "invalid_thread_ts"),
    ],
)
async def test_a_post_that_slack_refuses_is_refused(
    slack: SlackStandIn,
    client: AsyncWebClient,
    refusal: Callable[[Awaitable[object]], Awaitable[str]],
    args: dict[str, Any],
    error: str,
) -> None:
    assert await refusal(client.api_call("chat.postMessage", json=args)) == error
    assert slack.backend.messages == {}


async def test_too_much_text_in_blocks_is_refused_as_too_long(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2_900}} for _ in range(5)]
    assert await refusal(client.chat_postMessage(channel="C0OPS", text="x", blocks=blocks)) == "msg_blocks_too_long"


async def test_long_text_is_cut_off_on_posting_and_refused_on_updating(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="x" * 50_000)
    assert len(slack.backend.visible("C0OPS")[0].text) == 40_000
    assert await refusal(client.chat_update(channel="C0OPS", ts=posted["ts"], text="y" * 4_001)) == "msg_too_long"


async def test_an_archived_channel_and_a_private_one_are_closed(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    slack.workspace.channels["C0OPS"].archived = True
    assert await refusal(client.chat_postMessage(channel="C0OPS", text="x")) == "is_archived"
    slack.workspace.channels["C0GENERAL"].kind = "private"
    assert await refusal(client.chat_postMessage(channel="C0GENERAL", text="x")) == "channel_not_found"


async def test_a_user_id_as_channel_is_the_direct_message(client: AsyncWebClient) -> None:
    assert (await client.chat_postMessage(channel="U0ANNA", text="x"))["channel"] == "D00ANNA"


async def test_a_reply_to_a_reply_lands_in_the_thread_of_its_root(client: AsyncWebClient) -> None:
    root = await client.chat_postMessage(channel="C0OPS", text="root")
    reply = await client.chat_postMessage(channel="C0OPS", text="reply", thread_ts=root["ts"])
    second = await client.chat_postMessage(channel="C0OPS", text="second", thread_ts=reply["ts"])
    assert second["message"]["thread_ts"] == root["ts"]


async def test_blocks_without_ids_get_them(client: AsyncWebClient) -> None:
    block = (await client.chat_postMessage(channel="C0OPS", text="x", blocks=[{"type": "divider"}]))["message"]["blocks"][0]
    assert block["block_id"]


async def test_an_edit_keeps_blocks_that_are_not_given_and_an_empty_list_removes_them(client: AsyncWebClient) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="x", blocks=[BUTTON])
    kept = await client.chat_update(channel="C0OPS", ts=posted["ts"], text="y")
    assert kept["message"]["blocks"][0]["type"] == "actions"
    gone = await client.chat_update(channel="C0OPS", ts=posted["ts"], text="z", blocks=[])
    assert "blocks" not in gone["message"]
    assert gone["message"]["edited"]["user"] == "U0GEMMA"


async def test_only_own_messages_that_are_there_can_be_changed(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    typed = await slack.type("anna", "ops", "mine")
    assert await refusal(client.chat_update(channel="C0OPS", ts=typed.ts, text="x")) == "cant_update_message"
    assert await refusal(client.chat_delete(channel="C0OPS", ts=typed.ts)) == "cant_delete_message"
    assert await refusal(client.chat_update(channel="C0OPS", ts="1700000000.000001", text="x")) == "message_not_found"


async def test_a_deleted_message_is_gone(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="x")
    await client.chat_delete(channel="C0OPS", ts=posted["ts"])
    assert slack.transcript("anna", "ops") == []
    assert await refusal(client.chat_delete(channel="C0OPS", ts=posted["ts"])) == "message_not_found"


async def test_an_ephemeral_message_is_for_one_member_and_cannot_be_edited(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    posted = await client.chat_postEphemeral(channel="C0OPS", user="U0ANNA", text="psst")
    assert [entry.ephemeral for entry in slack.transcript("anna", "ops")] == [True]
    assert slack.transcript("ben", "ops") == []
    assert (await client.conversations_history(channel="C0OPS"))["messages"] == []
    assert await refusal(client.chat_update(channel="C0OPS", ts=posted["message_ts"], text="x")) == "message_not_found"
    slack.workspace.channels["C0OPS"].members.discard("U0BEN")
    assert await refusal(client.chat_postEphemeral(channel="C0OPS", user="U0BEN", text="x")) == "user_not_in_channel"


async def test_a_permalink_of_a_reply_names_its_thread(client: AsyncWebClient) -> None:
    root = await client.chat_postMessage(channel="C0OPS", text="root")
    reply = await client.chat_postMessage(channel="C0OPS", text="reply", thread_ts=root["ts"])
    link = (await client.chat_getPermalink(channel="C0OPS", message_ts=reply["ts"]))["permalink"]
    assert link.endswith(f"/C0OPS/p{reply['ts'].replace('.', '')}?thread_ts={root['ts']}&cid=C0OPS")
