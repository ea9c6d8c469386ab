"""The events of one log, counted: each with how often, when first and last, and an example that may be shown."""

import hashlib
from datetime import datetime

from pydantic import BaseModel

from bot.diagnosis import Condensed, Pattern, Severity, condense, redact
from bot.operations.log_reading import LogKind, Piece

TEXT_MOST = 240
"""Characters of an example: the beginning of a line tells its kind."""


class Event(BaseModel):
    """One kind of event. `count` is exact; times are None where the lines carry none. `fingerprint` is the same for the same kind
    of event in the same log, whenever it is read; `severity` is "CRITICAL", "ERROR" or "WARNING", or less.
    """

    log: LogKind
    severity: str
    count: int
    first: datetime | None
    last: datetime | None
    example: str
    fingerprint: str

    @property
    def bad(self) -> bool:
        """An error or worse."""
        return self.severity in {Severity.ERROR.name, Severity.CRITICAL.name}


def events(piece: Piece, found: Condensed) -> tuple[Event, ...]:
    """The patterns of a piece as events, the worst first and among those the most frequent. The piece must be masked."""
    order = sorted(found.patterns, key=lambda one: (-one.severity, -one.count, one.first.line_number))
    return tuple(_event(piece, one) for one in order)


def counted(piece: Piece) -> Condensed:
    """The piece condensed; it must be masked."""
    return condense(piece.lines)


def _event(piece: Piece, pattern: Pattern) -> Event:
    return Event(
        log=piece.kind,
        severity=pattern.severity.name,
        count=pattern.count,
        first=piece.time_of(pattern.first.line_number),
        last=piece.time_of(pattern.last.line_number),
        example=shown(pattern.example, TEXT_MOST),
        fingerprint=hashlib.sha256(f"{piece.kind}\x1f{pattern.template}".encode()).hexdigest()[:16],
    )


def shown(raw: str, most: int) -> str:
    """One line as it may stand in a message: printable, without secrets, at most so many characters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in raw)
    text = redact(" ".join(printable.split())).text
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
