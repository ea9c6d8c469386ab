"""What one pass over an engine's log keeps for a diagnosis: the telling lines, in bounded memory."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.diagnosis.findings import ENGINE_DIED, LOADED, LOADING, READY, SERVING, START_FAILED, Sign, Signature
from bot.diagnosis.lines import Line, Severity, parse
from bot.diagnosis.masking import hide_conversations
from bot.diagnosis.tokens import MAX_LINE, SAME_DIGIT
from bot.diagnosis.traces import Raised, Trace, TraceReader

_KEPT_HITS = 25
"""Hits of a sign that are kept from the start of the log, and as many from its end."""
_KEPT_TRACES = 200
_KNOWN = 20_000
_CODE = re.compile(
    (
        r"(?:errno|exit\w*|code|status|signal|num_chips"
        r"|HTTP/[\d.]+\")[^\w\n]{0,3}(\d{1,3})(?!\d)|(\d{3}) (?:Client|Server) Error"
    ),
    re.IGNORECASE,
)
"""Numbers that tell lines apart which are alike but for their digits: exit 137 and exit 100, status 403 and 404."""
_HEXADECIMAL = re.compile(r"(?<![\w\-])(?=[a-f\-]{0,40}\d)[0-9a-f\-]{6,}(?![\w\-])", re.IGNORECASE)
"""Ids are no part of what a line tells: without them, lines of one kind are looked at once."""
_LOOSE = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Z]\w{0,80}(?:Error|Exception): \S")
_BEFORE, _AFTER = 5, 60
"""Lines around a cause in which its figures may stand: XLA prints its sums below the exception."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that shows a sign. `bad` says that it stands in an error or a trace, `raised` that it is an exception of a trace."""

    number: int
    line: Line
    bad: bool
    raised: bool = False


@dataclass(slots=True)
class Hits:
    """The hits of one sign, in order: the first ones and the last ones."""

    first: list[Hit] = field(default_factory=list)
    last: deque[Hit] = field(default_factory=lambda: deque(maxlen=_KEPT_HITS))

    def add(self, hit: Hit) -> None:
        """Keep a hit, forgetting from the middle."""
        (self.first if len(self.first) < _KEPT_HITS else self.last).append(hit)

    def all(self) -> list[Hit]:
        """Return what was kept, in order."""
        return [*self.first, *self.last]


class Observed:
    """Reads a log once. `hits(sign)` gives the lines that show a sign, `traces` the Python traces in the order of their end.

    `loose` are exceptions outside any trace: the end of a trace whose beginning is not in this part of the log.
    """

    def __init__(self, signatures: Iterable[Signature]) -> None:
        """Prepare to look for the signs of these signatures."""
        shared = (READY, SERVING, START_FAILED, ENGINE_DIED, LOADING, LOADED)
        signs = [*shared]
        for signature in signatures:
            signs += [signature.must, *signature.signs, *([signature.unless] if signature.unless else [])]
        self._hits = {sign: Hits() for sign in signs}
        self._any = re.compile("|".join(f"(?:{sign.expression.pattern})" for sign in self._hits), re.IGNORECASE)
        self._told: dict[str, tuple[Sign, ...]] = {}
        self._reader = TraceReader()
        self._near: dict[int, str] = {}
        self._recent: deque[tuple[int, str]] = deque(maxlen=_BEFORE)
        self._keep_until = 0
        self.traces: list[Trace] = []
        self.loose: list[Raised] = []
        self.lines = 0

    def read(self, lines: Iterable[str]) -> None:
        """Take all lines of the log."""
        for raw in lines:
            self.lines += 1
            self._read(raw[: 4 * MAX_LINE])
        self._keep(self._reader.end())

    def hits(self, sign: Sign) -> list[Hit]:
        """Return the kept lines that show a sign, in order."""
        return self._hits[sign].all()

    def near(self, number: int) -> list[str]:
        """Return the kept messages from 5 lines before to 60 lines after a telling line, that line first."""
        around = [n for n in range(number - _BEFORE, number + _AFTER + 1) if n in self._near and n != number]
        return [self._near[n] for n in (number, *around) if n in self._near]

    def _read(self, raw: str) -> None:
        key = _HEXADECIMAL.sub("#", raw).translate(SAME_DIGIT) + "".join(map("".join, _CODE.findall(raw)))
        if not self._reader and self.lines > self._keep_until and self._told.get(key) == ():
            self._recent.append((self.lines, raw))
            return
        line = parse(raw)
        belongs, ended = self._reader.read(self.lines, line)
        self._keep(ended)
        self._look(line, belongs, key)
        if not belongs and len(self.loose) < _KEPT_TRACES and _LOOSE.match(line.message):
            self.loose.append(Raised(self.lines, line.message.rstrip()))
        if self.lines <= self._keep_until and len(self._near) < _KNOWN:
            self._near[self.lines] = line.message
        self._recent.append((self.lines, line.message))

    def _look(self, line: Line, in_trace: bool, key: str) -> None:
        """Note the signs of a line. Source lines that a trace quotes tell nothing: `raise ValueError(...)` is not the error."""
        message = line.message[:MAX_LINE]
        if in_trace and message[:1].isspace():
            return
        signs = self._told.get(key)
        if signs is None:
            signs = self._signs(hide_conversations(message))  # a prompt may quote any error
            if len(self._told) >= _KNOWN:
                self._told.clear()
            self._told[key] = signs
        hit = Hit(self.lines, line, bad=bool(self._reader) or line.severity >= Severity.ERROR, raised=in_trace)
        for sign in signs:
            self._hits[sign].add(hit)
        if signs and hit.bad and len(self._near) < _KNOWN:
            self._near.update(self._recent)
            self._near[self.lines] = message
            self._keep_until = self.lines + _AFTER

    def _signs(self, message: str) -> tuple[Sign, ...]:
        if self._any.search(message) is None:
            return ()
        return tuple(sign for sign in self._hits if sign.expression.search(message))

    def _keep(self, traces: list[Trace]) -> None:
        if len(self.traces) < _KEPT_TRACES:
            self.traces.extend(traces)
