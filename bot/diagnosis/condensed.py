"""A long log as one short text: the errors first, exact counts, and what was left out counted as well."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.diagnosis.condenser import Condenser, LeftOut, Pattern
from bot.diagnosis.lines import Severity
from bot.diagnosis.masking import hide_conversations
from bot.diagnosis.secrets import redact
from bot.diagnosis.token_bound import token_bound

MAX_TOKENS = 2_000
"""Tokens of the Gemma tokenizer that the text stays under: half of the smallest window served (4,096)."""
_COMMON_ERRORS = 5
"""The most frequent errors come first; then the rare ones, which are the ones a person would never find."""
_WIDTHS = (220, 160, 110, 80, 50)
"""Characters of a message; the widest that lets all errors in is taken."""
_TERSE = 50
"""At this width times and trends are left out too."""
_VARIANTS_SHOWN = 20


@dataclass(frozen=True)
class Condensed:
    """The text and its counts. Every line read is in exactly one place: a pattern, a trace, a blank line or `forgotten`.

    `shown` of `patterns` stand in the text; `forgotten` are patterns beyond the memory limit.
    """

    text: str
    lines: int
    patterns: tuple[Pattern, ...]
    shown: tuple[Pattern, ...]
    blank_lines: int
    trace_lines: int
    forgotten: LeftOut

    @property
    def errors(self) -> int:
        """Exact number of error and critical events."""
        return sum(p.count for p in self.patterns if p.severity >= Severity.ERROR)


def _safe(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(redact(hide_conversations(printable)).text.split())


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _differences(pattern: Pattern, width: int) -> str:
    """What tells the kept texts of one pattern apart: `3, 4, 7` for `disk 3 failed`, `disk 4 failed`, `disk 7 failed`."""
    rows = [text.split() for text in pattern.variants]
    if len(rows) < 2:
        return ""
    if len({len(row) for row in rows}) > 1:
        parts = [_cut(text, 40) for text in pattern.variants]
    else:
        places = [i for i, column in enumerate(zip(*rows, strict=True)) if len(set(column)) > 1]
        parts = [" ".join(row[i] for i in places) for row in rows]
    return _cut(", ".join(dict.fromkeys(parts[:_VARIANTS_SHOWN])), width)


def _where(pattern: Pattern) -> str:
    first, last = pattern.first, pattern.last
    at = f" at {first.time}" if first.time else ""
    if pattern.count == 1:
        return f"line {first.line_number:,}{at}"
    until = f" to {last.time}" if last.time else ""
    return f"lines {first.line_number:,} to {last.line_number:,}{at}{until}"


def _trend(pattern: Pattern) -> str:
    if pattern.count < 5:
        return ""
    if pattern.later_share == 1.0:
        return ", new in the second half"
    if pattern.later_share >= 0.75:
        return ", rising"
    return ", falling" if pattern.later_share <= 0.25 else ""


def describe(pattern: Pattern, width: int = _WIDTHS[0]) -> str:
    """Return one line: severity, count, where, and the message (in full when it came once, else what stays the same)."""
    message = pattern.example if pattern.count == 1 else pattern.template
    where = f"line {pattern.first.line_number}" if width <= _TERSE else f"{_where(pattern)}{_trend(pattern)}"
    line = f"{pattern.severity.name} ×{pattern.count:,} {where}: {_cut(_safe(message), width)}"
    rare = pattern.severity >= Severity.ERROR and pattern.count <= len(pattern.variants)
    differences = _safe(_differences(pattern, max(width, _WIDTHS[2]))) if rare else ""
    return f"{line} [{differences}]" if differences else line


def _in_order(patterns: tuple[Pattern, ...]) -> list[Pattern]:
    """Errors (the most frequent five, then the rarest first), then warnings and the rest, frequent and rare in turns."""
    bad = [p for p in patterns if p.severity >= Severity.ERROR]
    common = sorted(bad, key=lambda p: (-p.severity, -p.count))[:_COMMON_ERRORS]
    order = common + [p for p in bad if p not in common]
    for severity in (Severity.WARNING, Severity.INFO, Severity.DEBUG):
        rare = sorted((p for p in patterns if p.severity == severity), key=lambda p: (p.count, -p.first.line_number))
        turns = [rare.pop(-1 if i % 2 == 0 else 0) for i in range(len(rare))]
        order.extend(turns)
    return order


def _summary(condenser: Condenser, patterns: tuple[Pattern, ...]) -> str:
    counts = {s: sum(p.count for p in patterns if p.severity == s) for s in Severity}
    named = [f"{counts[s]:,} {s.name.lower()}" for s in sorted(Severity, reverse=True) if counts[s]]
    return f"{condenser.lines:,} lines, {len(patterns):,} patterns: {', '.join(named) or 'nothing but blank lines'}"


def _left_out(patterns: list[Pattern], forgotten: LeftOut) -> str:
    kinds, lines = len(patterns) + forgotten.patterns, sum(p.count for p in patterns) + forgotten.lines
    if not kinds:
        return ""
    bad = sum(p.severity >= Severity.ERROR for p in patterns) + forgotten.errors
    among = f", {bad:,} of them errors" if bad else ""
    return f"and {kinds:,} more pattern{'s' * (kinds != 1)}, {lines:,} line{'s' * (lines != 1)}{among}"


_TAIL_TOKENS = token_bound(_left_out([], LeftOut(9_999_999, 999_999_999)) + ", 9,999,999 of them errors\n")


def _fitting(order: list[Pattern], width: int, room: int) -> list[str]:
    """The lines of as many patterns as `room` tokens hold, in order."""
    lines: list[str] = []
    for pattern in order:
        line = describe(pattern, width)
        room -= token_bound(line + "\n")
        if room < 0:
            break
        lines.append(line)
    return lines


def summarise(condenser: Condenser, max_tokens: int = MAX_TOKENS) -> Condensed:
    """Return the condensed text of what a condenser has read, at most `max_tokens` Gemma tokens."""
    patterns = condenser.patterns()
    order = _in_order(patterns)
    errors = sum(p.severity >= Severity.ERROR for p in patterns)
    head = _summary(condenser, patterns)
    room = max_tokens - token_bound(head + "\n") - _TAIL_TOKENS
    lines: list[str] = []
    for width in _WIDTHS:
        lines = _fitting(order, width, room)
        if len(lines) >= errors:
            break
    tail = _left_out(order[len(lines) :], condenser.left_out)
    text = "\n".join([head, *lines, *([tail] if tail else [])])
    return Condensed(
        text=text,
        lines=condenser.lines,
        patterns=patterns,
        shown=tuple(order[: len(lines)]),
        blank_lines=condenser.blank_lines,
        trace_lines=condenser.trace_lines,
        forgotten=condenser.left_out,
    )


def condense(lines: Iterable[str], max_tokens: int = MAX_TOKENS) -> Condensed:
    """Condense a log in one pass. Secrets and conversations are hidden in the text; control characters become blanks."""
    condenser = Condenser()
    condenser.add_many(lines)
    return summarise(condenser, max_tokens)
