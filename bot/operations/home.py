"""The Home tab: each deployment in a line, and what waits for a yes."""

import asyncio

from pydantic import BaseModel

from bot.errors import BotError
from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations import status
from bot.operations.operation import Context, NoArguments, Operation
from bot.operations.status import StatusArguments
from bot.operations.status_view import show as show_status
from bot.operations.wording import count
from bot.ports import Question
from bot.view import Button, Line, Mention, Shape, View, When, bold, code, line, plain, text

DEPLOYMENTS = 8
QUESTIONS = 5


class Standing(BaseModel):
    """How one deployment stands, as the first line of its status says it."""

    name: str
    shape: Shape
    verdict: Line


class Home(BaseModel):
    """Deployments and open questions; `left_out` deployments are not shown."""

    deployments: tuple[Standing, ...]
    left_out: int
    questions: tuple[Question, ...]


async def run(context: Context, _arguments: NoArguments) -> Home:
    """Ask each deployment's status as `status` does. One that cannot be asked says why, and the others still stand."""
    known = await context.services.deployments.all(context.services.team_id)
    standing = await asyncio.gather(*(_standing(context, one) for one in known[:DEPLOYMENTS]))
    waiting = await context.services.approvals.waiting(context.services.team_id, context.now)
    return Home(deployments=tuple(standing), left_out=max(0, len(known) - DEPLOYMENTS), questions=waiting[:QUESTIONS])


async def _standing(context: Context, deployment: Deployment) -> Standing:
    try:
        found = await status.run(context, StatusArguments(deployment=deployment.name))
    except BotError as error:
        return Standing(name=deployment.name, shape=Shape.BAD, verdict=line(bold(deployment.name), f": {error}"))
    view = show_status(found, context)
    return Standing(name=deployment.name, shape=view.shape, verdict=view.verdict)


def show(found: Home, context: Context) -> View:
    """A list. Empty, it says how to begin."""
    lines: list[Line] = [(text(f"{one.shape.value} "), *one.verdict) for one in found.deployments]
    lines += [line(f"… and {count(found.left_out, 'more deployment')}")] if found.left_out else []
    lines += [line(bold("Waiting for a yes"))] if found.questions else [line("Nothing waits for a yes.")]
    lines += [_question(one) for one in found.questions]
    lines.append(line("Seen ", When(at=context.now, date=True)))
    return View(verdict=_verdict(found), lines=tuple(lines), buttons=_buttons(found, context))


def _verdict(found: Home) -> Line:
    if not found.deployments:
        return line(bold("I serve nobody yet"), ": type ", code("/gemma setup"), " in a channel")
    total = len(found.deployments) + found.left_out
    bad = sum(1 for one in found.deployments if one.shape is not Shape.GOOD)
    return line(bold(count(total, "deployment")), f" · {bad} need a look" if bad else " · all ready")


def _question(question: Question) -> Line:
    what = question.shown[0] if question.shown else question.operation
    by = Mention(id=question.request.actor.user_id)
    return line(f"{what} · asked by ", by, " · until ", When(at=question.expires_at))


def _buttons(found: Home, context: Context) -> tuple[Button, ...]:
    looks = [Button(label=f"Status of {one.name}"[:75], words=f"status {one.name}") for one in found.deployments]
    answers = []
    for one in found.questions:
        mine = one.request.actor.user_id == context.actor.user_id
        if context.role >= one.role and not (one.second_person and mine):
            what = one.shown[0] if one.shown else one.operation
            answers.append(Button(label=f"Yes: {plain(line(what))}"[:75], words=f"yes {one.id}", style="primary"))
    return (*answers, *looks, Button(label="Machines", words="machines"), Button(label="Help", words="help"))


HOME = Operation(
    path="home",
    summary="the Home tab",
    when_to_use="Said by opening the tab.",
    example="home",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    timeout=15.0,
    run=run,
    show=show,
    hidden=True,
)
