"""Counting log lines by pattern in one pass and flat memory: millions of lines become a few hundred countable events."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.diagnosis.lines import Line, Severity, parse
from bot.diagnosis.patterns import Grouper
from bot.diagnosis.tokens import SAME_DIGIT
from bot.diagnosis.traces import Trace, TraceReader

_SLOTS = 32
"""Resolution of the rate over the log; the width of a slot doubles when the log outgrows them."""
_VARIANTS = 20
"""Different texts kept of a rare error pattern: twenty errors that differ in a number only must all be tellable."""
_KEPT = 400
"""Characters kept of an example."""
_KNOWN_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Seen:
    """Where in the log: line number from 1, and the time as the line carries it (None when it carries none)."""

    line_number: int
    time: str | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of event. `template` has `<*>` for what changes; `example` is the first text in full, `variants` further ones.

    `count` is exact. `later_share` is the share of occurrences in the second half of the log (0..1), 0.5 means steady;
    `one_in` how many lines there are per occurrence (the rarity).
    """

    template: str
    count: int
    severity: Severity
    first: Seen
    last: Seen
    example: str
    later_share: float
    one_in: float
    variants: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether it came up in the second half of the log only, and more than once."""
        return self.count > 1 and self.later_share == 1.0


@dataclass(slots=True)
class _Record:
    severity: Severity
    first: Seen
    example: str
    count: int = 0
    last_number: int = 0
    last_raw: str = ""
    shift: int = 0
    slots: list[int] = field(default_factory=lambda: [0] * _SLOTS)
    variants: list[str] = field(default_factory=list)

    def seen(self, number: int, raw: str) -> None:
        self.count += 1
        self.last_number = number
        self.last_raw = raw
        slot = number >> self.shift
        if slot >= _SLOTS:
            slot = self._coarsen(number)
        self.slots[slot] += 1

    def _coarsen(self, number: int) -> int:
        while number >> self.shift >= _SLOTS:
            self.shift += 1
            pairs = zip(self.slots[::2], self.slots[1::2], strict=True)
            self.slots = [a + b for a, b in pairs] + [0] * (_SLOTS // 2)
        return number >> self.shift

    def later_share(self, total: int) -> float:
        """Share of occurrences after line total / 2; the slot in which the middle lies counts in proportion."""
        middle = total / 2
        if self.first.line_number > middle:
            return 1.0
        width = 1 << self.shift
        later = sum(n * min(1.0, max(0.0, ((i + 1) * width - middle) / width)) for i, n in enumerate(self.slots) if n)
        return 0.0 if self.last_number <= middle else later / self.count


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was forgotten because there were too many kinds of events: counted, never silent. `errors` are among `patterns`."""

    patterns: int = 0
    lines: int = 0
    errors: int = 0


class Condenser:
    """Reads lines one by one and keeps one record per pattern, at most `max_patterns`.

    When there are more, the least severe and longest unseen are forgotten and counted in `left_out`: a storm of noise cannot push
    out an error. A Python trace is one event, named by the exception that started it; `trace_lines` counts its other lines.
    """

    def __init__(self, max_patterns: int = 2_000) -> None:
        """Start empty."""
        self._grouper = Grouper(max_patterns, self._least_needed)
        self._records: dict[int, _Record] = {}
        self._known: dict[str, _Record] = {}
        self._traces = TraceReader()
        self.lines = 0
        self.blank_lines = 0
        self.trace_lines = 0
        self.left_out = LeftOut()

    def add(self, raw: str) -> None:
        """Count one line."""
        self.lines += 1
        known = raw.translate(SAME_DIGIT)
        record = None if self._traces else self._known.get(known)
        if record is not None:
            record.seen(self.lines, raw)
        else:
            self._read(raw, known)

    def add_many(self, lines: Iterable[str]) -> None:
        """Count all lines."""
        for raw in lines:
            self.add(raw)

    def patterns(self) -> tuple[Pattern, ...]:
        """Return what was counted so far, the most severe first, then the rarest. A trace still open is counted as it stands."""
        for trace in self._traces.end():
            self._count_trace(trace)
        found = [self._pattern(group, record) for group, record in self._records.items()]
        return tuple(sorted(found, key=lambda pattern: (-pattern.severity, pattern.count, pattern.first.line_number)))

    def size(self) -> int:
        """Return how many entries all tables hold together: the measure of memory."""
        variants = sum(len(record.variants) for record in self._records.values())
        return self._grouper.size() + len(self._records) + len(self._known) + variants

    def _read(self, raw: str, known: str) -> None:
        line = parse(raw)
        belongs, ended = self._traces.read(self.lines, line)
        for trace in ended:
            self._count_trace(trace)
        if belongs:
            return
        if not line.message.strip():
            self.blank_lines += 1
            return
        record = self._count(line, self.lines, raw)
        if record.severity < Severity.ERROR or record.count > _VARIANTS:
            if len(self._known) >= _KNOWN_LINES:
                self._known.clear()
            self._known[known] = record

    def _count(self, line: Line, number: int, raw: str) -> _Record:
        group = self._grouper.group_of(line.message)
        record = self._records.get(group)
        text = line.message[:_KEPT]
        if record is None:
            record = self._records[group] = _Record(line.severity, Seen(number, line.time), text)
        elif line.severity > record.severity:
            record.severity = line.severity
        record.seen(number, raw)
        if record.severity >= Severity.WARNING and len(record.variants) < _VARIANTS and text not in record.variants:
            record.variants.append(text)
        return record

    def _count_trace(self, trace: Trace) -> None:
        cause = trace.cause
        self.trace_lines += trace.lines - 1
        self._count(Line(cause.text, Severity.ERROR, trace.time), cause.line_number, cause.text)

    def _pattern(self, group: int, record: _Record) -> Pattern:
        last = Seen(record.last_number, parse(record.last_raw).time if record.count > 1 else record.first.time)
        return Pattern(
            template=self._grouper.template(group),
            count=record.count,
            severity=record.severity,
            first=record.first,
            last=last,
            example=record.example,
            later_share=record.later_share(self.lines),
            one_in=self.lines / record.count,
            variants=tuple(record.variants),
        )

    def _least_needed(self, count: int) -> list[int]:
        ranked = sorted(self._records, key=lambda group: (self._records[group].severity, self._records[group].last_number))
        going = ranked[:count]
        forgotten = [self._records.pop(group) for group in going]
        self._known = {}
        self.left_out = LeftOut(
            self.left_out.patterns + len(going),
            self.left_out.lines + sum(record.count for record in forgotten),
            self.left_out.errors + sum(record.severity >= Severity.ERROR for record in forgotten),
        )
        return going
