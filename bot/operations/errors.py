"""`errors`: the errors of all logs by kind, with exact counts, what is new, what is known of it, and Gemma's checked words."""

import asyncio
from datetime import timedelta
from typing import Any

from bot.diagnosis import Finding, Nature, diagnose
from bot.errors import BotError, RetryLater, WeMoveNext
from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations import choice, errors_view
from bot.operations.errors_result import Errors, Known, Looked
from bot.operations.execute import RISKY_DOORS
from bot.operations.log_patterns import Event, counted, events
from bot.operations.log_reading import LogKind, Piece, masked, read
from bot.operations.operation import Arguments, Context, Operation, Queue
from bot.operations.sources import Answer, attempt
from bot.operations.values import DeploymentName, Seconds
from bot.ports import Compared

USUAL_S = 3600
KEPT = 20
"""Kinds that a result keeps; the rest is counted."""
KNOWN = 3
READ_S = 12.0
WORDS_S = 20.0
"""Our choice: whoever asks for errors waits for the logs, and not much longer for prose."""
WORDED = 8
"""Kinds that Gemma is told of."""
TASK = (
    "Say in one or two short sentences what these log errors of a model server on Cloud TPU most likely mean together, for the "
    "engineer on call. Use only what stands here. If they do not explain each other, say so."
)


class ErrorsArguments(Arguments):
    """Which deployment, the usual one when none is named; how far back, in seconds."""

    deployment: DeploymentName | None = None
    since: Seconds = USUAL_S


async def run(context: Context, arguments: ErrorsArguments) -> Errors:
    """Read all three logs at once; one that cannot be read is said and the others still count. The model is asked last."""
    deployment = await choice.deployment(context, arguments.deployment)
    since = context.now - timedelta(seconds=arguments.since)
    answers = await asyncio.gather(*(attempt(_read(context, deployment, kind, arguments.since)) for kind in LogKind))
    pieces = [one.value for one in answers if one.value is not None]
    seen = [event for piece in pieces for event in events(piece, counted(piece)) if event.bad]
    compared = await _compared(context, deployment, seen)
    new = None if compared is None or compared.before is None else compared.new
    ordered = sorted(seen, key=lambda one: (one.fingerprint not in (new or ()), -one.count))
    found = Errors(
        deployment=deployment.name,
        at=context.now,
        since=since,
        looked=tuple(_looked(kind, one) for kind, one in zip(LogKind, answers, strict=True)),
        total=sum(one.count for one in seen),
        kinds=len(seen),
        events=tuple(ordered[:KEPT]),
        new=new,
        before=compared.before if compared else None,
        known=_known(pieces),
        container_logs_in_cloud=await _in_cloud(context, deployment),
    )
    return await _worded(context, deployment, found)


async def _read(context: Context, deployment: Deployment, kind: LogKind, since_s: int) -> Piece:
    """One log, masked. Raises RetryLater when it takes too long."""
    try:
        async with asyncio.timeout(READ_S):
            return masked(await read(context, deployment, kind, context.now - timedelta(seconds=since_s), context.now))
    except TimeoutError:
        raise RetryLater(f"no answer within {READ_S:.0f} s") from None


def _looked(kind: LogKind, answer: Answer[Piece]) -> Looked:
    if answer.value is None:
        return Looked(log=kind, read=None, missing=answer.missing)
    return Looked(log=kind, read=len(answer.value.lines), limits=answer.value.limits)


async def _compared(context: Context, deployment: Deployment, seen: list[Event]) -> Compared | None:
    """What was never reported before; the same request compares the same way, however often it is carried out."""
    memory = context.services.known_errors
    if memory is None or not context.request_id:
        return None
    prints = list(dict.fromkeys(one.fingerprint for one in seen))
    total = sum(one.count for one in seen)
    return await memory.report(context.services.team_id, deployment.name, context.request_id, context.now, total, prints)


def _known(pieces: list[Piece]) -> tuple[Known, ...]:
    """What rules recognise, the most urgent first; of what callers do wrong only the first."""
    found = [(finding, piece) for piece in pieces if piece.kind is not LogKind.CLOUD for finding in diagnose(piece.lines)]
    found.sort(key=lambda pair: (pair[0].over, pair[0].nature))
    callers = [pair for pair in found if pair[0].nature is Nature.CALLER]
    others = [pair for pair in found if pair[0].nature is not Nature.CALLER]
    return tuple(_told(*pair) for pair in (*others, *callers[:1])[:KNOWN])


def _told(finding: Finding, piece: Piece) -> Known:
    return Known(
        name=finding.name,
        title=finding.title,
        matched=finding.signs_matched,
        check=finding.check,
        step=finding.next_step,
        line=finding.cause.text,
        log=piece.kind,
        over=finding.over,
    )


async def _in_cloud(context: Context, deployment: Deployment) -> bool | None:
    """Containers that we make write to a file on their machine; of others nothing is known."""
    engines = context.services.engines
    wished = None if engines is None else await engines.wishes.current(context.services.team_id, deployment.name)
    return False if wished is not None else None


async def _worded(context: Context, deployment: Deployment, found: Errors) -> Errors:
    """The same with Gemma's words on it. A model that asks for errors gets no other model's words on them."""
    door = context.request.door if context.request is not None else None
    if not found.total or door in RISKY_DOORS:
        return found
    answerer = context.services.answerer
    if answerer is None:
        return found.model_copy(update={"wordless": "no Gemma is configured"})
    try:
        async with asyncio.timeout(WORDS_S):
            said = await answerer.word(deployment, TASK, [_result(found)])
    except TimeoutError:
        return found.model_copy(update={"wordless": f"Gemma did not answer within {WORDS_S:.0f} s"})
    except WeMoveNext:
        raise
    except BotError as error:
        return found.model_copy(update={"wordless": str(error).rstrip(".")})
    return found.model_copy(update={"words": said.lines, "unsupported": len(said.unsupported)})


def _result(found: Errors) -> dict[str, Any]:
    """What Gemma is told: counts, times, examples without conversations, and what rules recognised."""
    kinds = [one.model_dump(mode="json", exclude={"fingerprint"}) for one in found.events[:WORDED]]
    known = [{"title": one.title, "signs": one.matched, "next_step": one.step} for one in found.known]
    return {"id": "r1", "errors": found.total, "kinds": found.kinds, "since": found.since, "events": kinds, "recognised": known}


ERRORS: Operation[ErrorsArguments, Errors] = Operation(
    path="errors",
    summary="errors of all logs by kind, with counts, what is new, and what to do",
    when_to_use="To see which errors there are, how often, since when, and which of them are new.",
    example="errors prod since 1h",
    arguments=ErrorsArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.CHANNEL,
    tool=True,
    queue=Queue.ANSWERS,
    timeout=45.0,
    run=run,
    show=errors_view.show,
    was=("analyze_cloud_logging",),
)
