"""One log of a deployment for a time: the engine's and the machine's over SSH, Google's own from Cloud Logging.

Whatever is read has its secrets hidden by the adapters. What users asked and were answered is hidden by `masked`; only what
passed it may be shown to a viewer or to a model.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from bot.diagnosis import hide_conversations
from bot.errors import NotConnectedError, PersonMovesNext
from bot.nouns import ContainerState, Deployment, LogsFound
from bot.operations.operation import Context
from bot.operations.sources import attempt
from bot.operations.status import own
from bot.ports import Engines, Host, LogPiece, LogSearch, LogSource

TAIL = 20_000
"""Lines that are read at most, the newest; a busy engine writes about 200 bytes a line."""
MAX_BYTES = 4 * 1024 * 1024
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:?\d\d) ?")
_HOST = re.compile(r"\S{1,80} (?=\S{1,80}: )")
"""The machine's own name in front of each line of its journal."""


class LogKind(StrEnum):
    """Which log: the engine's container, the machine's system, or what Google writes about the machine."""

    ENGINE = "engine"
    SYSTEM = "system"
    CLOUD = "cloud"


@dataclass(frozen=True)
class Piece:
    """What was read of one log, oldest first. `times` has one entry a line: when it was written, None where no line says so.

    `limits` are sentences about what is not in it, and why.
    """

    kind: LogKind
    lines: tuple[str, ...]
    times: tuple[datetime | None, ...]
    limits: tuple[str, ...] = ()

    def time_of(self, number: int) -> datetime | None:
        """When line `number`, counted from 1, was written."""
        return self.times[number - 1] if 0 < number <= len(self.times) else None

    def holding(self, words: str) -> "Piece":
        """The lines that hold these words, upper and lower case alike."""
        wanted = words.casefold()
        kept = [n for n, one in enumerate(self.lines) if wanted in one.casefold()]
        return replace(self, lines=tuple(self.lines[n] for n in kept), times=tuple(self.times[n] for n in kept))


async def read(
    context: Context,
    deployment: Deployment,
    kind: LogKind,
    since: datetime,
    until: datetime,
    *,
    words: str | None = None,
    tail: int = TAIL,
) -> Piece:
    """Lines from `since` to `until`. `words` lets Cloud Logging look for them itself; the lines of a machine come whole.

    Raises NotConnectedError, RetryLater or PersonMovesNext with what to do; a container that is not there is a limit, no error.
    """
    if kind is LogKind.CLOUD:
        return _from_cloud(await _cloud(context, deployment, since, until, words))
    engines = _engines(context)
    host = await engines.hosts.host(deployment)
    if kind is LogKind.SYSTEM:
        system = await engines.control.logs(host, LogSource.SYSTEM, tail=tail, since=since, max_bytes=MAX_BYTES)
        return _between(_piece(kind, system, _HOST), since, until)
    found = await engines.control.logs(host, LogSource.ENGINE, tail=tail, since=since, max_bytes=MAX_BYTES)
    piece = _between(_piece(kind, found), since, until)
    return piece if found.lines else replace(piece, limits=await _why_empty(engines, host))


def _engines(context: Context) -> Engines:
    if context.services.engines is None:
        raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
    return context.services.engines


async def _why_empty(engines: Engines, host: Host) -> tuple[str, ...]:
    """An empty log of a container that is not there says something else than one of a silent engine."""
    status = (await attempt(engines.control.status(host))).value
    if status is not None and status.state is ContainerState.ABSENT:
        return (f"There is no engine container on {host.name}.",)
    return ()


async def _cloud(context: Context, deployment: Deployment, since: datetime, until: datetime, words: str | None) -> LogsFound:
    logs = context.services.logs
    if logs is None:
        raise NotConnectedError("Cloud Logging", "GOOGLE_CLOUD_PROJECT")
    fleet = await attempt(context.services.cloud.fleet([deployment.zone] if deployment.zone else None))
    machine, _ = own(deployment, fleet.value)
    names = (machine.name if machine else deployment.machine, machine.number if machine else None)
    zone = machine.zone.name if machine else deployment.zone
    nodes = tuple(name for name in names if name)
    if not nodes:
        raise PersonMovesNext(
            f"Cloud Logging: nothing says which machine {deployment.name} runs on.", next_step="Name its machine with setup."
        )
    return await logs.find(LogSearch(zone=zone, nodes=nodes, since=since, until=until, words=words))


def _from_cloud(found: LogsFound) -> Piece:
    entries = found.entries[::-1]
    limits = (f"Cloud Logging: {found.stopped}.",) if found.stopped else ()
    severity = ["" if one.severity == "DEFAULT" else f"{one.severity} " for one in entries]
    return Piece(
        LogKind.CLOUD,
        tuple(told + " ".join(one.text.split()) for told, one in zip(severity, entries, strict=True)),
        tuple(one.at for one in entries),
        limits,
    )


def _piece(kind: LogKind, found: LogPiece, without: re.Pattern[str] | None = None) -> Piece:
    """Times taken off the lines; a line without one was written with the line before it."""
    lines, times = [], []
    at: datetime | None = None
    for raw in found.lines:
        stamp = _STAMP.match(raw)
        at = _moment(stamp) if stamp else at
        line = raw[stamp.end() :] if stamp else raw
        lines.append(without.sub("", line, count=1) if without else line)
        times.append(at)
    limits = (f"Only the newest {len(lines):,} lines were read.",) if found.truncated else ()
    return Piece(kind, tuple(lines), tuple(times), limits)


def _moment(stamp: re.Match[str]) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp[1] + stamp[2]).astimezone(UTC)
    except ValueError:
        return None


def _between(piece: Piece, since: datetime, until: datetime) -> Piece:
    """Without what was written before or after; lines without any time stay."""
    kept = [n for n, at in enumerate(piece.times) if at is None or since <= at <= until]
    return replace(piece, lines=tuple(piece.lines[n] for n in kept), times=tuple(piece.times[n] for n in kept))


def masked(piece: Piece) -> Piece:
    """The same without what users asked and were answered."""
    return replace(piece, lines=tuple(hide_conversations(one) for one in piece.lines))
