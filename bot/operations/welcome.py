"""`/gemma` alone: one line of state, how to ask, who may do what (messages.md, T1)."""

from pydantic import BaseModel

from bot.errors import NotConnectedError
from bot.nouns import Effect, Role, SeenBy
from bot.operations import status
from bot.operations.operation import Context, NoArguments, Operation
from bot.operations.status import StatusArguments
from bot.operations.status_result import Status
from bot.operations.status_view import show as show_status
from bot.view import Button, Line, Mention, Shape, View, bold, code, line

MAY = {
    Role.VIEWER: "You can look at everything.",
    Role.OPERATOR: "You can look at everything, and start, change and stop things.",
    Role.ADMIN: "You can do everything here, as an admin.",
}

HOW_TO_ASK = line(
    *("Ask in plain words: ", code("/gemma is 64K safe?"), " In any thread: mention @gemma. "),
    *("Or: ", code("/gemma status"), ", ", code("errors"), ", ", code("cost"), "."),
)

HOW_TO_BEGIN = line("Type ", code("/gemma doctor"), " for what is missing, ", code("/gemma help"), " for what there is.")


class Welcome(BaseModel):
    """The state of the first deployment if there is one, and what the asker may do."""

    status: Status | None
    missing: str | None
    role: Role
    operators: tuple[str, ...]


async def run(context: Context, _arguments: NoArguments) -> Welcome:
    """The status of the first deployment; without any, what to set."""
    grants = context.services.grants
    try:
        state, missing = await status.run(context, StatusArguments()), None
    except NotConnectedError as error:
        state, missing = None, f"set {error.setting}"
    return Welcome(status=state, missing=missing, role=context.role, operators=grants.operators or grants.admins)


async def early(context: Context, _arguments: NoArguments) -> Welcome | None:
    """With the remembered state, when there is one."""
    try:
        state = await status.early(context, StatusArguments())
    except NotConnectedError:
        return None
    if state is None:
        return None
    grants = context.services.grants
    return Welcome(status=state, missing=None, role=context.role, operators=grants.operators or grants.admins)


def show(found: Welcome, context: Context) -> View:
    """State, how to ask, who may do what."""
    stated = show_status(found.status, context) if found.status is not None else None
    return View(
        verdict=stated.verdict if stated else line(bold("Nothing is connected yet"), f": {found.missing}"),
        shape=stated.shape if stated else Shape.NONE,
        lines=(HOW_TO_ASK if found.status is not None else HOW_TO_BEGIN, _who(found)),
        buttons=(_says("status"), *_next(found), _says("help")),
    )


def _says(word: str) -> Button:
    return Button(label=word.capitalize(), words=word)


def _next(found: Welcome) -> tuple[Button, ...]:
    """What changed, where somebody watches; else the machines."""
    watched = found.status is not None and found.status.watched_since is not None
    return (Button(label="What changed today", words="changes since 24h"),) if watched else (_says("machines"),)


def _who(found: Welcome) -> Line:
    may = MAY.get(found.role, "")
    if found.role >= Role.OPERATOR:
        return line(may)
    if not found.operators:
        return line(may, " Nobody was made operator yet: set OPERATORS.")
    names = [part for name in found.operators[:3] for part in (Mention(id=name), " ")]
    return line(may, " To start, change or stop something, ask ", *names)


WELCOME = Operation(
    path="",
    summary="one line of state, and how to ask",
    when_to_use="When somebody types /gemma alone.",
    example="",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run,
    early=early,
    show=show,
    hidden=True,
)
