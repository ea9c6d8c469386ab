"""Numbers in words, the same everywhere: durations, shares, money, how long ago."""

from datetime import datetime


def seconds(value: float) -> str:
    """A latency: `0.42 s`, `2.9 s`, `38 s`; below 10 ms in milliseconds."""
    if value < 0.01:
        return f"{value * 1000:.1f} ms"
    if value < 1:
        return f"{value:.2f} s"
    return f"{value:.1f} s" if value < 20 else f"{value:.0f} s"


def duration(value: float) -> str:
    """A span of time in seconds, in its two largest units: `12 s`, `15 min`, `4 h 10 min`, `2 d 3 h`."""
    whole = round(abs(value))
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    if days:
        return f"{days} d {hours} h" if hours else f"{days} d"
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min" if minutes else f"{secs} s"


def percent(share: float) -> str:
    """A share 0..1 as `97 %`; below one percent with a decimal, so that little is not nothing."""
    value = share * 100
    return f"{value:.1f} %" if 0 < value < 1 else f"{value:.0f} %"


def money(usd: float) -> str:
    """`$5.40`, `$1,387.80`."""
    return f"${usd:,.2f}"


def ago(then: datetime, now: datetime) -> str:
    """`12 s ago`; what is younger than a second and a half is `just now`."""
    age = (now - then).total_seconds()
    return "just now" if age < 1.5 else f"{duration(age)} ago"


def count(n: int, one: str, many: str | None = None) -> str:
    """`1 zone`, `3 zones`, `412,923 observations`."""
    return f"{n:,} {one if n == 1 else (many or one + 's')}"


def listed(names: list[str], most: int = 4) -> str:
    """`a, b and c`; what is beyond `most` is counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
