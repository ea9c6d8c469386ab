"""What the stand-in says by itself to questions that have one right answer: a sum, a count, a JSON schema, a tool to call.

It reads the last message only, as literally as it can. Whatever it does not understand gets the standard sentence.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.vllm.answers import Answer, ToolCall

SUM = re.compile(r"(-?\d{1,9})\s*([-+*×])\s*(-?\d{1,9})")
COUNT = re.compile(r"from (\d{1,4}) to (\d{1,4})")
NUMBER = re.compile(r"-?\d{1,9}")
QUOTED = re.compile(r'["“]([^"”]{1,80})["”]')
COUNT_LIMIT = 100


def sensible(body: Mapping[str, Any]) -> Answer | None:
    """The right answer to the last message, or None when it is not one of these questions."""
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    if not isinstance(last, dict) or last.get("role") != "user" or not isinstance(last.get("content"), str):
        return None
    asked: str = last["content"]
    return _call(body, asked) or _schema(body, asked) or _count(asked) or _sum(asked)


def _sum(asked: str) -> Answer | None:
    found = SUM.search(asked)
    if found is None:
        return None
    one, other = int(found[1]), int(found[3])
    return Answer(str({"+": one + other, "-": one - other}.get(found[2], one * other)))


def _count(asked: str) -> Answer | None:
    found = COUNT.search(asked)
    if found is None or not 0 <= int(found[2]) - int(found[1]) <= COUNT_LIMIT:
        return None
    return Answer(", ".join(map(str, range(int(found[1]), int(found[2]) + 1))))


def _schema(body: Mapping[str, Any], asked: str) -> Answer | None:
    form = body.get("response_format")
    described = form.get("json_schema") if isinstance(form, dict) and form.get("type") == "json_schema" else None
    schema = described.get("schema") if isinstance(described, dict) else None
    return None if not isinstance(schema, dict) else Answer(json.dumps(_filled(schema, asked)))


def _call(body: Mapping[str, Any], asked: str) -> Answer | None:
    """A call of the first tool that the message names, or one for each quoted word where it says twice."""
    if body.get("tool_choice") == "none":
        return None
    for tool in body.get("tools") or ():
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and str(function.get("name")) in asked:
            said = [f'"{word}"' for word in QUOTED.findall(asked)] if "twice" in asked else [asked]
            schema = function.get("parameters") or {}
            return Answer(tool_calls=tuple(ToolCall(str(function["name"]), json.dumps(_filled(schema, words))) for words in said))
    return None


def _filled(schema: Mapping[str, Any], asked: str) -> dict[str, Any]:
    """An object of this schema with what the message says: quoted words, numbers, choices, each in its order."""
    return _object(schema, asked, iter(QUOTED.findall(asked)), iter(NUMBER.findall(asked)))


def _object(schema: Mapping[str, Any], asked: str, quoted: Iterator[str], numbers: Iterator[str]) -> dict[str, Any]:
    """What may be left out is left out where the message says nothing for it."""
    made: dict[str, Any] = {}
    needed = schema.get("required") or ()
    for name, described in (schema.get("properties") or {}).items():
        value = _value(described, asked, quoted, numbers)
        if value is not None:
            made[name] = value
        elif name in needed or not needed:
            made[name] = 0 if described.get("type") in {"integer", "number"} else ""
    return made


def _value(described: Mapping[str, Any], asked: str, quoted: Iterator[str], numbers: Iterator[str]) -> Any:
    """The next value of this kind that the message holds, or None."""
    if described.get("enum"):
        return min(described["enum"], key=lambda choice: _place(asked, str(choice)))
    match described.get("type"):
        case "object":
            return _object(described, asked, quoted, numbers)
        case "integer" | "number":
            found = next(numbers, None)
            return None if found is None else int(found)
        case "boolean":
            return True
    return next(quoted, None)


def _place(asked: str, choice: str) -> int:
    found = asked.find(choice)
    return found if found >= 0 else len(asked)
