"""A model that says what a test wrote down: turns in their order, or what a function makes of the messages."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from bot.diagnosis.token_bound import token_bound
from bot.nouns import AnswerLimits, Deployment, Finish, Message, Tool, ToolCall, ToolResult, Turn, Usage
from bot.ports import PromptTooLongError

Says = Callable[[Sequence[Message], Sequence[Tool]], Turn | Exception]


def said(text: str, **more: Any) -> Turn:
    """Prose."""
    return Turn(text=text, usage=Usage(prompt=900, completion=40), **more)


def calls(*made: tuple[str, dict[str, Any]]) -> Turn:
    """Calls, each a tool with its arguments; their ids follow from what they are."""
    found = tuple(
        ToolCall(id=f"call-{number}-{name}", name=name, written=orjson.dumps(given).decode(), arguments=given)
        for number, (name, given) in enumerate(made)
    )
    return Turn(calls=found, finish=Finish.CALLS, usage=Usage(prompt=800, completion=20))


def results_of(messages: Sequence[Message]) -> list[str]:
    """What the model was told of its calls."""
    return [one.text for one in messages if isinstance(one, ToolResult)]


@dataclass
class ScriptedModel:
    """Implements `bot.ports.Model`. After its last turn it says the last one again. `asked` is every call as it came."""

    turns: list[Turn | Exception | Says] = field(default_factory=list)
    context: int | None = 65_536
    counts: bool = True
    asked: list[tuple[tuple[Message, ...], tuple[Tool, ...], AnswerLimits]] = field(default_factory=list)
    before: Callable[[str], None] = lambda _what: None
    """Called before and after each call with its name, so that a test can kill there."""
    meanwhile: Callable[[], Awaitable[None]] | None = None
    """Happens while it thinks, which then never ends."""

    async def window(self, deployment: Deployment) -> int | None:
        del deployment
        self.before("window")
        return self.context

    async def size(self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int | None:
        del deployment
        self.before("size")
        return self._size(messages, tools) if self.counts else None

    async def converse(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> Turn:
        del deployment
        self.before("converse")
        if self.context is not None and self._size(messages, tools) + limits.max_tokens > self.context:
            raise PromptTooLongError("too long", window=self.context)
        self.asked.append((tuple(messages), tuple(tools), limits))
        if self.meanwhile is not None:
            await self.meanwhile()
            await asyncio.Event().wait()
        says = self.turns[min(len(self.asked), len(self.turns)) - 1]
        turn = says if isinstance(says, Turn | Exception) else says(messages, tools)
        if isinstance(turn, Exception):
            raise turn
        self.before("conversed")
        return turn

    async def stream(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> AsyncGenerator[str | Turn, None]:
        turn = await self.converse(deployment, messages, tools, limits)
        for word in turn.text.split():
            yield word
        yield turn

    def _size(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        return sum(token_bound(one.model_dump_json()) for one in (*messages, *tools))
