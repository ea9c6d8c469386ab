"""[Ask them]: the exact request of somebody who may not do it, put before those who may."""

from collections.abc import Callable
from datetime import timedelta

from pydantic import BaseModel

from bot.errors import UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.access import who_may
from bot.operations.command_line import parse
from bot.operations.operation import AnyOperation, Arguments, Context, Operation, Registry
from bot.operations.values import RestOfLine
from bot.ports import Question
from bot.requests import Door, Request, request_id
from bot.view import Button, Mention, Span, View, When, bold, line, plain, text

LIFE = timedelta(hours=1)
"""Our choice: longer than a confirmation, for somebody else has to see it first."""


class AskArguments(Arguments):
    """What shall be done, as it would be typed."""

    words: RestOfLine


class Asked(BaseModel):
    """The stored question, and who may answer it."""

    question: Question
    who: tuple[str, ...]


def ask_operation(table: Callable[[], Registry]) -> AnyOperation:
    """The operation over a table that includes itself; hence a function that returns the table."""

    async def run(context: Context, arguments: AskArguments) -> Asked:
        return await _ask(table(), context, arguments.words)

    return Operation(
        path="request",
        summary="put a request before those who may do it",
        when_to_use="Pressed, not typed.",
        example="request words cancel bench-12",
        arguments=AskArguments,
        effect=Effect.CHANGES,
        role=Role.VIEWER,
        seen_by=SeenBy.CHANNEL,
        run=run,
        show=show,
        hidden=True,
    )


async def _ask(registry: Registry, context: Context, words: str) -> Asked:
    """Nothing runs: a question is stored that names operation and arguments. Raises UsageError when nobody need be asked."""
    parsed = parse(registry, words)
    operation, arguments = parsed.operation, parsed.arguments
    if context.role >= operation.role:
        raise UsageError("You may do this yourself.", near=(words,), next_step="Press it:")
    preview = None if operation.preview is None else await operation.preview(context, arguments)
    told = () if preview is None else tuple(map(plain, (preview.verdict, *preview.lines)))
    request = Request(
        id=request_id("ask them", context.request_id),
        door=Door.BUTTON,
        actor=context.actor,
        place=context.place.model_copy(update={"response_url": None, "ephemeral": False}),
        words=words,
        at=context.now,
    )
    question = Question(
        id="ask-" + request_id(request.id, operation.path)[:12],
        request=request,
        operation=operation.path,
        arguments=arguments.model_dump(mode="json"),
        shown=told or (f"{' '.join(operation.words)}: {operation.summary}",),
        second_person=True,
        role=operation.role,
        lifts=True,
        spends=operation.effect is Effect.SPENDS,
        usd=None if preview is None else preview.usd,
        expires_at=context.now + LIFE,
    )
    await context.services.approvals.ask(question)
    return Asked(question=question, who=tuple(who_may(context.services, operation.role).split()))


def show(found: Asked, _context: Context) -> View:
    """Who asks, what exactly, and a yes for those who may give it."""
    question = found.question
    names: list[Span] = [span for name in found.who for span in (Mention(id=name), text(" "))]
    return View(
        verdict=line(*names, Mention(id=question.request.actor.user_id), " asks: ", bold(question.request.words)),
        lines=(
            *(line(one) for one in question.shown[:4]),
            line(
                f"Needs a yes by an {question.role.name.lower()} · until ", When(at=question.expires_at), ", then nothing happens"
            ),
        ),
        buttons=(
            Button(label="Approve", words=f"yes {question.id}", style="primary"),
            Button(label="Decline", words=f"no {question.id}"),
        ),
    )
