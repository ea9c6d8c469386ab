"""Messages and tools as they are sent, and the rules of Gemma's chat template about them.

The same messages give the same bytes each time, and appending one changes nothing before it: that is what the server's prefix
cache needs. Only a new question changes what was sent: reasoning of turns before it is dropped, as the template drops it.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from bot.errors import WeMoveNext
from bot.model.answering.control_tokens import broken_up
from bot.nouns import Message, SystemMessage, Tool, ToolResult, Turn, UserMessage

Json = dict[str, Any]


def wire_messages(messages: Sequence[Message], answer_schema: Json | None = None) -> list[Json]:
    """The messages as /v1/chat/completions and /tokenize take them. `answer_schema` is put into the last one as words.

    WeMoveNext when they are no conversation: empty, a second system message, or calls and results that do not belong together.
    The template does not refuse those: it writes `response:unknown` and the model goes astray.
    """
    _check_order(messages)
    last_question = max((i for i, one in enumerate(messages) if isinstance(one, UserMessage)), default=-1)
    sent = [_wire(one, in_loop=i > last_question) for i, one in enumerate(messages)]
    if answer_schema is not None:
        sent[-1] = {**sent[-1], "content": f"{sent[-1]['content']}\n\n{_schema_words(answer_schema)}"}
    return sent


def wire_tools(tools: Sequence[Tool]) -> list[Json]:
    """The tools as they are sent, in their order."""
    return [
        {"type": "function", "function": {"name": one.name, "description": one.description, "parameters": one.parameters}}
        for one in tools
    ]


def prompt_bytes(messages: Sequence[Message], tools: Sequence[Tool] = ()) -> list[bytes]:
    """What stands in front of the answer, piece by piece: tools first, as the template puts them, then each message.

    Of two prompts the server finds in its cache what their pieces have in common from the start.
    """
    pieces = [*wire_tools(tools), *wire_messages(messages)]
    return [json.dumps(piece, ensure_ascii=False, separators=(",", ":")).encode() for piece in pieces]


def prefix_kept(before: Sequence[Message], after: Sequence[Message], tools: Sequence[Tool] = ()) -> bool:
    """Whether all that was sent as `before` is sent again, byte for byte, at the start of `after`."""
    earlier = prompt_bytes(before, tools)
    return prompt_bytes(after, tools)[: len(earlier)] == earlier


def _wire(message: Message, *, in_loop: bool) -> Json:
    """One message. Text that others wrote has its control tokens broken up."""
    match message:
        case Turn():
            return _wire_turn(message, in_loop=in_loop)
        case ToolResult():
            return {"role": "tool", "tool_call_id": message.call_id, "content": broken_up(message.text)}
        case _:
            return {"role": message.role, "content": broken_up(message.text)}


def _wire_turn(turn: Turn, *, in_loop: bool) -> Json:
    """A turn of the model. With calls its content is null, else the template ends the turn in the wrong place (vllm#42776).

    Reasoning goes back only beside calls and only until the next question: the template shows it there and nowhere else.
    """
    if not turn.calls:
        return {"role": "assistant", "content": broken_up(turn.text)}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": broken_up(call.written)}}
        for call in turn.calls
    ]
    thought = {"reasoning": broken_up(turn.reasoning)} if in_loop and turn.reasoning else {}
    return {"role": "assistant", "content": None, **thought, "tool_calls": calls}


def _schema_words(schema: Json) -> str:
    """The schema in words: the server holds the answer to it and does not show it to the model."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object and nothing else. It fits this JSON schema: {text}"


def _check_order(messages: Sequence[Message]) -> None:
    """Raises WeMoveNext unless it is a conversation whose last message waits for an answer."""
    faults = [*_faults(messages)]
    if faults:
        raise WeMoveNext(f"The conversation cannot be sent to Gemma: {faults[0]}")


def _faults(messages: Sequence[Message]) -> Iterator[str]:
    """What is wrong with the order."""
    if not messages or isinstance(messages[-1], SystemMessage | Turn):
        yield "nothing in it waits for an answer"
    if any(isinstance(one, SystemMessage) for one in messages[1:]):
        yield "a system message stands behind the first one"
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolResult):
            if not waiting or waiting.pop(0) != message.call_id:
                yield "a tool result does not follow its call, or not in the order of the calls"
                return
        elif waiting:
            yield "a call has no result"
            return
        elif isinstance(message, Turn):
            waiting = [call.id for call in message.calls]
    if waiting:
        yield "a call has no result"
