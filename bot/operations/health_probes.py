"""Questions with a known answer, and whether an answer is right. Pure.

Rules measured on vLLM 0.32's gemma4 parsers: a named or required tool_choice is silently ignored (vllm#50477), so "auto" with a
clear request is used; `max_tokens` is always capped, for JSON can end in endless whitespace (vllm#42110); when the content is
empty the answer may stand in `reasoning` (vllm#49717); a call that was cut off is repaired to valid JSON, so it never counts.
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

MAX_TOKENS = 128
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}, "count": {"type": "integer"}},
    "required": ["colour", "count"],
    "additionalProperties": False,
}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city right now.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "Name of the city"}},
            "required": ["city"],
        },
    },
}
FENCE = re.compile(r"^\s*```(?:json)?\s*(.*?)\s*```\s*$", re.DOTALL)


class Probe(StrEnum):
    """What is asked, in the order in which it is asked."""

    ARITHMETIC = "arithmetic"
    JSON = "JSON"
    TOOL_CALL = "tool call"
    STREAM = "stream"


QUESTIONS = {
    Probe.ARITHMETIC: "What is 17 + 25? Answer with the number only.",
    Probe.JSON: (
        "3 blue balls lie in a box. Say it as JSON and nothing else, with the keys colour (one of blue, red, green) and count "
        '(a whole number), in the form {"colour": …, "count": …}.'
    ),
    Probe.TOOL_CALL: 'Use the tool get_weather to look up the weather in "Berlin".',
    Probe.STREAM: "Count from 1 to 5, separated by commas. Nothing else.",
}


def body(probe: Probe, model: str) -> dict[str, Any]:
    """What is sent for this probe."""
    asked: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": QUESTIONS[probe]}],
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
    }
    if probe is Probe.JSON:
        asked["response_format"] = {"type": "json_schema", "json_schema": {"name": "balls", "schema": SCHEMA}}
    if probe is Probe.TOOL_CALL:
        asked |= {"tools": [TOOL], "tool_choice": "auto"}
    if probe is Probe.STREAM:
        asked["stream_options"] = {"include_usage": True}
    return asked


def wrong(probe: Probe, answer: Mapping[str, Any]) -> str | None:
    """What is wrong with this whole completion, or None when it is right."""
    choice = _first(answer.get("choices"))
    message = _object(choice.get("message"))
    if probe is Probe.TOOL_CALL:
        return _wrong_call(message, choice.get("finish_reason"))
    said = spoken(message)
    if not said:
        return "it said nothing"
    if choice.get("finish_reason") == "length":
        return f"it did not stop within {MAX_TOKENS} tokens"
    return _wrong_json(said) if probe is Probe.JSON else wrong_words(probe, said)


def spoken(message: Mapping[str, Any]) -> str:
    """The content, or the reasoning when there is no content."""
    for name in ("content", "reasoning", "reasoning_content"):
        said = message.get(name)
        if isinstance(said, str) and said.strip():
            return said
    return ""


def wrong_words(probe: Probe, said: str) -> str | None:
    """What is wrong with the text of the arithmetic or the stream probe."""
    numbers = re.findall(r"\d+", said)
    right = numbers[-1:] == ["42"] if probe is Probe.ARITHMETIC else numbers == ["1", "2", "3", "4", "5"]
    return None if right else f"it said “{_short(said)}”"


def _wrong_json(said: str) -> str | None:
    fenced = FENCE.match(said)
    try:
        found = json.loads(fenced[1] if fenced else said)
    except ValueError:
        return f"no JSON: “{_short(said)}”"
    return None if found == {"colour": "blue", "count": 3} else f"the JSON says {_short(json.dumps(found))}"


def _wrong_call(message: Mapping[str, Any], finish_reason: object) -> str | None:
    call = _first(message.get("tool_calls"))
    if not call:
        return f"no call; it said “{_short(spoken(message))}”"
    if finish_reason == "length":
        return "the call was cut off"
    function = _object(call.get("function"))
    try:
        arguments = json.loads(function.get("arguments") or "")
    except (ValueError, TypeError):
        return "the call's arguments are no JSON"
    city = arguments.get("city") if isinstance(arguments, dict) else None
    right = function.get("name") == "get_weather" and isinstance(city, str) and "berlin" in city.lower()
    return None if right else f"it called {_short(str(function.get('name')))} with {_short(json.dumps(arguments))}"


def _object(value: object) -> dict[str, Any]:
    """The value when it is an object; an empty one for anything else that an answer may hold there."""
    return value if isinstance(value, dict) else {}


def _first(values: object) -> dict[str, Any]:
    return _object(values[0]) if isinstance(values, list) and values else {}


def _short(said: str) -> str:
    """At most 60 characters of what the model said, on one line."""
    flat = " ".join(said.split())
    return flat if len(flat) <= 60 else flat[:59] + "…"
