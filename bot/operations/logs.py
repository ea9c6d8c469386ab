"""`logs`: the engine's, the machine's or Google's own log of a time, condensed, with the lines as a file."""

from datetime import timedelta

from bot.errors import RefusedError
from bot.nouns import Effect, Role, SeenBy
from bot.operations import choice, logs_view
from bot.operations.access import who_may
from bot.operations.execute import RISKY_DOORS
from bot.operations.log_patterns import counted, events, shown
from bot.operations.log_reading import LogKind, Piece, masked, read
from bot.operations.logs_result import LogLook
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.time_window import window
from bot.operations.values import ClockTime, Count, DeploymentName, LogName, RestOfLine, Seconds

USUAL_SPAN = timedelta(minutes=30)
WHENEVER = timedelta(days=7)
"""How far back `lines 12` looks when no time is said: the newest lines count, of whenever."""
NEWEST = 7
EVENTS = 30
"""Kinds of events that a result keeps, the worst first; the rest is counted."""
LINE_MOST = 300
FILE_MOST = 900_000
"""Characters of the file: of the newest lines."""
WORDS_MOST = 200


class LogsArguments(Arguments):
    """Which log of which deployment; `since` how long back, or `at` around which time (UTC); `grep` what a line must hold, as it
    stands, in capitals or not; `lines` how many of the newest lines to show. `unmasked` leaves in what users asked and were
    answered; for operators, in the file alone.
    """

    log: LogName = LogKind.ENGINE.value
    deployment: DeploymentName | None = None
    since: Seconds | None = None
    at: ClockTime | None = None
    lines: Count | None = None
    unmasked: bool = False
    grep: RestOfLine | None = None


async def run(context: Context, arguments: LogsArguments) -> LogLook:
    """Read one log. Raises NotConnectedError, RetryLater or PersonMovesNext with what to do; RefusedError for `unmasked`."""
    if arguments.unmasked:
        _may_read_conversations(context)
    deployment = await choice.deployment(context, arguments.deployment)
    usual = WHENEVER if arguments.lines else USUAL_SPAN
    since, until, around = window(context.now, arguments.since, arguments.at, usual)
    words = arguments.grep[:WORDS_MOST] if arguments.grep else None
    piece = await read(context, deployment, LogKind(arguments.log), since, until, words=words)
    seen = masked(piece)
    held = seen.holding(words) if words else seen
    condensed = counted(held)
    found = events(held, condensed)
    file = _file(piece.holding(words) if words else piece) if arguments.unmasked else _file(held)
    return LogLook(
        deployment=deployment.name,
        log=piece.kind,
        at=context.now,
        since=since,
        until=until,
        around=around,
        read=len(piece.lines),
        words=words,
        holding=len(held.lines) if words else None,
        errors=condensed.errors,
        events=found[:EVENTS],
        more_events=max(0, len(found) - EVENTS),
        newest=tuple(shown(one, LINE_MOST) for one in held.lines[-max(NEWEST, arguments.lines or 0) :]),
        asked_lines=arguments.lines,
        limits=piece.limits,
        unmasked=arguments.unmasked,
        text=file,
    )


def _may_read_conversations(context: Context) -> None:
    """What users asked and were answered is theirs: an operator may read it to find a fault, a model never.

    Raises RefusedError.
    """
    if context.request is not None and context.request.door in RISKY_DOORS:
        raise RefusedError("What users asked and were answered is not shown to a model.", next_step="Ask without “unmasked”.")
    if context.role < Role.OPERATOR:
        needed = who_may(context.services, Role.OPERATOR)
        raise RefusedError(
            "Only operators can read what users asked and were answered.", needs=needed, next_step="Ask without “unmasked”."
        )


def _file(piece: Piece) -> str:
    """The newest lines that fit, each with its time."""
    room, kept = FILE_MOST, []
    for at, one in zip(reversed(piece.times), reversed(piece.lines), strict=True):
        row = f"{at.isoformat(timespec='milliseconds')} {one}" if at is not None else one
        room -= len(row) + 1
        if room < 0:
            break
        kept.append(row)
    return "\n".join(reversed(kept))


LOGS: Operation[LogsArguments, LogLook] = Operation(
    path="logs",
    summary="one log of a time: what happened how often, and the lines as a file",
    when_to_use="To see what a log says of a time: log is engine (the container), system (the machine) or cloud (Google's own).",
    example="logs engine prod since 30m grep preempted",
    arguments=LogsArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    timeout=25.0,
    run=run,
    show=logs_view.show,
    was=("get_vllm_docker_logs", "get_tpu_system_logs", "get_cloud_logging_logs"),
)
