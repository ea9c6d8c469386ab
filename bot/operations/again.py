"""`details` and `share`: what the buttons under an answer say about that very answer, as it was given."""

from collections.abc import Callable

from pydantic import BaseModel

from bot.errors import RefusedError, UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.command_line import parse
from bot.operations.operation import AnyOperation, Arguments, Context, Operation, Registry
from bot.operations.values import GivenName
from bot.requests import Door, Request
from bot.view import LINES_LIMIT, Mention, View, line

Table = Callable[[], Registry]


class AgainArguments(Arguments):
    """The id of the work whose answer is meant."""

    work: GivenName


class Given(BaseModel):
    """An answer that was given before; `share` is its work, when its asker looks at it and may show it to others."""

    view: View
    asked_by: str
    share: str | None = None


async def _given(table: Table, context: Context, work_id: str, *, read: bool) -> Given:
    """The stored answer. Raises RefusedError for anybody but the asker, unless it is only read and stands before all already."""
    found = await context.services.work.answer(work_id)
    if found is None:
        raise UsageError("This answer is more than a day old, I no longer have it.", next_step="Ask again.")
    request, view = found
    asker = request.actor.team_id == context.actor.team_id and request.actor.user_id == context.actor.user_id
    operation = _asked(table(), request)
    if not asker and not (read and _before_all(operation, request, context)):
        raise RefusedError("Only who asked can open or share this answer.", next_step="Ask the same yourself.")
    own = asker and operation is not None and _for_others_too(operation)
    return Given(view=view, asked_by=request.actor.user_id, share=work_id if own else None)


NOT_SHARED = frozenset({"", "help"})
"""What everybody would be told in the same words."""


def _for_others_too(operation: AnyOperation) -> bool:
    """Whether an answer that its asker alone sees may be shown to others."""
    alone = operation.seen_by is SeenBy.YOU and not operation.whisper and not operation.hidden
    return alone and operation.path not in NOT_SHARED


def _asked(registry: Registry, request: Request) -> AnyOperation | None:
    """What was asked then; None when no word of the table says that (any more)."""
    try:
        return parse(registry, request.words).operation
    except UsageError:
        return None


def _before_all(operation: AnyOperation | None, request: Request, context: Context) -> bool:
    """Whether the answer was shared, or given in a thread of a channel, and this person may ask for the same."""
    if operation is None or request.actor.team_id != context.actor.team_id or request.place.direct:
        return False
    shown = operation.seen_by is SeenBy.CHANNEL or request.door is Door.MENTION
    return shown and not operation.whisper and context.role >= operation.role


def show_details(given: Given, _context: Context) -> View:
    """The whole answer, with its buttons and chart: what waited behind Details, and whole what was cut to fit."""
    whole = (*given.view.lines, *given.view.details)
    return given.view.model_copy(update={"lines": whole, "details": (), "attachment": None})


def show_shared(given: Given, _context: Context) -> View:
    """The answer as it was given, with who shared it: beside its last line where there is no room below."""
    shared = line("Shared by ", Mention(id=given.asked_by))
    lines = given.view.lines
    full = len(lines) >= LINES_LIMIT - 1
    ends = (*lines[:-1], line(*lines[-1], " · ", *shared)) if full else (*lines, shared)
    file = given.view.attachment
    kept = None if file is not None and file.private else file
    return given.view.model_copy(update={"lines": ends, "buttons": (), "attachment": kept})


def details_operation(table: Table) -> AnyOperation:
    """`details`, over a table that says who may see what."""

    async def run(context: Context, arguments: AgainArguments) -> Given:
        return await _given(table, context, arguments.work, read=True)

    return Operation(
        path="details",
        summary="the rest of an answer",
        when_to_use="Pressed, not typed.",
        example="details r-1a2b3c",
        arguments=AgainArguments,
        effect=Effect.READS,
        role=Role.VIEWER,
        seen_by=SeenBy.YOU,
        run=run,
        show=show_details,
        hidden=True,
    )


def share_operation(table: Table) -> AnyOperation:
    """`share`, over the same table."""

    async def run(context: Context, arguments: AgainArguments) -> Given:
        return await _given(table, context, arguments.work, read=False)

    return Operation(
        path="share",
        summary="show an answer to the channel",
        when_to_use="Pressed, not typed.",
        example="share r-1a2b3c",
        arguments=AgainArguments,
        effect=Effect.READS,
        role=Role.VIEWER,
        seen_by=SeenBy.CHANNEL,
        run=run,
        show=show_shared,
        hidden=True,
    )
