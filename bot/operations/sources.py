"""Asking several sources at once: one that does not answer becomes one line, and the others still count."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.errors import BotError, NotConnectedError, WeMoveNext

T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a source said, or why it did not: `missing` is a sentence for people, `connected` False when it is not set up."""

    value: T | None = None
    missing: str | None = None
    connected: bool = True


async def attempt(call: Awaitable[T]) -> Answer[T]:
    """Await a source. Errors of persons and of passing trouble become its `missing`; our own faults go on upwards."""
    try:
        return Answer(value=await call)
    except WeMoveNext:
        raise
    except NotConnectedError as error:
        return Answer(missing=str(error), connected=False)
    except BotError as error:
        return Answer(missing=str(error))
