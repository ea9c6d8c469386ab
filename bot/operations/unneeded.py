"""[Not needed] and [Stop] under a question: who asked it takes it back, viewers too. Other work is stopped by `cancel`."""

from pydantic import BaseModel

from bot.errors import RefusedError, UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import WorkName
from bot.view import View, bold, line

QUESTIONS = "ask-"
"""How the names of questions begin."""


class UnneededArguments(Arguments):
    """The name of the question, such as ask-3."""

    work: WorkName


class Unneeded(BaseModel):
    """It was asked to end; it says so itself."""

    work: str


async def run(context: Context, arguments: UnneededArguments) -> Unneeded:
    """Have one's own question end. Raises RefusedError for somebody else's, UsageError when there is none (any more)."""
    name = arguments.work
    open_work = await context.services.work.under_way(context.services.team_id)
    found = next((one for one in open_work if one.id == name and name.startswith(QUESTIONS)), None)
    if found is None:
        raise UsageError(f"There is no question “{name}” any more.", next_step="Nothing is left to stop.")
    if found.asked_by != context.actor.user_id and context.role < Role.OPERATOR:
        raise RefusedError("Only who asked it, or an operator, can take this question back.")
    await context.services.work.ask_to_stop(name)
    return Unneeded(work=name)


def show(found: Unneeded, _context: Context) -> View:
    """It was asked, not done."""
    return View(verdict=line(bold(f"{found.work} was asked to stop")), lines=(line("It ends and says so there."),))


UNNEEDED = Operation(
    path="unneeded",
    summary="take one's own question back",
    when_to_use="Pressed, not typed.",
    example="unneeded ask-3",
    arguments=UnneededArguments,
    effect=Effect.CHANGES,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    hidden=True,
)
