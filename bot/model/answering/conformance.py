"""Looks at what a model server really does, with a few small calls: `doctor` says what works and what is worked around.

Run at the start and whenever the server's version or model changes (`due`). Every call is bounded in tokens and time.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from bot.errors import BotError, ModelMovesNext, RetryLater
from bot.model.answering.json_text import same_json
from bot.nouns import (
    AnswerLimits,
    Conformance,
    ConformanceCheck,
    Deployment,
    Finish,
    Message,
    Repair,
    SystemMessage,
    Tool,
    ToolResult,
    Turn,
    UserMessage,
    Verdict,
)
from bot.ports import Clock, Model

LIMITS: Final = AnswerLimits(max_tokens=256, first_s=30, silence_s=10, total_s=45, temperature=0.0)
"""A call with its arguments is 20 to 45 tokens [recorded]; a model that says more than this has missed the question."""

MOST_FAILURES: Final = 2
"""Calls without an answer after which the rest is not tried: each may wait for its whole time."""

ORDERS: Final = SystemMessage(text="You are being tested. Do exactly what is asked, with the tools where one is named.")

LOOK: Final = Tool(
    name="look_up",
    description="Looks up one word.",
    parameters={
        "type": "object",
        "properties": {"word": {"type": "string", "description": "the word"}, "times": {"type": "integer"}},
        "required": ["word"],
        "additionalProperties": False,
    },
)
FIND: Final = Tool(
    name="find_logs",
    description="Finds log lines.",
    parameters={
        "type": "object",
        "properties": {
            "filter": {
                "type": "object",
                "properties": {"severity": {"type": "string"}, "most": {"type": "integer"}},
                "required": ["severity", "most"],
                "additionalProperties": False,
            }
        },
        "required": ["filter"],
        "additionalProperties": False,
    },
)

SHOWN: Final = 200
"""Characters that are shown of what a model said."""

Seen = tuple[Verdict, str]


@dataclass(frozen=True)
class Asking:
    """A model of one deployment, the turns it gave (the check of leaks looks at all of them), and when it did not answer."""

    model: Model
    deployment: Deployment
    turns: list[Turn] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    async def turn(self, messages: Sequence[Message], *tools: Tool) -> Turn:
        """One turn."""
        turn = await self.model.converse(self.deployment, messages, tools, LIMITS)
        self.turns.append(turn)
        return turn


async def conformance(
    model: Model, deployment: Deployment, clock: Clock, *, version: str | None, model_id: str | None
) -> Conformance:
    """Make all checks, one after the other. What cannot be seen because the server fails is unknown; nothing is raised for it.

    A server that failed to answer twice is not asked any more.
    """
    asking = Asking(model, deployment)
    checks: list[ConformanceCheck] = []
    for name, check in CHECKS.items():
        checks.append(await _checked(name, check, asking, clock))
    return Conformance(deployment=deployment.name, model_id=model_id, version=version, checks=tuple(checks))


def due(last: Conformance | None, *, version: str | None, model_id: str | None) -> bool:
    """Whether to look again: never looked, another version or model, or nothing at all could be seen the last time."""
    if last is None or (last.version, last.model_id) != (version, model_id):
        return True
    return all(check.verdict is Verdict.UNKNOWN for check in last.checks)


async def _checked(name: str, check: Callable[[Asking], Awaitable[Seen]], asking: Asking, clock: Clock) -> ConformanceCheck:
    """One check, with its time."""
    try:
        verdict, seen = await check(asking) if len(asking.failures) < MOST_FAILURES else (Verdict.UNKNOWN, asking.failures[-1])
    except ModelMovesNext as error:
        verdict, seen = Verdict.FAILED, error.telling.failed
    except RetryLater as error:
        asking.failures.append(error.telling.failed)
        verdict, seen = Verdict.UNKNOWN, error.telling.failed
    except BotError as error:
        verdict, seen = Verdict.UNKNOWN, error.telling.failed
    return ConformanceCheck(name=name, verdict=verdict, seen=seen, at=clock.now())


async def _tool_call(asking: Asking) -> Seen:
    """One call with a text and a number."""
    turn = await asking.turn([ORDERS, UserMessage(text='Call look_up with word "kestrel" and times 3.')], LOOK)
    return _of_calls(turn, {"word": "kestrel", "times": 3})


async def _parallel_calls(asking: Asking) -> Seen:
    """Two calls in one message. One at a time is the model's good right: then it was not seen."""
    words = 'In one message call look_up twice: with word "kestrel" and with word "heron".'
    turn = await asking.turn([ORDERS, UserMessage(text=words)], LOOK)
    if len(turn.calls) == 1 and turn.calls[0].arguments in ({"word": "kestrel"}, {"word": "heron"}):
        return Verdict.UNKNOWN, "it made one call at a time, which works too"
    return _of_calls(turn, {"word": "kestrel"}, {"word": "heron"})


