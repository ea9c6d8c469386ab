"""The stand-in over its wire, held against what a real vLLM 0.32.0 answered."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from sandbox.clock import HeldClock
from sandbox.vllm import Answer, ToolCall, VllmStandIn

pytestmark = pytest.mark.wire
RECORDED = Path(__file__).parents[2] / "fixtures" / "vllm" / "tiny_gemma4"
INDEX = {entry["name"]: entry for entry in json.loads((RECORDED / "_index.json").read_text())}
CHAT = "/v1/chat/completions"
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "list the pods"}]}


def same_as_recorded(answer: httpx.Response, name: str) -> None:
    """Status, body and headers are the recorded ones."""
    entry = INDEX[name]
    assert answer.status_code == entry["status"]
    assert answer.content == (RECORDED / f"{name}.json").read_bytes()
    for header in ("content-type", "server", "vary", "allow"):
        assert answer.headers.get(header) == entry["headers"].get(header), header


@pytest.mark.parametrize("name", ["err_unknown_model_404", "err_max_tokens_too_big", "err_missing_messages", "err_temp_negative"])
async def test_what_the_real_one_refused_is_refused_in_its_words(client: httpx.AsyncClient, name: str) -> None:
    body = json.loads((RECORDED / f"{name}.request.json").read_text())
    same_as_recorded(await client.post(CHAT, json=body), name)


@pytest.mark.parametrize(("name", "stream"), [("err_overlong_400", False), ("err_overlong_stream_400", True)])
async def test_a_prompt_beyond_the_window_is_refused_and_never_as_a_stream(
    client: httpx.AsyncClient, name: str, stream: bool
) -> None:
    words = {"messages": [{"role": "user", "content": "pod " * 3000}], "stream": stream}
    same_as_recorded(await client.post(CHAT, json=words), name)


async def test_a_body_that_is_no_json_an_unknown_path_and_a_wrong_method_are_refused_as_recorded(
    client: httpx.AsyncClient,
) -> None:
    same_as_recorded(await client.post(CHAT, content=b"{not json", headers={"content-type": "application/json"}), "err_bad_json")
    same_as_recorded(await client.get("/v1/nope"), "err_not_found_path")
    same_as_recorded(await client.get(CHAT), "err_method")
    assert (await client.head("/health")).status_code == 405


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "Field required"),
        (b"[1]", "<list of 1 items>"),
        (b'"x"', "'input': 'x'"),
        (b'{"messages":"hi"}', "list_type"),
        (b'{"model":5,"messages":[]}', "string_type"),
        (b'{"messages":[]}', "empty conversation"),
        (b'{"messages":[{"role":"user","content":"x"}],"max_tokens":0}', "max_tokens must be at least 1, got 0"),
        (b'{"messages":[{"role":"user","content":"x"}],"temperature":"hot"}', "unable to parse string as a number"),
        (b'{"messages":[{"role":"user","content":"x"}],"stream_options":{"include_usage":true}}', "Stream options can only"),
    ],
)
async def test_other_bodies_get_400_that_says_why(client: httpx.AsyncClient, content: bytes, says: str) -> None:
    answer = await client.post(CHAT, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]
    assert answer.json()["error"]["code"] == 400


async def test_an_unknown_model_is_named_before_its_limits_are_looked_at(client: httpx.AsyncClient) -> None:
    answer = await client.post(CHAT, json={**HELLO, "model": "nope", "max_tokens": 999_999, "temperature": -1})
    assert answer.status_code == 404


async def test_another_media_type_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post(CHAT, content=b"{}", headers={"content-type": "text/plain"})
    assert answer.json()["error"]["message"].endswith("Only 'application/json' is allowed")


async def test_the_plain_reads_answer_as_recorded(client: httpx.AsyncClient) -> None:
    for path in ("/health", "/ping"):
        answer = await client.get(path)
        assert (answer.status_code, answer.content) == (200, b"")
        assert "content-type" not in answer.headers or not answer.content
    assert (await client.get("/version")).content == b'{"version":"0.32.0"}'
    assert (await client.get("/load")).content == b'{"server_load":0}'
    models, real = (await client.get("/v1/models")).json(), json.loads((RECORDED / "models.json").read_text())
    for listed in (models["data"][0], real["data"][0]):
        listed["created"] = listed["permission"][0]["created"] = 0
    assert models == real
    metrics = await client.get("/metrics")
    assert metrics.headers["content-type"] == INDEX["metrics_idle"]["headers"]["content-type"]


async def test_v1_asks_for_the_key_and_health_and_metrics_do_not(clock: HeldClock) -> None:
    guarded = VllmStandIn(clock, api_key="k")
    async with httpx.AsyncClient(base_url=await guarded.start(), trust_env=False) as client:
        for path in ("/v1/models", "/v1/nope"):
            refused = await client.get(path, headers={"authorization": "Bearer wrong"})
            assert (refused.status_code, refused.content) == (401, b'{"error":"Unauthorized"}')
        assert (await client.get("/v1/models", headers={"authorization": "bearer k"})).status_code == 200
        for path in ("/health", "/metrics", "/version", "/load"):
            assert (await client.get(path)).status_code == 200
    await guarded.stop()


async def test_an_openai_client_gets_text_calls_and_usage(server: VllmStandIn) -> None:
    server.script(Answer("Two pods are down."), Answer.parsed("call"), Answer("Fine.", reasoning="Let me see."))
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        text = await client.chat.completions.create(model="tiny-gemma4", messages=[{"role": "user", "content": "pods?"}])
        assert text.choices[0].message.content == "Two pods are down."
        assert text.usage is not None
        assert text.usage.completion_tokens == 4
        called = await client.chat.completions.create(model="tiny-gemma4", messages=[{"role": "user", "content": "pods?"}])
        assert called.choices[0].finish_reason == "tool_calls"
        stream = await client.chat.completions.create(
            model="tiny-gemma4", messages=[{"role": "user", "content": "?"}], stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Fine."
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 4


async def test_scripted_answers_come_in_order_then_the_standard_one(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.script(Answer("one"), Answer(tool_calls=(ToolCall("get_pods", "{}"),)))
    said = [(await client.post(CHAT, json=HELLO)).json()["choices"][0]["message"] for _ in range(3)]
    assert said[0]["content"] == "one"
    assert said[1]["tool_calls"][0]["function"] == {"name": "get_pods", "arguments": "{}"}
    assert said[2]["content"].startswith("This is a stand-in")
    assert [body["messages"] for body in server.chat.asked] == [HELLO["messages"]] * 3


async def test_an_answer_is_cut_at_what_was_asked_or_the_window_leaves(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.script(Answer("one two three"), Answer("word " * 3000), Answer("word " * 3000))
    asked = (await client.post(CHAT, json={**HELLO, "max_tokens": 2})).json()
    assert (asked["choices"][0]["message"]["content"], asked["choices"][0]["finish_reason"]) == ("one two", "length")
    for body in (HELLO, {**HELLO, "max_tokens": "2048"}):
        left = (await client.post(CHAT, json=body)).json()
        assert left["usage"]["total_tokens"] == 2048


async def test_tokenize_counts_what_chat_counts(client: httpx.AsyncClient) -> None:
    sized = (await client.post("/tokenize", json={**HELLO, "model": "tiny-gemma4"})).json()
    usage = (await client.post(CHAT, json=HELLO)).json()["usage"]
    assert sized["count"] == len(sized["tokens"]) == usage["prompt_tokens"]
    assert sized["max_model_len"] == 2048
    assert (await client.post("/tokenize", json={"model": "nope", "prompt": "x"})).status_code == 404
    assert (await client.post("/tokenize", json={})).status_code == 400


def running(scrape: str) -> float:
    """Requests running, of a scrape."""
    return float(next(row for row in scrape.splitlines() if row.startswith("vllm:num_requests_running{")).split()[-1])


async def test_a_real_call_is_seen_running_and_takes_its_scripted_time(
    client: httpx.AsyncClient, server: VllmStandIn, clock: HeldClock
) -> None:
    await server.scenario("idle")
    server.script(Answer("slowly", ttft_s=2.0))
    call = asyncio.create_task(client.post(CHAT, json=HELLO))
    while not server.engine.live:
        await asyncio.sleep(0.001)
    assert running((await client.get("/metrics")).text) == 1
    await clock.advance(2)
    assert (await call).status_code == 200
    scrape = (await client.get("/metrics")).text
    assert running(scrape) == 0
    assert 'vllm:time_to_first_token_seconds_sum{engine="0",model_name="tiny-gemma4"} 2.0' in scrape
    assert 'http_requests_total{handler="/v1/chat/completions",method="POST",status="2xx"} 1.0' in scrape


async def test_a_caller_who_hangs_up_is_an_aborted_request(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    await server.scenario("idle")
    server.script(Answer("never heard", ttft_s=60.0))
    with pytest.raises(httpx.ReadTimeout):
        await client.post(CHAT, json=HELLO, timeout=0.05)
    async with asyncio.timeout(5):
        while server.engine.live:
            await asyncio.sleep(0.001)
    assert server.engine.counters["request_success", (("finished_reason", "abort"),)] == 1
