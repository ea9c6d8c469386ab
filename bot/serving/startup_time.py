"""Times of log lines that carry no year."""

from datetime import UTC, datetime

_LEAP = 2000


def moment(stamp: str | None, year: int | None) -> datetime | None:
    """ "MM-DD HH:MM:SS" in `year`, taken as UTC (containers run in UTC). None when either is unknown or it is no date."""
    if stamp is None or year is None:
        return None
    try:
        return datetime.strptime(f"{year:04d}-{stamp}", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def seconds_between(begun: str | None, ended: str | None) -> float | None:
    """Seconds from one stamp to a later one; over the turn of the year when the later reads earlier. None when unknown."""
    first, last = moment(begun, _LEAP), moment(ended, _LEAP)
    if first is None or last is None:
        return None
    if last < first:
        last = last.replace(year=_LEAP + 1) if (last.month, last.day) != (2, 29) else last
    return max(0.0, (last - first).total_seconds())
