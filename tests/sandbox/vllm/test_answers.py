"""Bodies and streams are the recorded ones, field by field and byte by byte."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.vllm.answers import Answer, Frame, Json, ToolCall, compact, event
from sandbox.vllm.chat import stream_chunks

RECORDED = Path(__file__).parents[2] / "fixtures" / "vllm"
COUNTS = re.compile(rb'"(total_tokens|completion_tokens|reasoning_tokens)":\d+')
"""Counts of the answer's tokens: the stand-in has no tokenizer."""


def uncounted(body: bytes) -> bytes:
    """The body without those counts."""
    return COUNTS.sub(rb'"\1":0', body)


def frame_of(body: Json) -> Frame:
    """The frame of a recorded body or chunk."""
    return Frame(body["model"], body["created"], body.get("usage", {}).get("prompt_tokens", 51), id=body["id"])


def chunks_of(name: str) -> list[Json]:
    """The chunks of a recorded stream, without [DONE]."""
    events = (RECORDED / name).read_text().removesuffix("\n\n").split("\n\n")
    return [json.loads(text.removeprefix("data: ")) for text in events if text != "data: [DONE]"]


def test_a_whole_body_is_the_recorded_one_byte_by_byte() -> None:
    real = (RECORDED / "tiny_gemma4" / "chat.json").read_bytes()
    body = json.loads(real)
    message = body["choices"][0]["message"]
    answer = Answer(message["content"], message["reasoning"], finish_reason="length")
    assert uncounted(compact(frame_of(body).completion(answer))) == uncounted(real)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tiny_gemma4/chat_stream.sse", {"include_usage": True}),
        ("tiny_gemma4/chat_stream_continuous_usage.sse", {"include_usage": True, "continuous_usage_stats": True}),
        ("tiny_gemma4/chat_stream_no_usage.sse", {}),
        ("tiny_gemma4/chat_thinking_stream.sse", {}),
    ],
)
def test_a_stream_is_the_recorded_one_byte_by_byte(name: str, options: dict[str, bool]) -> None:
    real = chunks_of(name)
    with_choices = [chunk["choices"][0] for chunk in real if chunk["choices"]]
    answer = Answer(deltas=tuple(choice["delta"] for choice in with_choices[1:]), finish_reason=with_choices[-1]["finish_reason"])
    mine = b"".join(event(chunk) for chunk in stream_chunks(frame_of(real[0]), answer, options))
    assert uncounted(mine + b"data: [DONE]\n\n") == uncounted((RECORDED / name).read_bytes())


def test_a_call_is_streamed_as_vllm_streams_one_first_its_name_and_then_only_arguments() -> None:
    shapes = [
        _shape(chunk["choices"][0]["delta"]) for chunk in chunks_of("smollm2_135m/tools_named_stream.sse") if chunk["choices"]
    ]
    mine = [_shape(delta) for delta in Answer(tool_calls=(ToolCall("get_pods", '{"namespace": "a", "limit": 5}'),)).pieces()]
    assert mine[0] == shapes[1]
    assert set(mine[1:]) == {shapes[2]}


def _shape(delta: Json) -> str:
    """Which fields a delta of a call has."""
    calls = delta.get("tool_calls") or [{}]
    return json.dumps([sorted(calls[0]), sorted(calls[0].get("function", {}))])


@given(st.text(max_size=60))
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    assert "".join(delta["content"] for delta in Answer(text).pieces()) == text


@given(st.text(max_size=60), st.integers(0, 8))
def test_an_answer_that_is_too_long_is_cut_and_says_so(text: str, room: int) -> None:
    cut = Answer(text).cut(room)
    assert text.startswith(cut.text)
    assert len(cut.pieces()) <= room
    assert cut.ended == ("stop" if cut.text == text else "length")


@pytest.mark.parametrize("name", ["plain", "call", "call_rich", "two_calls", "text_then_call", "think_answer", "call_truncated"])
def test_recorded_parser_output_comes_back_the_same_streamed_and_whole(name: str) -> None:
    answer = Answer.parsed(name)
    said = "".join(delta.get("content") or "" for delta in answer.pieces())
    arguments: dict[int, str] = {}
    for call in (call for delta in answer.pieces() for call in delta.get("tool_calls", ())):
        arguments[call["index"]] = arguments.get(call["index"], "") + call["function"].get("arguments", "")
    assert said == answer.text
    assert list(arguments.values()) == [call.arguments for call in answer.tool_calls]


def test_calls_end_with_tool_calls_and_text_with_stop() -> None:
    assert Answer.parsed("call").ended == "tool_calls"
    assert Answer("Fine.").ended == "stop"
    whole = Frame("m", 1, 5).completion(Answer.parsed("call"))
    (call,) = whole["choices"][0]["message"]["tool_calls"]
    assert whole["choices"][0]["message"]["content"] is None
    assert json.loads(call["function"]["arguments"]) == {"limit": 5, "namespace": "default"}
