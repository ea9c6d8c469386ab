"""What the stand-in says by itself to questions that have one right answer: a sum, a count, a JSON schema, a tool to call.

It reads the last message only, as literally as it can. Whatever it does not understand gets the standard sentence.
"""

import json
import re
from collections.abc import Mapping
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
    """A call of the first tool that the message names, unless tools are switched off."""
    if body.get("tool_choice") == "none":
        return None
    for tool in body.get("tools") or ():
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and str(function.get("name")) in asked:
            filled = _filled(function.get("parameters") or {}, asked)
            return Answer(tool_calls=(ToolCall(str(function["name"]), json.dumps(filled)),))
    return None


def _filled(schema: Mapping[str, Any], asked: str) -> dict[str, Any]:
    """An object of this flat schema with what the message says: quoted words, numbers, choices, each in its order."""
    quoted, numbers = iter(QUOTED.findall(asked)), iter(NUMBER.findall(asked))
    made: dict[str, Any] = {}
    for name, described in (schema.get("properties") or {}).items():
        if described.get("enum"):
            made[name] = min(described["enum"], key=lambda choice: _place(asked, str(choice)))
        elif described.get("type") in {"integer", "number"}:
            made[name] = int(next(numbers, "0"))
        elif described.get("type") == "boolean":
            made[name] = True
        else:
            made[name] = next(quoted, "")
    return made


def _place(asked: str, choice: str) -> int:
    found = asked.find(choice)
    return found if found >= 0 else len(asked)
