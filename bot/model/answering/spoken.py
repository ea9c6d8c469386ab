"""What a server said, whole or in pieces, gathered without trusting its shape."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.model.answering.json_text import same_json
from bot.nouns import Usage


@dataclass
class SpokenCall:
    """One call as it came: any part may be missing."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Spoken:
    """One message as it came. `calls` stand by their index; `finish` is None as long as the server gave no reason."""

    id: str = ""
    content: str = ""
    reasoning: str = ""
    calls: dict[int, SpokenCall] = field(default_factory=dict)
    finish: str | None = None
    stop_reason: str | int | None = None
    usage: Usage | None = None
    choices: int = 0

    @classmethod
    def whole(cls, body: Mapping[str, Any]) -> "Spoken":
        """From a body without stream."""
        spoken = cls()
        spoken.add(body, "message")
        return spoken

    def add(self, body: Mapping[str, Any], part: str = "delta") -> tuple[str, str]:
        """Take in a body or a chunk; return (content, reasoning) that it added.

        Deltas of a call belong together by their index. Those after the first have no id, type or name (vllm#42696, legal), and
        vLLM 0.21 left out the name altogether (vllm#45449).
        """
        self.id = self.id or _text(body.get("id"))
        self.usage = usage_of(body.get("usage")) or self.usage
        choice = next((one for one in _list(body.get("choices")) if isinstance(one, Mapping)), None)
        if choice is None:
            return "", ""
        self.choices += 1
        self.finish = _text(choice.get("finish_reason")) or self.finish
        stop = choice.get("stop_reason")
        self.stop_reason = stop if isinstance(stop, str | int) else self.stop_reason
        said = choice.get(part)
        return self._take(said, whole=part == "message") if isinstance(said, Mapping) else ("", "")

    def _take(self, said: Mapping[str, Any], *, whole: bool) -> tuple[str, str]:
        """Take in a message or a delta. The reasoning is named `reasoning`, before vLLM 0.18 `reasoning_content`."""
        content = _text(said.get("content"))
        reasoning = _text(said.get("reasoning")) or _text(said.get("reasoning_content"))
        self.content += content
        self.reasoning += reasoning
        for place, call in enumerate(_list(said.get("tool_calls"))):
            if isinstance(call, Mapping):
                self._take_call(call, place if whole else self._index_of(call, place))
        return content, reasoning

    def _take_call(self, part: Mapping[str, Any], index: int) -> None:
        """One call or a piece of one. A name is said once; some servers repeat it."""
        call = self.calls.setdefault(index, SpokenCall())
        function = part.get("function")
        inner = function if isinstance(function, Mapping) else {}
        call.id = call.id or _text(part.get("id"))
        call.name = call.name or _text(inner.get("name"))
        call.arguments += _arguments(inner.get("arguments"))

    def _index_of(self, part: Mapping[str, Any], place: int) -> int:
        """Where a piece belongs. Without an index its id tells a new call from a piece of the last one."""
        index, call_id = part.get("index"), _text(part.get("id"))
        if isinstance(index, int) and not isinstance(index, bool):
            return index
        known = next((at for at, call in self.calls.items() if call_id and call.id == call_id), None)
        if known is not None:
            return known
        if call_id or not self.calls:
            return max(self.calls, default=-1) + 1
        return max(self.calls) if place == 0 else max(self.calls) + 1


def usage_of(body: object) -> Usage | None:
    """The counts of a usage block; None when it is none."""
    if not isinstance(body, Mapping):
        return None
    prompt, completion = body.get("prompt_tokens"), body.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(
        prompt=prompt,
        completion=completion,
        reasoning=_detail(body.get("completion_tokens_details"), "reasoning_tokens"),
        cached=_detail(body.get("prompt_tokens_details"), "cached_tokens"),
    )


def _detail(block: object, name: str) -> int | None:
    """One count of a block of details; None when the server does not say."""
    value = block.get(name) if isinstance(block, Mapping) else None
    return value if isinstance(value, int) else None


def _text(value: object) -> str:
    """Text, or nothing."""
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    """A list, or an empty one."""
    return value if isinstance(value, list) else []


def _arguments(value: object) -> str:
    """Arguments as text; some servers send the object itself."""
    return same_json(value) if isinstance(value, Mapping) else _text(value)
