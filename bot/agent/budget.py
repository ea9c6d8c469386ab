"""How much one question may take, and how a talk is kept inside the window. All sizes are tokens."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from bot.agent.transcript import Transcript
from bot.diagnosis.token_bound import token_bound
from bot.model.answering.window import SMALLEST, Room, room
from bot.nouns import Deployment, Message, Tool, Turn
from bot.ports import Model, PromptTooLongError

TURNS: Final = 8
"""Turns of the model for one question, the last words not counted: T6 needs four."""
READINGS: Final = 10
"""Look-ups for one question."""
AT_ONCE: Final = 4
"""Calls of one turn that are looked up; what is beyond is refused in words."""
TIME: Final = timedelta(seconds=120)
"""From the first step: then it answers with what it has. Our choice, for who waits at night."""
TOKENS: Final = 60_000
"""Prompt and answer of all turns together."""
BRIEF: Final = 120
"""Tokens of a result that was shortened."""
ONE_RESULT: Final = 1_800
"""Tokens of one result, also where the window would hold more: a question with one look-up stays under 8,000."""
SMALLEST_RESULT: Final = 160
UNKNOWN_WINDOW: Final = SMALLEST
"""Taken where the server does not say: what fits the smallest fits all."""
PER_MESSAGE: Final = 8
"""What the template puts around a message, rounded up: used where the server cannot count."""


def spent(kept: Transcript, now: datetime) -> str | None:
    """The limit that was reached, in words, or None."""
    if kept.turns >= TURNS:
        return f"{TURNS} turns"
    if len(kept.readings) >= READINGS and kept.state == "asking":
        return f"{READINGS} look-ups"
    if now - kept.began >= TIME:
        return f"{TIME.total_seconds():.0f} s"
    if kept.prompt_tokens + kept.completion_tokens >= TOKENS:
        return f"{TOKENS:,} tokens"
    return None


def bound(messages: Sequence[Message], tools: Sequence[Tool]) -> int:
    """A number of tokens that these do not exceed, without asking anybody."""
    size = sum(PER_MESSAGE + token_bound(_text(one)) for one in messages)
    return size + sum(PER_MESSAGE + token_bound(one.model_dump_json()) for one in tools)


def _text(message: Message) -> str:
    calls = "".join(call.name + call.written for call in message.calls) if isinstance(message, Turn) else ""
    return message.text + calls


async def fitted(model: Model, deployment: Deployment, kept: Transcript) -> tuple[Transcript, Room]:
    """The talk, shortened until an answer has its room; and that room.

    Raises PromptTooLongError when even the shortest form does not fit, PersonMovesNext for a window below 4,096.
    """
    while True:
        tools = () if kept.last_words else kept.tools
        size = await model.size(deployment, kept.messages(), tools)
        try:
            found = room(kept.window, bound(kept.messages(), tools) if size is None else size)
        except PromptTooLongError:
            found = None
        wanted = SMALLEST_RESULT if not kept.last_words else 0
        if found is not None and found.results >= wanted:
            return kept, found
        shorter = kept.without_oldest() or kept.shortened(BRIEF)
        if shorter is not None:
            kept = shorter
        elif found is not None:
            return kept, found
        else:
            raise PromptTooLongError("The conversation does not fit Gemma's window", window=kept.window)


def room_for_result(kept: Transcript, found: Room) -> int:
    """Tokens for each result of the calls that wait, so that all of them fit beside an answer."""
    share = found.results // max(1, len(kept.waiting))
    return max(min(share, found.one_result, ONE_RESULT), SMALLEST_RESULT // 2)
