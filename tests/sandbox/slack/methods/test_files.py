from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn

pytestmark = pytest.mark.wire
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 100


async def test_an_upload_shares_the_real_bytes_in_a_thread(slack: SlackStandIn, client: AsyncWebClient) -> None:
    root = await client.chat_postMessage(channel="C0OPS", text="root")
    answer = await client.files_upload_v2(
        filename="ttft.png",
        content=PNG,
        title="TTFT",
        alt_txt="p90 rose",
        channel="C0OPS",
        thread_ts=root["ts"],
        initial_comment="Chart",
    )
    reply = slack.transcript("anna", "ops")[0].replies[0]
    assert (reply.text, reply.files) == ("Chart", ["ttft.png: p90 rose"])
    async with aiohttp.ClientSession() as session, session.get(answer["files"][0]["url_private"]) as response:
        assert await response.read() == PNG


async def test_an_upload_without_channel_can_stand_in_a_block_once_it_is_complete(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    started = await client.files_getUploadURLExternal(filename="a.png", length=len(PNG))
    block = {"type": "image", "alt_text": "chart", "slack_file": {"id": started["file_id"]}}
    assert await refusal(client.chat_postMessage(channel="C0OPS", text="x", blocks=[block])) == "invalid_blocks"
    assert await refusal(client.files_completeUploadExternal(files=[{"id": started["file_id"]}])) == "file_not_found"
    async with aiohttp.ClientSession() as session, session.post(started["upload_url"], data=PNG) as response:
        assert response.status == 200
    await client.files_completeUploadExternal(files=[{"id": started["file_id"], "title": "A"}])
    assert await refusal(client.chat_postMessage(channel="C0OPS", text="x", blocks=[block])) == "ok"
    assert (await client.files_info(file=started["file_id"]))["file"]["title"] == "A"


async def test_other_bytes_than_announced_are_refused(client: AsyncWebClient) -> None:
    started = await client.files_getUploadURLExternal(filename="a.png", length=5)
    async with aiohttp.ClientSession() as session, session.post(started["upload_url"], data=b"123") as response:
        assert response.status == 400


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"filename": "a", "length": 0}, "invalid_arguments"),
        ({"filename": "a", "length": 5, "alt_txt": "x" * 1001}, "alt_txt_too_large"),
        ({"length": 5}, "missing_argument"),
    ],
)
async def test_an_upload_that_slack_refuses_is_refused(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]], args: dict[str, Any], error: str
) -> None:
    assert await refusal(client.api_call("files.getUploadURLExternal", params=args)) == error


async def test_the_bot_must_be_in_the_channel(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    call = client.files_upload_v2(filename="a.png", content=PNG, channel="C0GENERAL")
    assert await refusal(call) == "not_in_channel"
