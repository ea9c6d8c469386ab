"""Models for the evals: one that knows the recorded worlds by heart, and some that go wrong in one way each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

from bot.nouns import Finish, Message, Tool, ToolCall, ToolResult, Turn, Usage, UserMessage
from evals.world import Turn as Asked
from evals.world import World, worlds

USAGE = Usage(prompt=900, completion=60)


def call_of(typed: str, number: int) -> ToolCall:
    """`logs log=engine since=1h` as a call."""
    name, *pairs = typed.split()
    given = dict(pair.split("=", 1) for pair in pairs)
    return ToolCall(id=f"c{number}-{name}", name=name, written=orjson.dumps(given).decode(), arguments=given)


def question_of(messages: Sequence[Message]) -> str:
    """What was asked last."""
    return next(one.text for one in reversed(messages) if isinstance(one, UserMessage))


def looked_up(messages: Sequence[Message]) -> bool:
    """Whether results came since the last question."""
    later = list(messages)
    last = max(place for place, one in enumerate(later) if isinstance(one, UserMessage))
    return any(isinstance(one, ToolResult) for one in later[last:])


@dataclass
class Colleague:
    """Says in each world what its own author would. `spoils` turns a good answer into something else."""

    world: World
    says: tuple[str, ...] | None = None
    calls: tuple[str, ...] | None = None
    asked: list[str] = field(default_factory=list)

    def turn(self, messages: Sequence[Message], _tools: Sequence[Tool]) -> Turn:
        wanted = self._asked(question_of(messages))
        calls = self.calls if self.calls is not None else wanted.calls
        if calls and not looked_up(messages):
            made = tuple(call_of(one, number) for number, one in enumerate(calls))
            return Turn(calls=made, finish=Finish.CALLS, usage=USAGE)
        return Turn(text="\n".join(self.says or wanted.answer), usage=USAGE)

    def _asked(self, text: str) -> Asked:
        return max(self.world.turns, key=lambda one: text.rfind(one.question))


def world_of(name: str) -> World:
    return next(one for one in worlds() if one.name == name)
