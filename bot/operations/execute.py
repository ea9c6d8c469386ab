"""The gate: the only caller of an operation's `run`."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from pydantic import BaseModel

from bot.errors import BotError, RefusedError, RetryLater
from bot.nouns import Actor, Effect, Noun, Role, SeenBy
from bot.operations import access, budget_gate, choice, command_line, names
from bot.operations.command_line import Parsed
from bot.operations.operation import AnyOperation, Consent, Context, Preview, Queue, Registry, Started
from bot.ports import Authorised, Question, Services
from bot.requests import Door, Request, request_id
from bot.view import Button, Line, Mention, Shape, View, When, bold, line, plain, text

APPROVAL_LIFE = timedelta(minutes=30)
"""How long a question for a yes stays open (messages.md T11)."""

RISKY_DOORS = frozenset({Door.MODEL, Door.MCP})
"""Who writes through these is a model: whatever changes something needs a click by a person with the role."""

IN_PERSON = frozenset({Door.MODAL, Door.TERMINAL})
"""Through these somebody hands over a value with their own hands while we wait: a form, or a prompt that shows nothing."""


class Outcome(Noun):
    """What came of a request: the view for people, the result for the model and `--json`, who sees it."""

    path: str
    view: View
    seen_by: SeenBy
    result: dict[str, Any] | None = None
    started: str | None = None
    queue: Queue = Queue.STEPS
    asked: str | None = None
    whisper: bool = False


@dataclass(frozen=True)
class Admitted:
    """A request that may run: what was parsed and in which context."""

    operation: AnyOperation
    arguments: Any
    context: Context


async def admit(registry: Registry, services: Services, request: Request) -> Admitted:
    """Find, validate, check role. Raises UsageError or RefusedError; nothing ran."""
    services = replace(services, grants=await access.grants_of(services))
    role = await access.role_of(services, request.actor, request.door)
    if role is Role.NOBODY:
        raise RefusedError("Only full members of this workspace can use me.", next_step="Ask a member to look for you.")
    parsed = await _parsed(registry, services, request)
    role = await _lifted(services, request, parsed, role)
    access.check(services, parsed.operation, role)
    context = Context(
        services, request.actor, role, request.place, services.clock.now(), " ".join(parsed.operation.words), request.id, request
    )
    if parsed.operation.effect is not Effect.READS and request.door is not Door.TERMINAL:
        await choice.must_be_in_place(context, getattr(parsed.arguments, "deployment", None))
    return Admitted(parsed.operation, parsed.arguments, context)


async def _parsed(registry: Registry, services: Services, request: Request) -> Parsed:
    """The operation and its arguments. Raises UsageError, with the names there are when one was left out."""
    try:
        return command_line.parse(registry, request.words)
    except command_line.MissingNameError as missing:
        raise await names.to_choose(services, missing, request.words) from missing


async def _lifted(services: Services, request: Request, parsed: Parsed, role: Role) -> Role:
    """Somebody who lacked the role asked those who have it, and one of them said yes to exactly this: their role counts, if they
    still have it."""
    question = await services.approvals.get(request.approval) if request.approval is not None else None
    if question is None or not question.lifts or question.spent_by is None:
        return role
    if (question.operation, question.arguments) != (parsed.operation.path, parsed.arguments.model_dump(mode="json")):
        return role
    by = Actor(team_id=request.actor.team_id, user_id=question.spent_by)
    return max(role, await access.role_of(services, by, request.door))


async def execute(registry: Registry, services: Services, request: Request) -> Outcome:
    """Admit, ask for a yes where one is needed, run under the operation's time-out, audit. Raises the errors of `bot.errors`."""
    admitted = await admit(registry, services, request)
    question = await _needs_yes(services, request, admitted)
    if question is not None:
        return await _ask(services, admitted, *question)
    try:
        outcome = await _run(admitted)
    except Exception as error:
        why = str(error) if isinstance(error, BotError) else type(error).__name__
        await _audit(services, request, admitted, f"failed: {why}")
        raise
    await _audit(services, request, admitted, plain(outcome.view.verdict))
    return outcome


async def early(registry: Registry, services: Services, request: Request) -> Outcome | None:
    """What can be said at once, from what is remembered, or None. Only reads have it."""
    admitted = await admit(registry, services, request)
    if admitted.operation.early is None:
        return None
    result = await admitted.operation.early(admitted.context, admitted.arguments)
    return None if result is None else _shown(admitted, result)


def leave(question: Question, *, others: bool = False) -> Authorised:
    """Leave to write, for the work that the yes to this question began (their ids are the same).

    `others` asks for leave to touch what is not ours as well: only a second person's yes gives it.
    Raises RefusedError while nobody said yes, or nobody else did.
    """
    if question.spent_by is None:
        raise RefusedError("Nobody said yes to this, so I did nothing.", next_step="Ask again.")
    if others and not question.second_person:
        raise RefusedError("Only a second person may say yes to what is not ours.", needs="second person", next_step="Ask again.")
    return _authorised(question.id, others=others)


async def leave_in_person(context: Context) -> Authorised:
    """Leave to write, without a stored question: an admin is here and hands over a value, and that is their yes. It is audited
    before it is given, so that nothing is done that cannot be written down; how it ended follows, as for everything.

    Raises RefusedError at every other door, where somebody else may have written the words, and for whoever is no admin.
    """
    if context.request is None or context.request.door not in IN_PERSON:
        raise RefusedError("This is done in person only, in its window or in a terminal.", next_step="Open the window again.")
    access.check_role(context.services, Role.ADMIN, context.role)
    entry = _entry(context, context.request, context.asked.replace(" ", "."), {})
    await context.services.audit.note(context.actor.team_id, {**entry, "ended": "begun"})
    return _authorised(context.request.id, others=False)


