"""Answers and streams of a server that is up, that refuses, that is slow and that breaks off, over a real connection."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from bot.errors import PersonMovesNext, RetryLater
from bot.model.completion import ends, event
from bot.model.vllm import VllmEngine
from bot.model.wire import TimeOuts, Wire
from bot.nouns import Deployment
from sandbox.clock import Clock
from sandbox.vllm import VllmStandIn
from sandbox.vllm.answers import Answer

MODEL = "google/gemma-4-31B-it"
QUESTION = {"model": MODEL, "messages": [{"role": "user", "content": "What is 17 + 25?"}], "max_tokens": 20}
PROD = Deployment(name="prod", base_url="http://127.0.0.1:8000")


@pytest.fixture
async def server() -> AsyncIterator[VllmStandIn]:
    """A stand-in that listens."""
    stand_in = VllmStandIn(Clock())
    await stand_in.start()
    yield stand_in
    await stand_in.stop()


@pytest.fixture
async def engine() -> AsyncIterator[VllmEngine]:
    """The adapter, which reads metrics in a hurry and waits for answers as long as it is told."""
    async with VllmEngine(Clock(), time_outs=TimeOuts(0.5, 0.05, 0.1)) as adapter:
        yield adapter


def prod(server: VllmStandIn) -> Deployment:
    return PROD.model_copy(update={"base_url": server.url})


def scripted(*answers: httpx.Response | Exception) -> VllmEngine:
    """The adapter with a scripted other end."""
    waiting = list(answers)

    def answer(_: httpx.Request) -> httpx.Response:
        told = waiting.pop(0)
        if isinstance(told, Exception):
            raise told
        return told

    return VllmEngine(Clock(), wire=Wire(TimeOuts(), transport=httpx.MockTransport(answer)))


def body(status: int, content: bytes) -> httpx.Response:
    return httpx.Response(status, stream=httpx.ByteStream(content))


async def stream(engine: VllmEngine, deployment: Deployment = PROD) -> str:
    said = ""
    async for chunk in engine.chat_stream(deployment, QUESTION, 5.0):
        said += "".join(choice["delta"].get("content") or "" for choice in chunk["choices"])
    return said


@pytest.mark.wire
async def test_a_whole_answer_and_a_streamed_one_say_the_same(engine: VllmEngine, server: VllmStandIn) -> None:
    whole = await engine.chat(prod(server), QUESTION, 5.0)
    assert whole["choices"][0]["message"]["content"] == "42"
    assert await stream(engine, prod(server)) == "42"


@pytest.mark.wire
async def test_an_answer_may_take_longer_than_a_scrape_but_not_longer_than_its_deadline(
    engine: VllmEngine, server: VllmStandIn
) -> None:
    server.script(Answer("late", ttft_s=0.3), Answer("too late", ttft_s=30.0))
    assert (await engine.chat(prod(server), QUESTION, 5.0))["choices"][0]["message"]["content"] == "late"
    async with asyncio.timeout(5):
        with pytest.raises(RetryLater, match="does not answer"):
            await engine.chat(prod(server), QUESTION, 0.2)


@pytest.mark.wire
async def test_metrics_can_be_had_as_the_engine_tells_them(server: VllmStandIn) -> None:
    async with VllmEngine(Clock()) as patient:
        text = await patient.exposition(prod(server))
    assert text.startswith("# HELP")
    assert "vllm:num_requests_running{" in text


@pytest.mark.wire
async def test_what_vllm_refuses_is_told_in_its_own_words(engine: VllmEngine, server: VllmStandIn) -> None:
    wrong = {**QUESTION, "model": "nobody"}
    with pytest.raises(PersonMovesNext, match="refuses: The model `nobody` does not exist"):
        await engine.chat(prod(server), wrong, 5.0)
    with pytest.raises(PersonMovesNext, match="refuses: The model `nobody` does not exist"):
        await anext(engine.chat_stream(prod(server), wrong, 5.0))


async def test_a_stream_that_breaks_off_is_no_answer() -> None:
    half = b'data: {"choices": [{"delta": {"content": "4"}}]}\n\n'
    with pytest.raises(RetryLater, match="stream"):
        await stream(scripted(body(200, half)))
    assert await stream(scripted(body(200, half + b"data: [DONE]\n\n"))) == "4"


async def test_an_error_inside_a_stream_that_began_well_is_an_error() -> None:
    with pytest.raises(RetryLater, match="stream"):
        await stream(scripted(body(200, b'data: {"error": {"message": "engine died"}}\n\ndata: [DONE]\n\n')))


@pytest.mark.parametrize("content", [b"<html>", b"[]", b"{}", b'{"choices": 3}'])
async def test_a_body_that_is_no_completion_is_no_answer(content: bytes) -> None:
    with pytest.raises(RetryLater, match="answer"):
        await scripted(body(200, content)).chat(PROD, QUESTION, 5.0)


async def test_a_failing_server_and_a_lost_connection_can_be_asked_later() -> None:
    for trouble in (body(503, b"busy"), httpx.ReadError("gone"), httpx.ConnectError("no")):
        with pytest.raises(RetryLater):
            await scripted(trouble).chat(PROD, QUESTION, 5.0)


def test_lines_without_a_chunk_are_passed_over() -> None:
    assert [event(line, "here") for line in ("", ": ping", "event: x", "data: [DONE]")] == [None] * 4
    assert ends("data: [DONE]")
    assert not ends("data: {}")
