"""Finds calls that the model wrote as text because a parser or the model itself missed its format.

What is found here is only a proposal: it counts after its name is known and its arguments fit the schema (`arguments.py`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.model.answering.control_tokens import CALL_CLOSES, CALL_OPENS
from bot.model.answering.gemma_call import NotACall, read_call
from bot.model.answering.json_text import read_json

MOST_CALLS = 16
"""Calls taken from one message; more is a model that repeats itself."""
_LONGEST_TEXT = 100_000
"""Characters looked at. max_tokens keeps answers far below."""
_FENCED = re.compile(r"```[a-z_]*\s*(.*?)\s*```", re.DOTALL)
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


@dataclass(frozen=True)
class Found:
    """Calls as (name, arguments), the text that is left without them, and whether the control token stood before them."""

    calls: tuple[tuple[str, dict[str, Any]], ...]
    rest: str
    marked: bool = False


def calls_in(text: str, *, marked_only: bool = False) -> Found:
    """The calls in a text, in order, without checking them.

    Behind the control token they count anywhere. Without it, as `call:NAME{…}` or JSON, they count only when they are the whole
    message or its last block: a call that is quoted in the middle of an answer is an example, not a call.
    """
    if len(text) > _LONGEST_TEXT:
        return Found((), text)
    marked = _marked(text)
    return marked if marked.calls or marked_only else _unmarked(text)


def _marked(text: str) -> Found:
    """`<|tool_call>call:NAME{…}<tool_call|>`, with or without the closing token. Broken ones stay in the text."""
    calls: list[tuple[str, dict[str, Any]]] = []
    rest: list[str] = []
    at = 0
    while (start := text.find(CALL_OPENS, at)) >= 0 and len(calls) < MOST_CALLS:
        rest.append(text[at:start])
        at = start + len(CALL_OPENS)
        try:
            name, arguments, end = read_call(text, at)
        except NotACall:
            continue
        calls.append((name, arguments))
        at = end + len(CALL_CLOSES) if text.startswith(CALL_CLOSES, end) else end
    return Found(tuple(calls), "".join(rest) + text[at:], marked=True)


def _unmarked(text: str) -> Found:
    """The whole message, its last fenced block, or its last paragraph, when that is nothing but calls."""
    whole = text.strip()
    for start, body in _blocks(whole):
        calls = _plain_calls(body) or _json_calls(body)
        if calls:
            return Found(calls[:MOST_CALLS], whole[:start].rstrip())
    return Found((), text)


def _blocks(text: str) -> list[tuple[int, str]]:
    """(where it starts, what stands in it) of what could be calls at the end of the text, the widest first."""
    blocks = [(0, text)]
    blocks += [(m.start(), m[1]) for pattern in (_FENCED, _TAGGED) for m in pattern.finditer(text) if m.end() == len(text)]
    for mark in ("\n\n", "\n"):
        start = text.rfind(mark)
        if start >= 0:
            blocks.append((start, text[start:].strip()))
    return blocks


def _plain_calls(body: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """`call:NAME{…}` one after the other and nothing else."""
    calls: list[tuple[str, dict[str, Any]]] = []
    at = 0
    while at < len(body):
        try:
            name, arguments, at = read_call(body, at)
        except NotACall:
            return ()
        calls.append((name, arguments))
        while at < len(body) and (body[at].isspace() or body[at] == ","):
            at += 1
    return tuple(calls)


def _json_calls(body: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """One JSON object that names a tool and its arguments, or a list of such."""
    if body[:1] not in ("{", "["):
        return ()
    try:
        parsed = read_json(body)
    except ValueError:
        return ()
    calls = [_json_call(one) for one in (parsed if isinstance(parsed, list) else [parsed])]
    whole = [call for call in calls if call is not None]
    return tuple(whole) if len(whole) == len(calls) else ()


def _json_call(one: object) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of an object that looks like a call, in any of the usual spellings."""
    if not isinstance(one, Mapping):
        return None
    inner = one.get("function")
    if isinstance(inner, Mapping):
        return _json_call(inner)
    name = next((one[key] for key in _NAMES if isinstance(one.get(key), str)), None)
    arguments = next((one[key] for key in _ARGUMENTS if key in one), None)
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments)
        except ValueError:
            return None
    return (name, dict(arguments)) if name and isinstance(arguments, Mapping) else None