def _authorised(work_id: str, *, others: bool) -> Authorised:
    return Authorised(work_id, others=others)


async def _run(admitted: Admitted) -> Outcome:
    operation = admitted.operation
    try:
        async with asyncio.timeout(operation.timeout):
            result = await operation.run(admitted.context, admitted.arguments)
    except TimeoutError as error:
        raise RetryLater(
            f"{' '.join(operation.words) or 'This'} took longer than {operation.timeout:g} s.", next_step="Try again."
        ) from error
    return _shown(admitted, result)


def _shown(admitted: Admitted, result: BaseModel) -> Outcome:
    operation = admitted.operation
    if isinstance(result, Started):
        by = (" · yes from ", Mention(id=result.by)) if result.by else ()
        heard = tuple(part for name in result.tell for part in (Mention(id=name), text(" ")))
        lines = (line("For the admins to know: ", *heard),) if heard else ()
        view = View(verdict=line(bold(result.said), *by), lines=lines)
        return Outcome(path=operation.path, view=view, seen_by=SeenBy.CHANNEL, started=result.work_id, queue=result.queue)
    view = operation.show(result, admitted.context)
    told = result.model_dump(mode="json")
    return Outcome(path=operation.path, view=view, seen_by=operation.seen_by, result=told, whisper=operation.whisper)


async def _needs_yes(services: Services, request: Request, admitted: Admitted) -> tuple[Question, Preview] | None:
    """The question to ask first, or None when it may run at once or the yes was given already."""
    by_model = request.door in RISKY_DOORS and admitted.operation.effect is not Effect.READS
    if admitted.operation.preview is None and by_model:
        raise RefusedError("Only a person can do this.", next_step="Ask somebody to type or press it.")
    if admitted.operation.preview is None or await _was_approved(services, request, admitted):
        return None
    preview = await _affordable(admitted, await admitted.operation.preview(admitted.context, admitted.arguments))
    if preview.needs is Consent.AT_ONCE and not by_model:
        return None
    question = Question(
        id="ask-" + request_id(request.id, admitted.operation.path)[:12],
        request=request,
        operation=admitted.operation.path,
        arguments=admitted.arguments.model_dump(mode="json"),
        shown=(plain(preview.verdict), *map(plain, preview.lines)),
        second_person=preview.needs is Consent.SECOND_PERSON,
        role=admitted.operation.role,
        proposed_by_model=by_model,
        spends=admitted.operation.effect is Effect.SPENDS,
        usd=preview.usd,
        expires_at=admitted.context.now + APPROVAL_LIFE,
    )
    return question, preview


_STRICTER = (Consent.AT_ONCE, Consent.CONFIRM, Consent.SECOND_PERSON)


async def _affordable(admitted: Admitted, preview: Preview) -> Preview:
    """What spends is held against the month's limit before anybody is asked. Raises RefusedError when it surely goes over it."""
    if admitted.operation.effect is not Effect.SPENDS:
        return preview
    least = await budget_gate.consent(admitted.context, preview.usd)
    return replace(preview, needs=max(preview.needs, least, key=_STRICTER.index))


async def _was_approved(services: Services, request: Request, admitted: Admitted) -> bool:
    """A spent question holds the yes for exactly this operation with exactly these arguments."""
    if request.approval is None:
        return False
    question = await services.approvals.get(request.approval)
    exact = admitted.arguments.model_dump(mode="json")
    given = question is not None and question.spent_by is not None
    if question is None or not given or (question.operation, question.arguments) != (admitted.operation.path, exact):
        raise RefusedError("The yes for this was for something else, so I did nothing.", next_step="Ask again.")
    await budget_gate.still_affordable(admitted.context, request, question)
    return True


async def _ask(services: Services, admitted: Admitted, question: Question, preview: Preview) -> Outcome:
    await services.approvals.ask(question)
    buttons = (
        Button(label=preview.button, words=f"yes {question.id}", style="primary"),
        Button(label="Decline", words=f"no {question.id}"),
    )
    view = View(
        verdict=preview.verdict,
        shape=Shape.NONE,
        lines=(*preview.lines, _who_answers(admitted, question)),
        buttons=buttons,
    )
    seen_by = SeenBy.CHANNEL if question.second_person or question.proposed_by_model else admitted.operation.seen_by
    return Outcome(path=admitted.operation.path, view=view, seen_by=seen_by, asked=question.id)


def _who_answers(admitted: Admitted, question: Question) -> Line:
    until = (" · expires ", When(at=question.expires_at), ", then nothing happens")
    if question.second_person:
        return line(f"Needs a yes by a second person ({admitted.operation.role.name.lower()}), not the asker", *until)
    return line("Nothing has happened yet", *until)


async def _audit(services: Services, request: Request, admitted: Admitted, ended: str) -> None:
    """Whatever is more than a read is written down, also when it failed: it may have got half-way."""
    if admitted.operation.effect is Effect.READS:
        return
    question = await services.approvals.get(request.approval) if request.approval else None
    entry = _entry(
        admitted.context,
        request,
        admitted.operation.path,
        {
            "arguments": admitted.arguments.model_dump_json(),
            "yes_by": question.spent_by or "" if question is not None else "",
            "because": getattr(admitted.arguments, "because", None) or "",
        },
    )
    await services.audit.note(request.actor.team_id, {**entry, "ended": ended})


def _entry(context: Context, request: Request, path: str, more: dict[str, str]) -> dict[str, str]:
    """A line of the audit, without how it ended."""
    return {
        "at": context.now.isoformat(),
        "who": request.actor.user_id,
        "door": request.door,
        "operation": path,
        "said": request.words[:300],
        "arguments": "{}",
        "approval": request.approval or "",
        "yes_by": "",
        "because": "",
    } | more
