"""Makes calls out of what was spoken: each with arguments that fit, or with the words that the model is told."""

import re
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from bot.errors import ModelMovesNext
from bot.model.answering.arguments import checked_arguments
from bot.model.answering.control_tokens import without_control_tokens
from bot.model.answering.gemma_call import NotACall, read_call
from bot.model.answering.json_text import as_json, read_json, same_json
from bot.model.answering.recovery import calls_in
from bot.model.answering.spoken import Spoken, SpokenCall
from bot.nouns import Repair, Tool, ToolCall

WHOLE = ("stop", "tool_calls", "function_call")
"""Finish reasons after which calls are complete. At "length" vLLM repairs a cut call into valid JSON [recorded]."""
_NAMESPACE = uuid.UUID("7d6a2f52-5a55-4b7e-9c42-1f6f3f2a9b10")
_NAMELESS = "unnamed"
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]")

Calls = tuple[tuple[ToolCall, ...], tuple[Repair, ...]]


def spoken_calls(spoken: Spoken, tools: Sequence[Tool]) -> Calls:
    """The calls that the server's parser made, in the order of their index."""
    made: list[ToolCall] = []
    repairs: list[Repair] = []
    for index, call in sorted(spoken.calls.items()):
        one, mended = _call(call, _id(spoken, index, call, made), tools, whole=spoken.finish in WHOLE)
        made.append(one)
        repairs += [Repair.ARGUMENTS] * mended
    return _without_repeats(made, repairs)


def written_calls(spoken: Spoken, tools: Sequence[Tool]) -> tuple[Calls, str]:
    """The calls that were written as text, and the text without them.

    Behind the control token a call that does not fit is answered with what is wrong; without it, it stays text.
    """
    found = calls_in(spoken.content)
    if not found.calls and not spoken.content.strip():
        found = calls_in(spoken.reasoning, marked_only=True)
    if not found.calls or not tools:
        return ((), ()), spoken.content
    made: list[ToolCall] = []
    for index, (name, arguments) in enumerate(found.calls):
        call = SpokenCall(name=name, arguments=as_json(arguments))
        made.append(_call(call, _id(spoken, index, call, made), tools, whole=spoken.finish in WHOLE)[0])
    if not found.marked and any(call.problem for call in made) and spoken.finish in WHOLE:
        return ((), ()), spoken.content
    return _without_repeats(made, [Repair.CALL_FROM_TEXT]), found.rest if spoken.content.strip() else ""


def _call(call: SpokenCall, call_id: str, tools: Sequence[Tool], *, whole: bool) -> tuple[ToolCall, bool]:
    """One call, and whether its arguments had to be put right."""
    name = without_control_tokens(call.name).strip()
    shown = _UNFIT.sub("_", name)[:64] or _NAMELESS
    written, parsed = _parsed(call.arguments)
    try:
        if not whole:
            raise ModelMovesNext(f"The call of {shown} was cut off before its end and was not run. Make it again, shorter.")
        if not name:
            raise ModelMovesNext("A call came without the name of its tool, so nothing was run. Make it again with the name.")
        arguments, mended = checked_arguments(name, parsed, tools)
    except ModelMovesNext as error:
        return ToolCall(id=call_id, name=shown, written=written, problem=error.telling.failed), False
    return ToolCall(id=call_id, name=name, written=as_json(arguments), arguments=arguments), mended


def _parsed(text: str) -> tuple[str, Any]:
    """(text of a JSON object that may be shown to the model again, the arguments as far as they can be read)."""
    try:
        parsed = read_json(text) if text.strip() else {}
        if isinstance(parsed, str):
            parsed = read_json(parsed)  # encoded twice
    except ValueError:
        parsed = _in_gemmas_format(text)
    return as_json(parsed) if isinstance(parsed, dict) else "{}", parsed


def _in_gemmas_format(text: str) -> Any:
    """Arguments that the parser passed through as `{key:<|"|>value<|"|>}`; None when they are not."""
    try:
        return read_call(f"call:arguments{text.strip()}")[1]
    except NotACall:
        return None


def _id(spoken: Spoken, index: int, call: SpokenCall, before: Iterable[ToolCall]) -> str:
    """The server's id, or one that follows from the message when it sent none or the same twice."""
    if call.id and all(call.id != one.id for one in before):
        return call.id
    return f"call-{uuid.uuid5(_NAMESPACE, f'{spoken.id}/{index}/{call.name}/{call.arguments}').hex}"


def _without_repeats(calls: Sequence[ToolCall], repairs: Sequence[Repair]) -> Calls:
    """Each call once: models make the same one up to nine times in a message (llama.cpp#21882)."""
    first: dict[tuple[str, str], ToolCall] = {}
    for call in calls:
        what = call.written if call.arguments is None else same_json(call.arguments)
        first.setdefault((call.name, what), call)
    doubled = (Repair.DUPLICATE_CALL,) if len(first) < len(calls) else ()
    return tuple(first.values()), tuple(dict.fromkeys((*repairs, *doubled)))
