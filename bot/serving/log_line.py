"""One line of an engine's log: colours and process prefixes off, its time and its text apart.

Shapes seen (vLLM 0.26 on TPU, 0.32 on CPU): `(EngineCore pid=327) INFO 08-10 17:56:01 [tpu_worker.py:557] text`, the same without
prefix, bare text after a prefix (progress bars, tracebacks), and bare text. Docker adds an RFC 3339 time when asked. No year.
"""

import re

from bot.nouns import Noun

LONGEST = 16_000
"""Characters read of one line: the engine's configuration is about 5,000, more is somebody's payload."""

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]|[\x00-\x08\x0b-\x1f\x7f]")
_DOCKER = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)\s", re.ASCII)
_PROCESS = re.compile(r"\(([\w.-]{1,40})[^()]{0,60}? pid=\d{1,9}(?:, ip=[\w.:]{1,45})?\)\s?", re.ASCII)
_STAMP = re.compile(
    r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) (?:\d{4}-)?(\d\d-\d\d) (\d\d:\d\d:\d\d)(?:[.,]\d{1,6})? "
    r"\[([\w.-]{1,60}):(\d{1,6})\]\s?",
    re.ASCII,
)


class LogLine(Noun):
    """`stamp` is "MM-DD HH:MM:SS" as logged, None when the line has none; `year` only where docker wrote it.

    `process` is "EngineCore", "APIServer", "Worker" ... or None; `level` and `origin` ("tpu_worker.py") from vLLM's own prefix.
    """

    process: str | None
    level: str | None
    stamp: str | None
    year: int | None
    origin: str | None
    text: str


def split(raw: str) -> LogLine:
    """Take one raw line apart. Never raises: what has no known shape is text."""
    rest = _COLOUR.sub("", raw[:LONGEST]).rstrip()
    year: int | None = None
    stamp: str | None = None
    docker = _DOCKER.match(rest)
    if docker:
        year, stamp = int(docker[1]), f"{docker[2]}-{docker[3]} {docker[4]}"
        rest = rest[docker.end() :]
    process = _PROCESS.match(rest)
    if process:
        rest = rest[process.end() :]
    head = _STAMP.match(rest)
    if head:
        rest = rest[head.end() :]
        stamp = stamp or f"{head[2]} {head[3]}"
    return LogLine(
        process=process[1] if process else None,
        level=head[1] if head else None,
        stamp=stamp,
        year=year,
        origin=head[4] if head else None,
        text=rest,
    )
