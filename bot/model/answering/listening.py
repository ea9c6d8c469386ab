"""Listens to a streamed answer: gives out its text, and ends when it is over, dead, broken, or repeats itself without end."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Protocol

from bot.model.answering.refusals import error_inside, half
from bot.model.answering.repetition import whole_part
from bot.model.answering.speech import Pieces
from bot.model.answering.spoken import Spoken
from bot.nouns import AnswerLimits

_TAIL = 4_096
"""Characters at the end of the answer in which repetition is looked for."""


class Chunks(Protocol):
    """An open stream of the SDK."""

    def __aiter__(self) -> AsyncIterator[object]:
        """The chunks as parsed JSON."""

    async def close(self) -> None:
        """Let go of the connection: the server then stops generating."""


async def listen(
    chunks: Chunks, spoken: Spoken, pieces: Pieces, limits: AnswerLimits, ends_at: float, place: str
) -> AsyncGenerator[str, None]:
    """Fill `spoken` from the stream and give out its sure text.

    `ends_at` is when the whole must be over, by the event loop's time. Raises TimeoutError when it falls silent, RetryLater when
    it ends without a reason to, and what an error inside it means. Keep-alive comments are no sign of life: only chunks are.
    """
    reading = chunks.__aiter__()
    wait_s = limits.first_s
    try:
        while True:
            chunk = await _next(reading, wait_s, ends_at)
            if chunk is None:
                break
            wait_s = limits.silence_s
            if not isinstance(chunk, Mapping):
                raise half(place)
            if chunk.get("object") == "error":  # as vLLM before 0.10 reports errors in a stream
                raise error_inside(chunk, place)
            content, reasoning = spoken.add(chunk)
            if content and (piece := pieces.next(spoken.content)):
                yield piece
            if _repeats(spoken, content, reasoning):
                return
    finally:
        await chunks.close()
    if spoken.choices and spoken.finish is None:
        raise half(place)


async def _next(reading: AsyncIterator[object], wait_s: float, ends_at: float) -> object:
    """The next chunk; None at the end. TimeoutError when none comes in time."""
    async with asyncio.timeout_at(min(asyncio.get_running_loop().time() + wait_s, ends_at)):
        return await anext(reading, None)


def _repeats(spoken: Spoken, content: str, reasoning: str) -> bool:
    """Whether what was just said is more of an endless repetition."""
    said = spoken.content if content else spoken.reasoning if reasoning else ""
    return bool(said) and whole_part(said[-_TAIL:]) is not None