async def _nested_arguments(asking: Asking) -> Seen:
    """An object inside the arguments."""
    turn = await asking.turn([ORDERS, UserMessage(text='Call find_logs with filter severity "ERROR" and most 5.')], FIND)
    return _of_calls(turn, {"filter": {"severity": "ERROR", "most": 5}})


async def _after_null_content(asking: Asking) -> Seen:
    """A call, its result, and words: the turn with the call goes back with content null."""
    asked: list[Message] = [ORDERS, UserMessage(text='Call look_up with word "heron". Then say in one sentence what it found.')]
    first = await asking.turn(asked, LOOK)
    if not first.calls or first.calls[0].arguments is None:
        return Verdict.UNKNOWN, "it made no call to give a result for"
    results = [ToolResult(call_id=call.id, text="A heron is a grey bird.") for call in first.calls]
    second = await asking.turn([*asked, first, *results], LOOK)
    if second.calls:
        return Verdict.FAILED, "it called again instead of answering"
    return _of_words(second)


async def _stream(asking: Asking) -> Seen:
    """Words in pieces, ended by a reason, with usage."""
    words: list[str] = []
    asked: list[Message] = [ORDERS, UserMessage(text="Say in one sentence what a heron is.")]
    async with aclosing(asking.model.stream(asking.deployment, asked, (), LIMITS)) as heard:
        async for piece in heard:
            if isinstance(piece, Turn):
                asking.turns.append(piece)
            else:
                words.append(piece)
    turn = asking.turns[-1]
    verdict, seen = _of_words(turn)
    if verdict is Verdict.PASSED and (len(words) < 2 or turn.usage is None):
        return Verdict.FAILED, "it came in one piece" if len(words) < 2 else "it came without its usage"
    return verdict, f"{len(words)} pieces" if verdict is Verdict.PASSED else seen


async def _leaked_tokens(asking: Asking) -> Seen:
    """Whether control tokens or calls stood in the text of any turn so far."""
    if not asking.turns:
        return Verdict.UNKNOWN, "there was no turn to look at"
    leaks = (Repair.LEAKED_TOKENS, Repair.CALL_FROM_TEXT)
    leaked = sum(any(repair in leaks for repair in turn.repairs) for turn in asking.turns)
    if leaked:
        return Verdict.FAILED, f"{leaked} of {len(asking.turns)} turns had them in the text; they were put right"
    return Verdict.PASSED, f"none in {len(asking.turns)} turns"


async def _size(asking: Asking) -> Seen:
    """Whether the server counts a prompt as it bills it."""
    asked: list[Message] = [ORDERS, UserMessage(text="Say yes.")]
    size = await asking.model.size(asking.deployment, asked)
    turn = await asking.turn(asked)
    if size is None or turn.usage is None:
        return Verdict.FAILED, "it does not count tokens"
    same = size == turn.usage.prompt
    return (Verdict.PASSED if same else Verdict.FAILED), f"/tokenize counts {size} tokens, usage says {turn.usage.prompt}"


PARALLEL: Final = "parallel calls"
CHECKS: Final[dict[str, Callable[[Asking], Awaitable[Seen]]]] = {
    "tool call": _tool_call,
    PARALLEL: _parallel_calls,
    "nested arguments": _nested_arguments,
    "null content": _after_null_content,
    "stream": _stream,
    "exact size": _size,
    "leaked tokens": _leaked_tokens,
}
"""Name -> check, in the order in which they are made; the last looks at what the others got."""


def _of_calls(turn: Turn, *wanted: dict[str, object]) -> Seen:
    """Whether exactly these calls were made."""
    if not turn.calls:
        return Verdict.FAILED, f"it made no call, it ended with {turn.finish.value}"
    problem = next((call.problem for call in turn.calls if call.problem), None)
    if problem is not None:
        return Verdict.FAILED, problem
    made = sorted(same_json(call.arguments) for call in turn.calls)
    if made != sorted(map(same_json, wanted)):
        return Verdict.FAILED, f"it called with {', '.join(made)}"[:SHOWN]
    mended = Repair.ARGUMENTS in turn.repairs
    return Verdict.PASSED, "as asked, after arguments were put right" if mended else "as asked"


def _of_words(turn: Turn) -> Seen:
    """Whether it is a whole sentence."""
    if not turn.text or turn.finish is not Finish.STOP:
        return Verdict.FAILED, f"no whole sentence, it ended with {turn.finish.value}"
    if Repair.ANSWER_FROM_REASONING in turn.repairs:
        return Verdict.PASSED, "the answer stood in the reasoning and was taken from there"
    return Verdict.PASSED, "as asked"
