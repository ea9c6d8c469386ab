"""Long work as an operation sees it: what a step is handed, and what it says of how to go on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from bot.errors import NotConnectedError, RefusedError, WeMoveNext
from bot.operations.operation import Arguments, Context, Queue, Started
from bot.ports import Capacity, LongWork, Question
from bot.requests import Request
from bot.view import View

STOP = "stop"
"""The step that is taken when somebody asked the work to stop. Work without one cannot be stopped half-way: it goes on."""

AFTERWARDS = "afterwards"
"""What is done when the work has said its last word, if there is such a step. It may be lost with its process: what must happen
does not belong here."""

DONE = "done"
BILLS = "bills"
"""The note that says what bills while the work is where it is; whoever ends the work in trouble tells it."""


@dataclass(frozen=True)
class Course:
    """One look at long work. `context` is that of whoever asked, at the time of this look; `question` holds the yes that set it
    free, None where none was needed: then nothing outside may be written.

    `notes` is what earlier steps wrote down. A step may be taken again after a crash at any point: it looks before it makes.
    """

    work_id: str
    context: Context
    arguments: Any
    notes: Mapping[str, str]
    question: Question | None
    root: str | None = None
    """Where the first message of the work stands, as `channel ts`; None while that is not known."""

    @property
    def yes(self) -> Question:
        """The yes. Raises RefusedError where nobody was asked for one."""
        if self.question is None:
            raise RefusedError("Nobody said yes to this, so I did nothing.", next_step="Ask again.")
        return self.question


@dataclass(frozen=True)
class Move:
    """Go on to the state `to`: at once, or after `wait_s` seconds. `notes` are added; `progress` replaces the first message's
    words when there is time for it. To DONE: it ends without a word, for there is nothing to tell."""

    to: str
    notes: Mapping[str, str] = field(default_factory=dict)
    wait_s: float | None = None
    progress: View | None = None


@dataclass(frozen=True)
class Ended:
    """The end: its one final message. `settled` is what the first message says then; None: that it has ended, and how."""

    view: View
    settled: View | None = None


def pause_s(since: datetime, now: datetime) -> float:
    """How long to wait before looking again at something that began then: a quarter of the time so far, 1 to 15 seconds."""
    return min(max((now - since).total_seconds() / 4, 1.0), 15.0)


async def begin(
    context: Context,
    path: str,
    arguments: Arguments,
    said: str,
    notes: Mapping[str, str] | None = None,
    *,
    queue: Queue = Queue.STEPS,
) -> Started:
    """Record long work of the operation `path`, once for the request that asks. `said` is its first message, `queue` where its
    steps run."""
    name = await _long_work(context).begin(_request_of(context), path, arguments.model_dump_json(), notes or {}, queue=queue)
    return Started(work_id=name, said=f"{name}: {said}", queue=queue)


async def begun(context: Context, path: str, said: str) -> Started | None:
    """What this request began already, when it is carried out once more after a crash: then nothing is looked up again, for the
    work may be half-way or over."""
    name = await _long_work(context).begun(_request_of(context), path)
    return None if name is None else Started(work_id=name, said=f"{name}: {said}")


async def second_person_said_yes(context: Context) -> bool:
    """Whether the yes that set this request free was a second person's (or broke the glass with a reason)."""
    approval = context.request.approval if context.request is not None else None
    question = await context.services.approvals.get(approval) if approval is not None else None
    return question is not None and question.second_person


def never_shown(_result: BaseModel, _context: Context) -> View:
    """`show` of operations that only ever start long work."""
    raise AssertionError("a started work is shown by the gate")


def capacity_of(context: Context) -> Capacity:
    """The writing half of the cloud. Raises NotConnectedError where there is none."""
    if context.services.capacity is None:
        raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
    return context.services.capacity


def _long_work(context: Context) -> LongWork:
    if context.services.long_work is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    return context.services.long_work


def _request_of(context: Context) -> Request:
    if context.request is None:
        raise WeMoveNext("Long work was begun without a request.")
    return context.request
