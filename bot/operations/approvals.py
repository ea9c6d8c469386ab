"""`yes` and `no`: what the buttons of a question say. The gate decided who must answer; here it is held to."""

from pydantic import BaseModel

from bot.errors import RefusedError, UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.access import who_may
from bot.operations.operation import Arguments, Context, Operation, Started
from bot.operations.telling import again
from bot.operations.values import GivenName, RestOfLine
from bot.ports import Question
from bot.view import Mention, View, bold, line

SAID = 400
"""Characters of a reason that are shown; the audit keeps it whole."""

NAMED = 60
"""Characters of a request that are shown: with who said yes, the line still fits a notification."""

TOLD = 5
"""Admins who are mentioned when somebody did not wait for a second person."""


class AnswerArguments(Arguments):
    """The id of a question."""

    question: GivenName


class YesArguments(AnswerArguments):
    """The id of a question, and the reason of an on-call who will not wait for a second person."""

    because: RestOfLine | None = None


class Declined(BaseModel):
    """Nothing was done."""

    question: Question
    by: str


async def _open_question(context: Context, question_id: str) -> Question:
    question = await context.services.approvals.get(question_id)
    if question is None or question.request.actor.team_id != context.services.team_id:
        raise UsageError("I do not know this question (any more).", next_step="Nothing was done. Ask again.")
    if question.spent_by is not None:
        raise RefusedError("This was answered already, with yes.", next_step="Look at its messages.")
    if context.now >= question.expires_at:
        raise UsageError("This question has expired, nothing was done.", near=(question.request.words,), next_step="Ask again.")
    return question


def _must_reach(context: Context, question: Question) -> None:
    if context.role < question.role:
        needed = "admins" if question.role is Role.ADMIN else "operators"
        raise RefusedError(f"Only {needed} can answer this.", needs=who_may(context.services, question.role))


async def run_yes(context: Context, arguments: YesArguments) -> Started:
    """Spend the question and create its work in one step. Raises RefusedError when this person may not say yes."""
    question = await _open_question(context, arguments.question)
    _must_reach(context, question)
    mine = question.second_person and context.actor.user_id == question.request.actor.user_id
    if mine and arguments.because is None:
        raise RefusedError(
            "A second person has to say yes to this.",
            next_step=f"Ask somebody else to press it. If it cannot wait: /gemma yes {question.id} because REASON",
        )
    if not await context.services.approvals.spend(question, context.actor):
        raise RefusedError("This was answered already.", next_step="Look at its messages.")
    if not mine:
        return Started(work_id=question.id, said=f"It starts now: {_named(question)}", by=context.actor.user_id)
    admins = context.services.grants.admins
    said = f"It starts now, without a second person: {_named(question)}, because {arguments.because}"
    return Started(work_id=question.id, said=said[:SAID], by=context.actor.user_id, tell=admins[:TOLD])


def _named(question: Question) -> str:
    """What was asked, in the words it was asked with: this message takes the place of the question."""
    words = question.request.words
    return words if len(words) <= NAMED else f"{words[: NAMED - 1]}…"


async def run_no(context: Context, arguments: AnswerArguments) -> Declined:
    """The first answer wins. Only the asker and those who could say yes may say no."""
    question = await _open_question(context, arguments.question)
    if context.actor.user_id != question.request.actor.user_id:
        _must_reach(context, question)
    if not await context.services.approvals.decline(question, context.actor):
        raise RefusedError("This was answered already.", next_step="Look at its messages.")
    return Declined(question=question, by=context.actor.user_id)


def show_no(found: Declined, _context: Context) -> View:
    """Who said no, and that nothing happened."""
    return View(
        verdict=line(bold("Declined, nothing was done"), " · by ", Mention(id=found.by)),
        lines=(line(found.question.shown[0]),) if found.question.shown else (),
        buttons=again(found.question.request.words),
    )


def _show_started(_started: BaseModel, _context: Context) -> View:
    raise AssertionError("a started work is shown by the gate")


YES = Operation(
    path="yes",
    summary="answer a question with yes",
    when_to_use="Pressed, not typed.",
    example="yes ask-1a2b3c",
    arguments=YesArguments,
    effect=Effect.CHANGES,
    role=Role.VIEWER,
    seen_by=SeenBy.CHANNEL,
    run=run_yes,
    show=_show_started,
    hidden=True,
)

NO = Operation(
    path="no",
    summary="answer a question with no",
    when_to_use="Pressed, not typed.",
    example="no ask-1a2b3c",
    arguments=AnswerArguments,
    effect=Effect.CHANGES,
    role=Role.VIEWER,
    seen_by=SeenBy.CHANNEL,
    run=run_no,
    show=show_no,
    hidden=True,
)
