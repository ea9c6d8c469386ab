from collections.abc import Awaitable, Callable

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import ManualClock, SlackStandIn

pytestmark = pytest.mark.wire


async def test_a_status_is_shown_until_the_answer_or_two_minutes(
    slack: SlackStandIn, client: AsyncWebClient, clock: ManualClock
) -> None:
    asked = await slack.type("anna", "@gemma", "why?")
    await client.assistant_threads_setStatus(channel_id=asked.channel, thread_ts=asked.ts, status="reads logs")
    assert slack.status(asked.channel, asked.ts) == "reads logs"
    await clock.advance(121)
    assert slack.status(asked.channel, asked.ts) == ""
    await client.assistant_threads_setStatus(channel_id=asked.channel, thread_ts=asked.ts, status="writes")
    await client.chat_postMessage(channel=asked.channel, thread_ts=asked.ts, text="because")
    assert slack.status(asked.channel, asked.ts) == ""


async def test_it_needs_a_real_thread_and_few_loading_messages(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    asked = await slack.type("anna", "@gemma", "why?")
    call = client.assistant_threads_setStatus(channel_id=asked.channel, thread_ts="1.2", status="x")
    assert await refusal(call) == "invalid_thread_ts"
    many = ["x"] * 11
    call = client.assistant_threads_setStatus(channel_id=asked.channel, thread_ts=asked.ts, status="x", loading_messages=many)
    assert await refusal(call) == "invalid_arguments"


async def test_prompts_belong_to_direct_messages_and_need_no_thread(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    direct = slack.workspace.direct("U0ANNA").id
    prompts = [{"title": "Health", "message": "How is prod?"}]
    await client.api_call("assistant.threads.setSuggestedPrompts", json={"channel_id": direct, "prompts": prompts})
    assert slack.backend.prompts[direct] == prompts
    call = client.api_call("assistant.threads.setSuggestedPrompts", json={"channel_id": "C0OPS", "prompts": prompts})
    assert await refusal(call) == "channel_not_found"
    call = client.api_call("assistant.threads.setSuggestedPrompts", json={"channel_id": direct, "prompts": prompts * 5})
    assert await refusal(call) == "invalid_arguments"
