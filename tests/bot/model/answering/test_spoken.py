"""Gathering what servers say, in whatever shape they say it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.spoken import Spoken, usage_of
from bot.nouns import Usage

CASES = [
    *("plain", "call", "call_rich", "two_calls", "text_then_call", "think_answer", "think_call", "think_unclosed"),
    *("call_truncated", "call_unknown_tool", "call_types", "call_json_style"),
]


@pytest.mark.parametrize("name", CASES)
def test_the_recorded_deltas_add_up_to_what_vllm_assembles(
    parser_cases: dict[str, Any], streamed: Callable[[str], Spoken], name: str
) -> None:
    assembled, spoken = parser_cases[name]["assembled"], streamed(name)
    assert spoken.content == assembled["content"]
    assert spoken.reasoning == assembled["reasoning"]
    assert [[call.name, call.arguments] for call in spoken.calls.values()] == assembled["calls"]


def delta(**said: Any) -> dict[str, Any]:
    """A chunk with this delta."""
    return {"choices": [{"delta": said}]}


def part(**fields: Any) -> dict[str, Any]:
    """A chunk with a piece of a call."""
    return delta(tool_calls=[fields])


def test_the_old_name_of_the_reasoning_is_read_too() -> None:
    spoken = Spoken()
    for name in ("reasoning", "reasoning_content"):
        spoken.add(delta(**{name: f"{name};"}))
    assert spoken.reasoning == "reasoning;reasoning_content;"
    whole = Spoken.whole({"choices": [{"message": {"content": "x", "reasoning_content": "old"}}]})
    assert (whole.content, whole.reasoning) == ("x", "old")


def test_deltas_without_id_type_and_name_belong_to_their_index() -> None:
    spoken = Spoken()
    spoken.add(part(index=0, id="a", type="function", function={"name": "one"}))
    spoken.add(part(index=1, id="b", type="function", function={"name": "two", "arguments": "{"}))
    spoken.add(part(index=0, function={"arguments": "{}"}))
    spoken.add(part(index=1, function={"arguments": "}"}))
    assert [(c.id, c.name, c.arguments) for c in spoken.calls.values()] == [("a", "one", "{}"), ("b", "two", "{}")]


def test_deltas_without_an_index_belong_to_their_id_or_to_the_last_call() -> None:
    spoken = Spoken()
    spoken.add(part(id="a", function={"name": "one"}))
    spoken.add(part(function={"arguments": "{"}))
    spoken.add(part(function={"arguments": "}"}))
    spoken.add(part(id="b", function={"name": "two", "arguments": {"n": 1}}))
    spoken.add(part(id="a", function={"arguments": " "}))
    assert [(c.name, c.arguments) for c in spoken.calls.values()] == [("one", "{} "), ("two", '{"n":1}')]


def test_several_calls_of_one_message_without_indices_are_several() -> None:
    calls = [{"function": {"name": "one", "arguments": "{}"}}, {"function": {"name": "two", "arguments": "{}"}}]
    assert [c.name for c in Spoken.whole({"choices": [{"message": {"tool_calls": calls}}]}).calls.values()] == ["one", "two"]


def test_a_name_that_is_said_again_or_never_is_not_made_longer_or_up() -> None:
    spoken = Spoken()
    spoken.add(part(index=0, id="a", function={"name": "one"}))
    spoken.add(part(index=0, function={"name": "one", "arguments": "{}"}))
    spoken.add(part(index=1, id="b", function={"arguments": "{}"}))
    assert [c.name for c in spoken.calls.values()] == ["one", ""]


def test_usage_comes_with_what_the_server_says_and_no_more() -> None:
    chunk = {"choices": [], "usage": {"prompt_tokens": 36, "total_tokens": 116, "completion_tokens": 80}}
    spoken = Spoken()
    spoken.add(chunk)
    assert spoken.usage == Usage(prompt=36, completion=80)
    assert usage_of(
        {
            "prompt_tokens": 5,
            "completion_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 1},
        }
    ) == Usage(prompt=5, completion=3, reasoning=1, cached=4)
    assert usage_of({"prompt_tokens": "5", "completion_tokens": 3}) is None


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "tool_calls", "function", "name", "index", "id", "content", "usage", "prompt_tokens"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["id", "choices", "usage", "object"]), ANYTHING, max_size=3), max_size=4))
def test_no_shape_of_a_chunk_breaks_the_reader(chunks: list[dict[str, Any]]) -> None:
    spoken = Spoken()
    for chunk in chunks:
        spoken.add(chunk)
    assert isinstance(spoken.content + spoken.reasoning + spoken.id, str)
    assert all(isinstance(call.arguments, str) for call in spoken.calls.values())
