"""A tool as the recorded parser had it, recorded answers, and a stand-in with somebody who converses with it."""

import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.model import VllmEngine
from bot.model.answering import VllmModel
from bot.model.answering.spoken import Spoken
from bot.nouns import Deployment, Tool
from sandbox.clock import HeldClock
from sandbox.vllm import VllmStandIn

RECORDED = Path(__file__).parents[3] / "fixtures" / "vllm"
NIGHT = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def parser_cases() -> dict[str, Any]:
    """What vLLM 0.32.0's gemma4 parser made of model outputs, delta by delta and whole."""
    cases: dict[str, Any] = json.loads((RECORDED / "gemma4_parser_deltas.json").read_text())
    return cases


@pytest.fixture
def streamed(parser_cases: dict[str, Any]) -> Callable[..., Spoken]:
    """One of these, gathered from its deltas."""

    def gather(name: str, finish: str = "tool_calls") -> Spoken:
        spoken = Spoken()
        deltas = [delta for delta in parser_cases[name]["deltas"] if delta]
        for delta in [{"role": "assistant", "content": ""}, *deltas]:
            spoken.add({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        spoken.add({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        return spoken

    return gather


@pytest.fixture
def whole(parser_cases: dict[str, Any]) -> Callable[..., Spoken]:
    """One of these, as a body without stream."""

    def body(name: str, finish: str = "tool_calls") -> Spoken:
        reasoning, content, calls = parser_cases[name]["nonstream"]
        made = [{"id": f"call-{i}", "type": "function", "function": call} for i, call in enumerate(calls or ())]
        message = {"role": "assistant", "content": content, "reasoning": reasoning, "tool_calls": made}
        return Spoken.whole({"id": "chatcmpl-1", "choices": [{"index": 0, "message": message, "finish_reason": finish}]})

    return body


@pytest.fixture
def get_pods() -> Tool:
    """The tool of the recorded calls, with every property declared."""
    properties = {
        "namespace": {"type": "string", "description": "ns"},
        "limit": {"type": "integer"},
        "ratio": {"type": "number"},
        "sel": {"type": "string"},
        "wide": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "names": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "properties": {"app": {"type": "string"}, "n": {"type": "number"}}},
    }
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return Tool(name="get_pods", description="List pods", parameters=schema)


@pytest.fixture
async def clock() -> HeldClock:
    """Two o'clock at night."""
    return HeldClock(NIGHT)


@pytest.fixture
async def server(clock: HeldClock) -> AsyncIterator[VllmStandIn]:
    """A stand-in that listens, with a small window."""
    stand_in = VllmStandIn(clock, model="google/gemma-4-tiny", window=4096)
    await stand_in.start()
    yield stand_in
    await stand_in.stop()


@pytest.fixture
async def model(clock: HeldClock) -> AsyncIterator[VllmModel]:
    """The client under test."""
    async with VllmEngine(clock) as engine, VllmModel(engine) as client:
        yield client


@pytest.fixture
def prod(server: VllmStandIn) -> Deployment:
    """The deployment that the stand-in serves."""
    return Deployment(name="prod", base_url=f"{server.url}/v1")
