"""Streams that end badly, bodies that are no completion, and a server without tool calling."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox.clock import HeldClock
from sandbox.vllm import Answer, Break, VllmStandIn

pytestmark = pytest.mark.wire
RECORDED = Path(__file__).parents[2] / "fixtures" / "vllm" / "tiny_gemma4"
CHAT = "/v1/chat/completions"
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "list the pods"}]}
TOOLS = [{"type": "function", "function": {"name": "get_pods", "parameters": {"type": "object", "properties": {}}}}]


async def _read(client: httpx.AsyncClient, read: list[str]) -> None:
    """Read a stream piece by piece, so that what came before a break is kept."""
    async with client.stream("POST", CHAT, json={**HELLO, "stream": True}) as response:
        async for text in response.aiter_text():
            read[0] += text


async def test_a_cut_stream_loses_its_connection_after_so_many_pieces(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.script(Answer("one two three", breaks=Break(2, "cut")))
    read = [""]
    with pytest.raises(httpx.RemoteProtocolError):
        await _read(client, read)
    assert "one" in read[0]
    assert "three" not in read[0]


async def test_a_stream_can_end_without_a_reason_behind_an_error_event(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.script(Answer("one two", breaks=Break(1, "end", 'event: error\ndata: {"error":{}}\n\n')))
    said = (await client.post(CHAT, json={**HELLO, "stream": True})).text
    assert said.endswith('event: error\ndata: {"error":{}}\n\n')
    assert "[DONE]" not in said


async def test_a_silent_stream_says_no_more_until_the_caller_leaves(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.script(Answer("one two", breaks=Break(1, "silent")))
    with pytest.raises(httpx.ReadTimeout):
        await client.post(CHAT, json={**HELLO, "stream": True}, timeout=0.1)


async def test_any_body_can_be_sent_in_place_of_an_answer(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.script(Answer(body='{"choices":[]}'), Answer("ok", stop_reason=50))
    assert (await client.post(CHAT, json=HELLO)).json() == {"choices": []}
    assert (await client.post(CHAT, json=HELLO)).json()["choices"][0]["stop_reason"] == 50


async def test_a_broken_stream_can_be_ordered_over_http(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    order = [{"text": "one two", "stop_reason": 50, "breaks": {"after": 1, "how": "end", "sent": "data: x\n\n"}}]
    async with httpx.AsyncClient(base_url=server.control_url, trust_env=False) as told:
        assert (await told.post("/sandbox/answers", json=order)).json() == {"ok": True}
    assert (await client.post(CHAT, json={**HELLO, "stream": True})).text.endswith("data: x\n\n")


async def test_tools_are_refused_in_the_recorded_words_where_tool_calling_is_off(clock: HeldClock) -> None:
    server = VllmStandIn(clock, tool_calling=False)
    async with httpx.AsyncClient(base_url=await server.start(), trust_env=False) as client:
        refused = await client.post(CHAT, json={**HELLO, "tools": TOOLS})
        plain = await client.post(CHAT, json=HELLO)
    await server.stop()
    assert (refused.status_code, refused.content) == (400, (RECORDED / "err_auto_tool_choice.json").read_bytes())
    assert plain.status_code == 200
    assert json.loads(refused.content)["error"]["code"] == 400
