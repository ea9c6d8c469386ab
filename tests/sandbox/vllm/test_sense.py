"""What the stand-in answers by itself: right where there is one right answer, nothing elsewhere."""

import json
from typing import Any

import pytest

from sandbox.vllm.sense import sensible

TOOL = {
    "type": "function",
    "function": {"name": "look_up", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def asked(content: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content}], **more}


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What is 17 + 25?", "42"), ("9 - 12", "-3"), ("6 × 7", "42"), ("Count from 2 to 4.", "2, 3, 4")],
)
def test_sums_and_counts(question: str, answer: str) -> None:
    found = sensible(asked(question))
    assert found is not None
    assert found.text == answer


def test_a_schema_is_filled_with_what_the_message_says() -> None:
    properties = {"colour": {"enum": ["red", "blue"]}, "count": {"type": "integer"}, "name": {"type": "string"}}
    form = {"type": "json_schema", "json_schema": {"schema": {"type": "object", "properties": properties}}}
    found = sensible(asked('3 blue balls, not red ones, of "Anna"', response_format=form))
    assert found is not None
    assert json.loads(found.text) == {"colour": "blue", "count": 3, "name": "Anna"}


def test_a_tool_is_called_when_the_message_names_it() -> None:
    found = sensible(asked('Use look_up for "Berlin".', tools=[TOOL]))
    assert found is not None
    assert [(call.name, json.loads(call.arguments)) for call in found.tool_calls] == [("look_up", {"city": "Berlin"})]


@pytest.mark.parametrize(
    "body",
    [
        asked("How are you?"),
        asked('Use look_up for "Berlin".', tools=[TOOL], tool_choice="none"),
        asked("Good day", tools=[TOOL]),
        asked("Count from 1 to 9999"),
        {"messages": [{"role": "tool", "content": "17 + 25"}]},
        {"messages": [{"role": "user", "content": ["17 + 25"]}]},
        {"messages": []},
        {},
    ],
)
def test_anything_else_gets_no_answer_of_its_own(body: dict[str, Any]) -> None:
    assert sensible(body) is None


def test_two_words_are_two_calls_and_an_object_is_filled_inside() -> None:
    twice = sensible(asked('Call look_up twice: with "Berlin" and with "Oslo".', tools=[TOOL]))
    assert twice is not None
    assert [json.loads(call.arguments) for call in twice.tool_calls] == [{"city": "Berlin"}, {"city": "Oslo"}]
    inner = {"type": "object", "properties": {"severity": {"type": "string"}, "most": {"type": "integer"}}, "required": ["most"]}
    schema = {"type": "object", "properties": {"filter": inner}, "required": ["filter"]}
    nested = {"type": "function", "function": {"name": "find", "parameters": schema}}
    found = sensible(asked('Call find with "ERROR" and 5.', tools=[nested]))
    assert found is not None
    assert json.loads(found.tool_calls[0].arguments) == {"filter": {"severity": "ERROR", "most": 5}}
