"""One log line taken apart: which process wrote it, how severe, when, where in the source, and the message itself."""

import re
from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """How bad a line is. The order is Cloud Logging's, reduced to what people act on."""

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3
    CRITICAL = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its header.

    `stream` tells interleaved writers apart (process and source line); `time` is the text of the time as the line carries it,
    None when it carries none: a log rarely says its year or zone, so it is not turned into a datetime here.
    `severity` is the level the line states, else judged by its words.
    """

    message: str
    severity: Severity
    time: str | None = None
    stream: str = ""


_ANSI = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")
_OUTER = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)(?::? (?:std(?:out|err) [FP] )?|$)"
)
_SYSLOG = re.compile(
    r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<host>\S{1,80}) (?P<process>[\w./()\-]{1,60})(?:\[\d+\])?:(?: "
    r"|$)(?:startup-script: )?"
)
_COMPOSE = re.compile(r"(?P<process>[\w.\-]{1,60}) {1,40}\| ")
_PROCESS = re.compile(r"(?P<process>(?:\([A-Z]\w{1,40}(?: [^()]{0,40})?pid=\d+\) ?|\[rank\d{1,4}\]: ?){1,3})")
_LEVEL = re.compile(
    r"\[?(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\]?:?(?:\s+|$)"
    r"(?:(?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) )?(?:\[?(?P<source>[\w./\-]{1,80}:\d+)\](?: |$))?"
)
_GLOG = re.compile(r"(?P<level>[IWEF])(?:\d{4} (?P<time>\d\d:\d\d:\d\d\.\d+) {1,8}\d+)? (?P<source>[\w./\-]{1,120}:\d+)\] ?")
_DASHED = re.compile(r"[-|] (?P<source>[\w.]{1,80}) [-|] (?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) [-|] ")
_LEVELS = {
    **dict.fromkeys(("TRACE", "DEBUG"), Severity.DEBUG),
    **dict.fromkeys(("INFO", "NOTICE", "I"), Severity.INFO),
    **dict.fromkeys(("WARN", "WARNING", "W"), Severity.WARNING),
    **dict.fromkeys(("ERROR", "E"), Severity.ERROR),
    **dict.fromkeys(("CRITICAL", "FATAL", "F"), Severity.CRITICAL),
}
_BAD = re.compile(
    r"(?P<critical>\bpanic\b|kernel panic|\bout of memory\b|\boom[- ]kill|segmentation fault"
    r"|core dumped|^Killed\b|\bSIG(?:KILL|SEGV|ABRT|BUS)\b)"
    r"|(?P<error>\b(?:[a-z_]{0,40}error|[a-z_]{0,40}exception|err|failed|failure|fatal|traceback|unauthorized|denied|refused|aborted|crashed"
    r"|cannot|could not|unable to|could ?n[o']t|no space left|no such|not found|corrupt(?:ed|ion)?|RESOURCE_EXHAUSTED)\b"
    r'|HTTP/[\d.]+" 5\d\d)'
    r"|(?P<warning>\b(?:warn|[a-z_]{0,40}warning)\b|\bdeprecated\b|\btimed? ?out\b|\bretry(?:ing)?\b|HTTP/[\d.]+\" 4\d\d)",
    re.IGNORECASE,
)
_NONE_FAILED = re.compile(
    r"\b(?:0|no|without) (?:errors?|failures?|exceptions?)\b|\bfailed(?: \w+)?:\s*0\b|\berrors?[:=]\s*0\b", re.IGNORECASE
)
_SERVER_ERROR = re.compile(r'HTTP/[\d.]+" 5\d\d')
_JUDGED = 400
"""Characters of a message that are read to judge its severity when the line states none."""


def severity_by_words(message: str) -> Severity:
    """Judge a message that states no level: the worst word of its first 400 characters counts. INFO when none is found."""
    head = _NONE_FAILED.sub("", message[:_JUDGED])
    found = {match.lastgroup for match in _BAD.finditer(head)}
    if "critical" in found:
        return Severity.CRITICAL
    if "error" in found:
        return Severity.ERROR
    return Severity.WARNING if "warning" in found else Severity.INFO


def parse(raw: str) -> Line:
    """Take one raw line apart. Knows vLLM, uvicorn, glog (XLA, libtpu), Python logging, docker, Kubernetes and syslog headers.

    What it does not know stays in the message, nothing is lost. A container's time in front gives way to the writer's own time.
    """
    rest = raw.rstrip("\r\n")
    if "\x1b" in rest:
        rest = _ANSI.sub("", rest)
    time, process, level, source = None, "", None, ""
    for expression in (_COMPOSE, _OUTER, _SYSLOG, _PROCESS, _DASHED, _GLOG, _LEVEL):
        match = expression.match(rest)
        if match is None:
            continue
        found = match.groupdict()
        time = found.get("time") or time
        process = (found.get("process") or process).strip()
        level = found.get("level") or level
        source = found.get("source") or source
        rest = rest[match.end() :]
    stated = _LEVELS.get(level or "")
    judged = severity_by_words(rest) if stated is None else stated
    if stated is Severity.INFO and "HTTP/" in rest and _SERVER_ERROR.search(rest):
        judged = Severity.ERROR
    return Line(rest, judged, time, f"{process}{source}")
