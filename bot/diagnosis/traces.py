"""Python traces in a log: many lines, one event. The cause is the first exception of a chain, what follows only wraps it."""

import re
from dataclasses import dataclass, field

from bot.diagnosis.lines import Line

_OPENS = "Traceback (most recent call last):"
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Z]\w{0,80}(?::(?:\s|$)|$)")
_CHAINS = re.compile(r"(?:The above exception was the direct cause of|During handling of the above exception, another)")
_FRAME = re.compile(r'\s*File "')
_LONGEST = 1_000
"""Lines that one trace may have before it is taken as broken off: recursion prints about 1,000 frames at most."""
_OPEN_STREAMS = 32


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception of a trace: the number of its line (from 1), its text ("ValueError: …") and the frame that raised it."""

    line_number: int
    text: str
    frame: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """One whole trace, chain included.

    `raised` is in the order of printing, so the first is the cause; never empty. `lines` counts all lines of the trace.
    """

    first_line_number: int
    time: str | None
    lines: int
    raised: tuple[Raised, ...]

    @property
    def cause(self) -> Raised:
        """The exception that started it."""
        return self.raised[0]


@dataclass(slots=True)
class _Open:
    first: int
    time: str | None
    lines: int = 1
    frame: str = ""
    in_frames: bool = True
    chained: bool = False
    raised: list[Raised] = field(default_factory=list)

    def close(self) -> Trace:
        cut = Raised(self.first, "Traceback cut off before its exception", self.frame)
        return Trace(self.first, self.time, self.lines, tuple(self.raised) or (cut,))


class TraceReader:
    """Collects traces from interleaved writers. At most 32 are open at once; the oldest is closed when another one opens."""

    def __init__(self) -> None:
        """Start outside any trace."""
        self._open: dict[str, _Open] = {}

    def __bool__(self) -> bool:
        """Whether any trace is open."""
        return bool(self._open)

    def read(self, number: int, line: Line) -> tuple[bool, list[Trace]]:
        """Take line `number` (from 1). Returns whether it belongs to a trace, and the traces that it ended."""
        trace = self._open.get(line.stream)
        if trace is None:
            return self._outside(number, line)
        trace.lines += 1
        if trace.lines > _LONGEST:
            return False, self._close(line.stream)
        if trace.in_frames and not line.message.startswith(_OPENS):
            return self._in_frames(number, line, trace)
        return self._after_exception(number, line, trace)

    def _outside(self, number: int, line: Line) -> tuple[bool, list[Trace]]:
        if not line.message.rstrip().endswith(_OPENS):
            return False, []
        ended = self._close(next(iter(self._open))) if len(self._open) >= _OPEN_STREAMS else []
        self._open[line.stream] = _Open(number, line.time)
        return True, ended

    @staticmethod
    def _in_frames(number: int, line: Line, trace: _Open) -> tuple[bool, list[Trace]]:
        message = line.message
        if message[:1].isspace() or not message:
            if _FRAME.match(message):
                trace.frame = message.strip()
            return True, []
        if _EXCEPTION.match(message):
            trace.raised.append(Raised(number, message.rstrip(), trace.frame))
            trace.in_frames = False
            return True, []
        trace.lines -= 1
        return False, []

    def _after_exception(self, number: int, line: Line, trace: _Open) -> tuple[bool, list[Trace]]:
        message = line.message
        if not message.strip():
            return True, []
        if _CHAINS.match(message):
            trace.chained = True
            return True, []
        if trace.chained and message.startswith(_OPENS):
            trace.in_frames, trace.chained = True, False
            return True, []
        trace.lines -= 1
        if message[:1].isspace():  # more of the exception's own text: it tells something, so it is a line of its own
            return False, []
        ended = self._close(line.stream)
        belongs, more = self._outside(number, line)
        return belongs, ended + more

    def _close(self, stream: str) -> list[Trace]:
        return [self._open.pop(stream).close()]

    def end(self) -> list[Trace]:
        """Close what is still open: the log ended within a trace."""
        return [trace for stream in list(self._open) for trace in self._close(stream)]
