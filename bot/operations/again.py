"""`details` and `share`: what the buttons under an answer say about that very answer, as it was given."""

from pydantic import BaseModel

from bot.errors import RefusedError, UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import GivenName
from bot.view import Mention, View, line


class AgainArguments(Arguments):
    """The id of the work whose answer is meant."""

    work: GivenName


class Given(BaseModel):
    """An answer that was given before."""

    view: View
    asked_by: str


async def _given(context: Context, work_id: str) -> Given:
    found = await context.services.work.answer(work_id)
    if found is None:
        raise UsageError("This answer is more than a day old, I no longer have it.", next_step="Ask again.")
    request, view = found
    if request.actor.team_id != context.actor.team_id or request.actor.user_id != context.actor.user_id:
        raise RefusedError("Only who asked can open or share this answer.", next_step="Ask the same yourself.")
    return Given(view=view, asked_by=request.actor.user_id)


async def run(context: Context, arguments: AgainArguments) -> Given:
    """The stored answer. Raises RefusedError for anybody but the asker: it may hold what only they were shown."""
    return await _given(context, arguments.work)


def show_details(given: Given, _context: Context) -> View:
    """The whole answer: what waited behind Details, and whole what was cut to fit."""
    whole = (*given.view.lines, *given.view.details)
    return given.view.model_copy(update={"lines": whole, "details": (), "buttons": (), "chart": None})


def show_shared(given: Given, _context: Context) -> View:
    """The whole answer, with who shared it."""
    shared = line("Shared by ", Mention(id=given.asked_by))
    return given.view.model_copy(update={"lines": (*given.view.lines[:6], shared), "buttons": ()})


DETAILS = Operation(
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

SHARE = Operation(
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
