"""What the model says in the stand-in, and the bodies and streams in which vLLM says it."""

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sandbox.vllm.recorded import recorded

Json = dict[str, Any]
PIECE = re.compile(r"\s*\S+|\s+$")
FINGERPRINT = "vllm-0.32.0-aefa6a46"


@dataclass(frozen=True)
class ToolCall:
    """A call that the model makes; `arguments` is JSON text, which may be wrong on purpose."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Break:
    """How a stream ends badly, after so many pieces behind the one that names the role.

    silent: nothing more comes; cut: the connection is lost; end: it closes as if all were said, without a reason and [DONE].
    `sent` is written before that, such as an error event.
    """

    after: int
    how: Literal["silent", "cut", "end"]
    sent: str = ""


@dataclass(frozen=True)
class Answer:
    """One scripted answer. Times in seconds by the stand-in's clock: before the first token and between pieces.

    `deltas`, when given, are sent instead of pieces of `text` (recorded ones of vLLM's gemma4 parser: `Answer.parsed`).
    `body`, when given, is sent with HTTP 200 instead of all of this, whatever it is. `breaks` is for streams.
    """

    text: str = ""
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    ttft_s: float = 0.0
    itl_s: float = 0.0
    deltas: tuple[Json, ...] | None = field(default=None, hash=False)
    stop_reason: int | None = None
    body: str | None = None
    breaks: Break | None = None

    @classmethod
    def parsed(cls, name: str) -> "Answer":
        """What vLLM 0.32.0's gemma4 parser made of one model output: plain, call, call_rich, two_calls, text_then_call, …"""
        case = json.loads(recorded("gemma4_parser_deltas.json"))[name]
        reasoning, content, calls = case["nonstream"]
        made = tuple(ToolCall(call["name"], call["arguments"]) for call in calls or ())
        return cls(content or "", reasoning, made, deltas=tuple(delta for delta in case["deltas"] if delta))

    @property
    def ended(self) -> str:
        """finish_reason: as scripted, else tool_calls or stop."""
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")

    def pieces(self) -> tuple[Json, ...]:
        """The deltas of a stream, after the first one that names the role."""
        if self.deltas is not None:
            return self.deltas
        thought = tuple({"reasoning": piece} for piece in PIECE.findall(self.reasoning or ""))
        said = tuple({"content": piece} for piece in PIECE.findall(self.text))
        called = tuple(delta for index, call in enumerate(self.tool_calls) for delta in _call_deltas(index, call))
        return thought + said + called

    def cut(self, max_tokens: int) -> "Answer":
        """Itself, or what `max_tokens` leaves of its text: vLLM then says "length"."""
        pieces = PIECE.findall(self.text)
        if self.tool_calls or self.deltas or len(pieces) <= max_tokens:
            return self
        return replace(self, text="".join(pieces[:max_tokens]), finish_reason="length")


def _call_deltas(index: int, call: ToolCall) -> Iterator[Json]:
    """As vLLM streams a call: first id, type and name without arguments, then the arguments in pieces."""
    yield {"tool_calls": [{"id": call_id(), "type": "function", "index": index, "function": {"name": call.name}}]}
    for piece in PIECE.findall(call.arguments):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def call_id() -> str:
    """A fresh id of a tool call."""
    return f"chatcmpl-tool-{secrets.token_hex(8)}"


@dataclass(frozen=True)
class Frame:
    """What all bodies of one completion share. `created` in seconds since the epoch."""

    model: str
    created: int
    prompt_tokens: int
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(8)}")

    def usage(self, answer_tokens: int, reasoning_tokens: int, *, whole: bool) -> Json:
        """The usage block; a whole body has one field more than a stream's chunk."""
        usage: Json = {
            "prompt_tokens": self.prompt_tokens,
            "total_tokens": self.prompt_tokens + answer_tokens,
            "completion_tokens": answer_tokens,
        }
        if whole:
            usage["prompt_tokens_details"] = None
        usage["completion_tokens_details"] = {"reasoning_tokens": reasoning_tokens}
        return usage

    def completion(self, answer: Answer) -> Json:
        """The body of a call without stream, in the recorded order of fields."""
        message: Json = {
            "role": "assistant",
            "content": answer.text or (None if answer.tool_calls else ""),
            "refusal": None,
            "annotations": None,
            "audio": None,
            "function_call": None,
        }
        if answer.tool_calls:
            message["tool_calls"] = [_whole_call(call) for call in answer.tool_calls]
        message["reasoning"] = answer.reasoning
        choice: Json = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.ended}
        choice["stop_reason"] = answer.stop_reason
        nothing = ("prompt_logprobs", "prompt_token_ids", "prompt_text", "kv_transfer_params", "ec_transfer_params", "metrics")
        head = {"id": self.id, "object": "chat.completion", "created": self.created, "model": self.model}
        return {
            **head,
            "choices": [{**choice, "token_ids": None, "routed_experts": None}],
            "service_tier": None,
            "system_fingerprint": FINGERPRINT,
            "usage": self.usage(answer_tokens(answer), reasoning_tokens(answer), whole=True),
            **dict.fromkeys(nothing),
        }

    def chunk(self, choices: list[Json], **more: object) -> Json:
        """One chunk of a stream."""
        head = {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}
        return {**head, "choices": choices, **more}

    def first(self, **more: object) -> Json:
        """The first chunk: the role and an empty content, which is no token."""
        choice = {"index": 0, "delta": {"role": "assistant", "content": ""}, "logprobs": None, "finish_reason": None}
        return self.chunk([choice], **more, prompt_token_ids=None, prompt_text=None)

    def piece(self, delta: Json, ended: str | None, stop_reason: int | None = None, **more: object) -> Json:
        """A chunk with text, reasoning or a part of a call; the last one says why it ended."""
        choice: Json = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": ended}
        if ended is not None:
            choice["stop_reason"] = stop_reason
        return self.chunk([{**choice, "token_ids": None}], **more)


def _whole_call(call: ToolCall) -> Json:
    """A tool call in a body without stream."""
    return {"id": call_id(), "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def answer_tokens(answer: Answer) -> int:
    """How many tokens the answer counts for: a token a piece (the stand-in has no tokenizer)."""
    calls = sum(len(PIECE.findall(call.arguments)) + 2 for call in answer.tool_calls)
    return len(PIECE.findall(answer.text)) + reasoning_tokens(answer) + calls


def reasoning_tokens(answer: Answer) -> int:
    """The part of them that is reasoning."""
    return len(PIECE.findall(answer.reasoning or ""))


def compact(body: Json) -> bytes:
    """JSON as vLLM writes it: no spaces, characters as they are."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def event(body: Json) -> bytes:
    """One event of a stream."""
    return b"data: " + compact(body) + b"\n\n"
