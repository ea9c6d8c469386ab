"""Bounded pieces of a machine's logs, with secrets hidden before anybody sees them."""

import heapq
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from bot.diagnosis.secrets import redact_lines
from bot.machine.docker import SUDO, is_absent, refused
from bot.ports import Host, LogPiece, LogSource, Ran
from bot.ports.machine import MAX_BYTES
from bot.serving.places import CONTAINER

MOST_LINES = 20_000
READ_BYTES = 16 * 1024 * 1024
"""Read of a log before its newest part is kept: 20,000 lines of a busy engine are about 4 MB."""
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)(?=\s|$)", re.ASCII)


def log_command(source: LogSource, tail: int, since: datetime | None) -> tuple[str, ...]:
    """The command that prints it, with times. One line more than asked for is read, to know whether there was more.

    `tail` is brought between 1 and 20,000; `since` must be aware.
    """
    lines = str(min(max(tail, 1), MOST_LINES) + 1)
    if source is LogSource.ENGINE:
        limit = ("--since", _rfc3339(since)) if since is not None else ()
        return (*SUDO, "docker", "logs", "--timestamps", "--tail", lines, *limit, CONTAINER)
    kernel = ("--dmesg",) if source is LogSource.KERNEL else ()
    limit = ("--since", f"@{int(since.timestamp())}") if since is not None else ()
    return (*SUDO, "journalctl", "--no-pager", "--quiet", "--utc", "--output=short-iso", *kernel, "--lines", lines, *limit)


def piece_of(source: LogSource, host: Host, ran: Ran, tail: int, max_bytes: int = MAX_BYTES) -> LogPiece:
    """What the command said as a piece of log, its newest lines when it is longer; without a container it is empty.

    Docker keeps two streams: their lines are put together by time. Raises PersonMovesNext when the command refused.
    """
    if source is LogSource.ENGINE and is_absent(ran):
        return LogPiece(source, (), truncated=False)
    if not ran.ok and not ran.truncated:
        raise refused(f"Reading the {source.value} log", host.name, ran)
    both = source is LogSource.ENGINE
    lines = list(by_time(ran.stdout, ran.stderr)) if both else ran.stdout.splitlines()
    wanted = min(max(tail, 1), MOST_LINES)
    kept = _newest(lines[-wanted:], max_bytes)
    return LogPiece(source, tuple(redact_lines(kept)), truncated=len(kept) < len(lines) or ran.truncated)


def _newest(lines: list[str], max_bytes: int) -> list[str]:
    """The last lines that take no more than this, at least one."""
    room = max_bytes
    for at in range(len(lines) - 1, -1, -1):
        room -= len(lines[at].encode("utf-8", "replace")) + 1
        if room < 0:
            return lines[min(at + 1, len(lines) - 1) :]
    return lines


def by_time(*streams: str) -> Iterator[str]:
    """Lines of several streams in the order of their times; a line without one follows the line before it."""
    keyed = (_keyed(number, stream.split("\n")) for number, stream in enumerate(streams))
    return (line for *_, line in heapq.merge(*keyed))


def _keyed(stream: int, lines: Iterable[str]) -> list[tuple[str, int, int, str]]:
    """(time, stream, number, line): docker writes UTC with nine digits or fewer, so times are filled up and compared as text."""
    told: list[tuple[str, int, int, str]] = []
    time = ""
    for number, line in enumerate(lines):
        if not line:
            continue
        match = _STAMP.match(line)
        if match:
            whole, _, fraction = match[0].rstrip("Z").partition(".")
            time = max(time, f"{whole}.{fraction:0<9}")
        told.append((time, stream, number, line))
    return told


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
