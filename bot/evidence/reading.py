"""What a figure in a text says: an amount with its precision, a moment, a version or a name."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum


class Kind(StrEnum):
    """What sort of figure it is: only a number may be rounded, converted or computed."""

    NUMBER = "number"
    MOMENT = "moment"
    VERSION = "version"
    NAME = "name"


@dataclass(frozen=True)
class Amount:
    """A value in its base unit (s, bytes, USD, share 0..1, 1) with half a unit of its last written place as `step`."""

    value: float
    step: float
    dimension: str


@dataclass(frozen=True)
class Moment:
    """A date, a time of day or both; what was not said is None.

    Weekdays count from Monday = 0; `offset` is in minutes east of UTC.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    offset: int | None = None

    def said(self) -> dict[str, int]:
        """Only what was said."""
        return {name: value for name, value in vars(self).items() if value is not None and name != "offset"}

    def agrees(self, other: "Moment") -> bool:
        """Whether all that was said here stands the same there."""
        there = other.said()
        return all(there.get(name) == value for name, value in self.said().items())


@dataclass(frozen=True)
class Reading:
    """One figure of a text. `amounts` are all that it may mean (`64K` is 64,000 or 65,536); `shown` the number as written.

    `bare` is True without any unit; `bound` is "over", "under" or "" (as in "more than 30"); `counts` the thing right after it.
    """

    kind: Kind
    start: int
    end: int
    text: str
    amounts: tuple[Amount, ...] = ()
    shown: float = 0.0
    step: float = 0.0
    bare: bool = False
    bound: str = ""
    moment: Moment | None = None
    unit: str = ""


def moments(at: datetime) -> tuple[Moment, ...]:
    """A time as its own zone and as UTC write it."""
    return tuple(dict.fromkeys(_moment(x) for x in ((at, at.astimezone(UTC)) if at.tzinfo else (at,))))


def _moment(at: datetime) -> Moment:
    return Moment(at.year, at.month, at.day, at.weekday(), at.hour, at.minute, at.second)


def in_zone(at: datetime, offset: int) -> Moment:
    """An aware time as a clock `offset` minutes east of UTC shows it."""
    try:
        return _moment(at.astimezone(timezone(timedelta(minutes=offset))))
    except OverflowError:
        return Moment()
