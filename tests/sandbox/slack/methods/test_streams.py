from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_sdk.models.messages.chunk import MarkdownTextChunk, TaskUpdateChunk
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import ManualClock, SlackStandIn
from sandbox.slack.message import Message

pytestmark = pytest.mark.wire


@pytest.fixture
async def root(slack: SlackStandIn) -> Any:
    return await slack.type("anna", "ops", "why?")


@pytest.fixture
async def started(client: AsyncWebClient, root: Message) -> Any:
    return await start(client, root)


async def start(client: AsyncWebClient, root: Message, **more: Any) -> Any:
    who = {"recipient_team_id": "T0SANDBOX", "recipient_user_id": "U0ANNA"}
    return await client.chat_startStream(channel="C0OPS", thread_ts=root.ts, **{**who, **more})


@pytest.mark.parametrize("missing", ["recipient_team_id", "recipient_user_id"])
async def test_in_a_channel_it_must_say_for_whom(
    client: AsyncWebClient, root: Message, refusal: Callable[[Awaitable[object]], Awaitable[str]], missing: str
) -> None:
    assert await refusal(start(client, root, **{missing: None})) == f"missing_{missing}"


async def test_in_a_direct_message_it_need_not(slack: SlackStandIn, client: AsyncWebClient) -> None:
    asked = await slack.type("anna", "@gemma", "why?")
    assert (await client.chat_startStream(channel=asked.channel, thread_ts=asked.ts))["ok"]


async def test_a_stream_without_thread_is_refused(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    call = client.api_call("chat.startStream", json={"channel": "C0OPS", "recipient_team_id": "T", "recipient_user_id": "U0ANNA"})
    assert await refusal(call) == "invalid_arguments"


async def test_what_is_streamed_is_one_message_in_the_end(slack: SlackStandIn, client: AsyncWebClient, root: Message) -> None:
    helper = await client.chat_stream(
        channel="C0OPS", thread_ts=root.ts, recipient_team_id="T0SANDBOX", recipient_user_id="U0ANNA", buffer_size=4
    )
    await helper.append(markdown_text="first ")
    assert slack.transcript("anna", "ops")[0].replies[0].streaming
    await helper.append(chunks=[TaskUpdateChunk(id="t1", title="Reading logs", status="complete")])
    await helper.append(markdown_text="second")
    await helper.stop(blocks=[{"type": "divider"}], metadata={"event_type": "answer", "event_payload": {"id": "1"}})
    reply = slack.transcript("anna", "ops")[0].replies[0]
    assert reply.text == "first second\nReading logs (complete)\n---"
    assert not reply.streaming
    assert reply.metadata == {"event_type": "answer", "event_payload": {"id": "1"}}


async def test_while_it_runs_an_update_conflicts_and_afterwards_it_works(
    client: AsyncWebClient, started: dict[str, Any], refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    ts = started["ts"]
    assert await refusal(client.chat_update(channel="C0OPS", ts=ts, text="x")) == "streaming_state_conflict"
    await client.chat_stopStream(channel="C0OPS", ts=ts, markdown_text="done")
    assert await refusal(client.chat_update(channel="C0OPS", ts=ts, text="x")) == "ok"


async def test_a_stopped_stream_takes_nothing_more(
    client: AsyncWebClient, started: dict[str, Any], refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    await client.chat_stopStream(channel="C0OPS", ts=started["ts"], markdown_text="done")
    call = client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="x")
    assert await refusal(call) == "message_not_in_streaming_state"
    assert await refusal(client.chat_stopStream(channel="C0OPS", ts=started["ts"])) == "message_not_in_streaming_state"


async def test_it_dies_after_five_minutes_although_it_is_fed_and_can_then_be_edited(
    client: AsyncWebClient, started: dict[str, Any], clock: ManualClock, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    for _ in range(4):
        await clock.advance(60)
        await client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="x")
    await clock.advance(61)
    call = client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="x")
    assert await refusal(call) == "message_not_in_streaming_state"
    assert await refusal(client.chat_update(channel="C0OPS", ts=started["ts"], text="the whole answer")) == "ok"


async def test_one_message_takes_about_twelve_thousand_characters_in_all(
    client: AsyncWebClient, started: dict[str, Any], refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    await client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="x" * 11_000)
    for _ in range(2):
        call = client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="x" * 1_000)
        assert await refusal(call) == "msg_too_long"


async def test_text_and_chunks_do_not_go_together(
    client: AsyncWebClient, started: dict[str, Any], refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    chunks = [MarkdownTextChunk(text="a")]
    call = client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="b", chunks=chunks)
    assert await refusal(call) == "markdown_text_conflict"


@pytest.mark.parametrize(
    "chunk",
    [{"type": "poem", "text": "x"}, {"type": "markdown_text"}, {"type": "task_update", "id": "1", "title": "x", "status": "odd"}],
)
async def test_chunks_that_are_none_are_refused(
    client: AsyncWebClient, started: dict[str, Any], refusal: Callable[[Awaitable[object]], Awaitable[str]], chunk: dict[str, Any]
) -> None:
    call = client.api_call("chat.appendStream", json={"channel": "C0OPS", "ts": started["ts"], "chunks": [chunk]})
    assert await refusal(call) == "invalid_chunks"


async def test_an_empty_append_has_no_text(
    client: AsyncWebClient, started: dict[str, Any], refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.chat_appendStream(channel="C0OPS", ts=started["ts"])) == "no_text"


async def test_an_ordinary_message_is_no_stream(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="x")
    call = client.chat_appendStream(channel="C0OPS", ts=posted["ts"], markdown_text="x")
    assert await refusal(call) == "message_not_in_streaming_state"
