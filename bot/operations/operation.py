"""What an operation is: one typed constant, everything else about it is read off that."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from bot.nouns import Actor, Effect, Noun, Role, SeenBy
from bot.ports import Services
from bot.requests import Place, Request
from bot.view import Line, View


class Arguments(BaseModel):
    """Base of all arguments: frozen, unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NoArguments(Arguments):
    """An operation that takes no values."""


class Queue(StrEnum):
    """Which workers run it. `reads` never waits for the model."""

    READS = "reads"
    ANSWERS = "answers"
    STEPS = "steps"
    BENCHMARKS = "benchmarks"


class Consent(StrEnum):
    """Who must say yes before it runs: nobody, the asker once more, or a second person."""

    AT_ONCE = "at once"
    CONFIRM = "confirm"
    SECOND_PERSON = "second person"


@dataclass(frozen=True)
class Context:
    """What a run is handed: the ports, who asks, where the answer belongs, and the time it was asked."""

    services: Services
    actor: Actor
    role: Role
    place: Place
    now: datetime
    asked: str = ""
    """The words of the operation, for buttons that say the same with another value."""
    request_id: str = ""
    """The id of the request: what is made in its name gets a name from it, so that a repeat makes nothing new."""
    request: Request | None = None
    """The request itself, for work that goes on after its answer."""


class Started(Noun):
    """Long work was recorded; its messages follow. `said` is the first of them, `by` the user whose yes began it."""

    work_id: str
    said: str
    by: str | None = None
    tell: tuple[str, ...] = ()
    """Users and groups who must hear of it."""
    queue: Queue = Queue.STEPS
    """Which workers take its steps."""


@dataclass(frozen=True)
class Preview:
    """What would happen, found out before a yes is asked for. `needs` decides who must say it; `lines` tell it."""

    needs: Consent
    verdict: Line
    lines: tuple[Line, ...] = ()
    button: str = "Do it"
    usd: float | None = None
    """What it could cost in all, in USD; None: unknown, or it spends nothing."""


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class Operation(Generic[A, R]):
    """One thing that can be asked.

    `path` is the words ("status", "engine.start"); `was` the names of the tools it replaces. `effect` and `role` have no
    default, so that nobody forgets them. `run` returns a result or `Started`; `early` returns what is known at once, for a
    reader who would otherwise wait. `timeout` is in seconds. `steps` are the transitions of long work by state.
    """

    path: str
    summary: str
    when_to_use: str
    example: str
    arguments: type[A]
    effect: Effect
    role: Role
    seen_by: SeenBy
    run: Callable[[Context, A], Awaitable[R | Started]]
    show: Callable[[R, Context], View]
    queue: Queue = Queue.READS
    timeout: float = 10.0
    tool: bool = False
    preview: Callable[[Context, A], Awaitable[Preview]] | None = None
    early: Callable[[Context, A], Awaitable[R | None]] | None = None
    steps: Mapping[str, Callable[..., Awaitable[Any]]] = field(default_factory=dict)
    was: tuple[str, ...] = ()
    hidden: bool = False
    whisper: bool = False
    """Only the asker may see the answer, also where a whole channel saw the question."""

    @property
    def words(self) -> tuple[str, ...]:
        """The path as it is typed."""
        return tuple(self.path.split(".")) if self.path else ()


AnyOperation = Operation[Any, Any]
Registry = tuple[AnyOperation, ...]
