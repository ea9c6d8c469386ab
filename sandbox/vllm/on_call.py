"""What the stand-in says as an engineer on call: it calls the tools that a question needs and words only what their results say.

It knows no answer by heart: the figures in its sentences are copied from the tool messages that it was sent.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.vllm.answers import Answer, ToolCall

Json = Mapping[str, Any]

Calls = tuple[tuple[str, dict[str, str]], ...]
TROUBLE: Calls = (("errors", {}), ("logs", {}), ("status", {}), ("changes", {}))
PLANS: tuple[tuple[re.Pattern[str], Calls], ...] = (
    (re.compile(r"\bdestroy|\bgive (?:it |them )?back", re.I), (("machine", {}), ("machine_destroy", {}))),
    (re.compile(r"\brestart", re.I), (("status", {}), ("engine_restart", {}))),
    (re.compile(r"\bcosts?\b|\bprice|\bspen[dt]|\bmoney|\bbill", re.I), (("cost", {}),)),
    (re.compile(r"\bsafe|\bfits?\b|\bmemory\b|\bcontext\b|\d+K\b", re.I), (("memory", {}),)),
    (re.compile(r"\berrors?\b|\blogs?\b|\bcrash|\bfail|\bexception", re.I), TROUBLE),
    (re.compile(r"\bchanged?\b|\bdeploy", re.I), (("changes", {}),)),
    (re.compile(r"\bchips?\b|\bTPU\b|\bfaster\b|\bhardware\b|\bv\d[ep]\b", re.I), (("hardware", {}),)),
    (
        re.compile(r"\bslow|\bwhy\b|\blatency|\bwrong|\bwait|\btimeouts?\b", re.I),
        (("status", {}), ("metrics", {}), ("changes", {})),
    ),
    (re.compile(r"\?|\bhow\b|\bstatus\b|\bwhat\b", re.I), (("status", {}),)),
)
"""What a question needs, by its words; the first that fits counts."""

UNSUPPORTED = re.compile(r"stand in no result: (.+?)\.(?: |$)")
HEAD = re.compile(r"^(?:You made this call before\. )?r\d+ (\S+)")
REF = re.compile(r"\bref ([a-z]+)\b")
"""A word by which an answer can be told from others: it opens with it."""
LINES = 5
FORMS = {
    "context": r"\b(\d+K)\b",
    "since": r"\b(\d+ ?(?:m|min|h|d))\b",
    "model": r"\b(E2B|E4B|12B|26B|31B)\b",
    "generation": r"\b(v\d[ep])\b",
}
"""Values that are known by their form, by the field that wants them."""
NAMED = re.compile(r"\b(?:restart|destroy|machine|of|is|on|for) (?:the )?((?!it\b|this\b|that\b|the\b)[a-z][a-z0-9-]*\d)\b")


def on_call(body: Json) -> Answer | None:
    """A call or an answer, when tools are offered or were; None when this is no such talk."""
    messages = [one for one in body.get("messages") or () if isinstance(one, dict)]
    if not body.get("tools") and not any(one.get("role") == "tool" for one in messages):
        return None
    begins = max((i for i, one in enumerate(messages) if one.get("role") == "user" and _is_question(one)), default=-1)
    if begins < 0 and (not messages or messages[-1].get("role") != "tool"):
        return None
    results = [str(one.get("content")) for one in messages[begins + 1 :] if one.get("role") == "tool"]
    if results:
        named = REF.search(str(messages[begins].get("content"))) if begins >= 0 else None
        opening = f"For {named[1]}: " if named else ""
        return Answer(opening + _worded(results, str(messages[-1].get("content"))))
    planned = _planned(str(messages[begins].get("content")), body.get("tools") or ())
    return Answer(tool_calls=tuple(planned)) if planned else Answer("Not enough evidence: I have nothing to look that up with.")


def _is_question(message: Json) -> bool:
    """What a person asked begins with its time."""
    return re.search(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d UTC\]", str(message.get("content")), re.M) is not None


def _planned(asked: str, tools: Sequence[Json]) -> list[ToolCall]:
    """The calls of the first plan that fits, as far as there are tools for it; a name of the question goes into each."""
    question = asked.rpartition(" UTC] ")[2]
    offered = {str(one["function"]["name"]): one["function"] for one in tools if isinstance(one.get("function"), dict)}
    plan = next((calls for words, calls in PLANS if words.search(question)), ())
    return [ToolCall(name, json.dumps({**given, **_filled(offered[name], question)})) for name, given in plan if name in offered]


def _filled(function: Json, question: str) -> dict[str, str]:
    """Values that stand in the question, for the fields that want them."""
    fields = (function.get("parameters") or {}).get("properties") or {}
    wanted = FORMS
    found = {name: re.search(form, question) for name, form in wanted.items() if name in fields}
    values = {name: match[1] for name, match in found.items() if match}
    named = NAMED.search(question)
    first = next(iter(fields), "")
    return {**({first: named[1]} if named and first in {"deployment", "machine", "name"} else {}), **values}


def _worded(results: Sequence[str], last: str) -> str:
    """The first line of each result, without the figures that it was told to leave out."""
    named = UNSUPPORTED.search(last)
    barred = [one.strip() for one in named[1].split(", ")] if named else []
    lines = [row for result in results for row in _said(result) if not any(bar in row for bar in barred)]
    kept = list(dict.fromkeys(lines))[:LINES]
    return "\n".join(kept) if kept else "Not enough evidence: the results say nothing about it."


def _said(result: str) -> Iterator[str]:
    """The words of one result: its first two lines behind the head, and no JSON."""
    head, *rows = result.splitlines() or [""]
    told = [row.strip() for row in rows if row.strip() and not row.lstrip().startswith(("{", "["))]
    proposed = next((row for row in told if row.startswith("A person is asked")), None)
    if proposed is not None:
        yield "I propose it below: a person has to say yes, nothing has happened."
    elif told and HEAD.match(head):
        yield from told[:2]
    elif not HEAD.match(head):
        yield f"Not known: {head[:160]}"
