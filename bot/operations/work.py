"""`work` and `cancel`: what runs, since when, for whom; and a clean stop."""

from datetime import datetime

from pydantic import BaseModel

from bot.errors import RefusedError, UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.operation import Arguments, Consent, Context, NoArguments, Operation, Preview
from bot.operations.values import WorkName
from bot.operations.wording import ago, count
from bot.ports import OpenWork
from bot.view import Button, Mention, View, bold, code, line

SHOWN = 6


class UnderWay(BaseModel):
    """Long work that is under way, oldest first; `short` counts the quick requests that are being answered now."""

    at: datetime
    works: tuple[OpenWork, ...]
    short: int


async def run_work(context: Context, _arguments: NoArguments) -> UnderWay:
    """What is open, without the quick reads (this very request is one of them)."""
    found = await context.services.work.under_way(context.services.team_id)
    long = tuple(one for one in found if one.kind != "request")
    return UnderWay(at=context.now, works=long, short=len(found) - len(long))


def show_work(found: UnderWay, _context: Context) -> View:
    """One line each, with a button to stop the first ones."""
    if not found.works:
        return View(
            verdict=line(bold("Nothing long is under way"), f" · {count(max(found.short, 1), 'quick request')} being answered")
        )
    lines = tuple(
        line(bold(one.id), f" {one.state} · started {ago(one.since, found.at)} for ", Mention(id=one.asked_by), _stopping(one))
        for one in found.works
    )
    stop = tuple(
        Button(label=f"Stop {one.id}", words=f"cancel {one.id}")
        for one in found.works[:3]
        if not (one.stopping or one.unstoppable)
    )
    return View(
        verdict=line(bold(f"{count(len(lines), 'piece of work', 'pieces of work')} under way")),
        lines=lines[:SHOWN],
        details=lines[SHOWN:],
        buttons=stop,
    )


def _stopping(one: OpenWork) -> str:
    return " · stopping" if one.stopping else ""


class CancelArguments(Arguments):
    """The name of a work, as `work` shows it."""

    work: WorkName


class Cancelled(BaseModel):
    """What was asked to stop; it ends at its next boundary and says so itself."""

    work: str
    asked_by: str


async def _find(context: Context, name: str) -> OpenWork:
    found = await context.services.work.under_way(context.services.team_id)
    open_names = tuple(one.id for one in found if one.kind != "request")
    for one in found:
        if one.id == name and one.kind != "request":
            return _stoppable(one)
    near = tuple(f"cancel {other}" for other in open_names[:3])
    raise UsageError(f"There is no work “{name}” under way.", near=near, next_step="/gemma work shows what runs.")


def _stoppable(one: OpenWork) -> OpenWork:
    """The work itself. Raises RefusedError when it can only go on to its end."""
    if one.unstoppable:
        raise RefusedError(f"{one.id} cannot be stopped: {one.unstoppable}.", next_step="It says here when it has ended.")
    return one


async def preview_cancel(context: Context, arguments: CancelArguments) -> Preview:
    """One's own stops at once; somebody else's after one more click."""
    one = await _find(context, arguments.work)
    mine = one.asked_by == context.actor.user_id
    return Preview(
        needs=Consent.AT_ONCE if mine else Consent.CONFIRM,
        verdict=line(bold(f"Stop {one.id}?"), " It was started by ", Mention(id=one.asked_by)),
        lines=(line(f"It is {one.state}, since {ago(one.since, context.now)}: ", code(one.words)),),
        button=f"Stop {one.id}",
    )


async def run_cancel(context: Context, arguments: CancelArguments) -> Cancelled:
    """Leave word; raises UsageError when it ended in the meantime."""
    one = await _find(context, arguments.work)
    if not await context.services.work.ask_to_stop(one.id):
        raise UsageError(f"{one.id} ended in the meantime.", next_step="Nothing is left to stop.")
    return Cancelled(work=one.id, asked_by=one.asked_by)


def show_cancel(found: Cancelled, _context: Context) -> View:
    """It was asked, not done: the work itself says when it stopped."""
    return View(
        verdict=line(bold(f"{found.work} was asked to stop")), lines=(line("It ends at its next step and says so here."),)
    )


WORK = Operation(
    path="work",
    summary="what runs, since when, for whom",
    when_to_use="To see long work such as searches, deployments and benchmarks.",
    example="work",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run_work,
    show=show_work,
)

CANCEL = Operation(
    path="cancel",
    summary="a clean stop of long work",
    when_to_use="To end a search, a deployment or a benchmark before it is done.",
    example="cancel bench-12",
    arguments=CancelArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    run=run_cancel,
    preview=preview_cancel,
    show=show_cancel,
)
