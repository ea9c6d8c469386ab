"""Facts of the second family of generators: how people write a value, and in which ways the writing can be false."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random
from re import search, sub
from typing import Any

Value = float | str | datetime
Form = Callable[[Any], str]
CET = timezone(timedelta(hours=1))
IST = timezone(timedelta(hours=5, minutes=30))
NEW_YORK = timezone(timedelta(hours=-5))


@dataclass(frozen=True)
class Fact:
    """One value of the results. `kind` chooses the forms; a calculation brings its own text and its false texts."""

    kind: str
    value: Value
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """Results, the facts in them by a name for the templates, and lines in which {name} stands for a fact."""

    results: list[dict[str, Any]]
    facts: dict[str, Fact]
    lines: list[str]


def calc(text: str, *wrong: str) -> Fact:
    """A figure that the line itself works out."""
    return Fact("calc", text, tuple(w for w in wrong if w != text))


def facts(**kinds: Mapping[str, Value]) -> dict[str, Fact]:
    """facts(ms={"p90": 980}) -> {"p90": Fact("ms", 980)}."""
    return {name: Fact(kind, value) for kind, group in kinds.items() for name, value in group.items()}


def spelled(seconds: float) -> str:
    """4 h 10 min, 24 min, 35 s."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def compact(seconds: float) -> str:
    return spelled(seconds).replace(" min", "m").replace(" h", "h").replace(" s", "s")


def long_words(seconds: float) -> str:
    text = spelled(seconds).replace(" min", " minutes").replace(" h", " hours")
    return sub(r" s$", " seconds", text)


def significant(value: float, digits: int) -> str:
    """The value with so many digits, zeros behind: 18,240 with two is 18,000."""
    rounded = float(f"{value:.{digits - 1}e}")
    return f"{rounded:,.0f}" if rounded >= 10 ** (digits - 1) else f"{rounded:g}"


FORMS: dict[str, list[Form]] = {
    "ms": [
        lambda v: f"{v:.0f} ms",
        lambda v: f"{v:.0f}ms",
        lambda v: f"{v / 1000:.2f} s",
        lambda v: f"{v / 1000:.3f} s",
        lambda v: f"{v / 1000:.2f}s",
        lambda v: f"{v / 1000:.2f} seconds",
        lambda v: f"≈ {v / 1000:.1f} s" if v > 500 else f"≈ {v:.0f} ms",
        lambda v: f"about {significant(v, 2)} ms",
    ],
    "dur": [
        spelled,
        compact,
        long_words,
        lambda v: f"{v / 3600:.1f} h" if v >= 7200 else f"{v / 60:.1f} min",
        lambda v: f"about {spelled(v)}",
    ],
    "n": [lambda v: f"{v:,.0f}", lambda v: f"{v:.0f}"],
    "big": [lambda v: f"{v:,.0f}", lambda v: f"{v:,.0f}", lambda v: f"about {significant(v, 2)}", lambda v: f"{v / 1000:.1f}K"],
    "share": [lambda v: f"{v * 100:.0f} %", lambda v: f"{v * 100:.0f}%", lambda v: f"{v * 100:.1f}%", lambda v: f"{v:.2f}"],
    "percent": [lambda v: f"{v * 100:.0f} percent", lambda v: f"{v * 100:.1f} %"],
    "usd": [
        lambda v: f"${v:,.2f}",
        lambda v: f"{v:,.2f} USD",
        lambda v: f"USD {v:,.2f}",
        lambda v: f"${v:,.0f}",
        lambda v: f"about ${v:,.0f}",
    ],
    "cents": [lambda v: f"${v:.2f}", lambda v: f"{v:.2f} USD", lambda v: f"about ${v:.1f}"],
    "rate": [
        lambda v: f"${v:.2f}/h",
        lambda v: f"${v:.2f} per hour",
        lambda v: f"${v:.2f} an hour",
        lambda v: f"{v:.2f} USD/h",
        lambda v: f"${v:.2f}/hour",
        lambda v: f"${v:.2f}/hr",
    ],
    "tok": [lambda v: f"{v:,.0f} tokens", lambda v: f"{v:.0f} tokens", lambda v: f"{v / 1000:.1f}K tokens"],
    "ctx": [lambda v: f"{v / 1024:.0f}K", lambda v: f"{v:,.0f}", lambda v: f"{v:.0f}", lambda v: f"{v / 1024:.0f}k"],
    "gib": [
        lambda v: f"{v:.2f} GiB",
        lambda v: f"{v:.1f} GiB",
        lambda v: f"{v:.1f}GiB",
        lambda v: f"about {v:.0f} GiB",
        lambda v: f"{v * 1.073741824:.1f} GB",
        lambda v: f"{v * 1024:,.0f} MiB",
    ],
    "mega": [lambda v: f"{v:.2f}M", lambda v: f"{v:.0f}M", lambda v: f"{v:.1f} MiB"],
    "tps": [
        lambda v: f"{v:,.0f} tokens/s",
        lambda v: f"{v:.1f} tok/s",
        lambda v: f"{v:,.0f} tokens per second",
        lambda v: f"≈{significant(v, 2)} tokens/s",
    ],
    "rps": [lambda v: f"{v:.2f} requests/s", lambda v: f"{v:.1f} req/s", lambda v: f"{v:.1f} requests per second"],
    "version": [str, lambda v: f"v{v}"],
    "name": [str, lambda v: f"`{v}`", lambda v: f"**{v}**"],
    "plain": [str],
    "when": [
        lambda v: f"{v:%H:%M}",
        lambda v: f"{v:%H:%M} UTC",
        lambda v: f"{v:%H:%M}Z",
        lambda v: f"{v.astimezone(CET):%H:%M} CET",
        lambda v: f"{v.astimezone(NEW_YORK):%H:%M} EST",
        lambda v: f"{v.astimezone(CET):%H:%M} (UTC+1)",
        lambda v: f"{v.hour % 12 or 12}:{v:%M} {v:%p}".lower(),
        lambda v: f"{v:%a %H:%M}",
        lambda v: f"{v:%d %b %H:%M}".lstrip("0"),
        lambda v: f"{v:%Y-%m-%d %H:%M}",
        lambda v: f"{v:%Y-%m-%dT%H:%M:%S}Z",
        lambda v: f"{v.astimezone(CET):%Y-%m-%dT%H:%M:%S+01:00}",
        lambda v: f"{v:%A, %H:%M}",
    ],
    "day": [
        lambda v: f"{v.day} {v:%b}",
        lambda v: f"{v:%Y-%m-%d}",
        lambda v: f"{v.day} {v:%B}",
        lambda v: f"{v:%B} {v.day}",
        lambda v: f"{v:%b} {v.day}{'th' if 10 < v.day % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(v.day % 10, 'th')}",
        lambda v: f"{v.day} {v:%B %Y}",
        lambda v: f"{v:%a} {v.day} {v:%b}",
    ],
    "calc": [str],
}

OTHER_UNITS: dict[str, list[tuple[str, list[str]]]] = {
    "ms": [(r"ms$", ["s", "min"]), (r"seconds$", ["minutes", "ms"]), (r" ?s$", [" min", " h"])],
    "dur": [
        (r" h .*min$", [" min", " days"]),
        (r"(minutes|min|m)$", [" h", " s"]),
        (r"(hours|h)$", [" days", " min"]),
        (r"(?<=\d) ?s$", [" min"]),
    ],
    "usd": [(r"^(about )?\$|USD", ["€"])],
    "rate": [(r"/h(our|r)?$| (per|an) hour$", ["/day", " per minute", "/month"])],
    "tok": [(r"tokens$", ["MiB", "requests"])],
    "gib": [(r"GiB|GB|MiB", ["KiB", "TiB"])],
    "mega": [(r"M$| MiB$", ["G", " KiB"])],
    "tps": [(r"(/s| per second)$", ["/min", "/h"])],
    "rps": [(r"(/s| per second)$", ["/min", "/h", " per day"])],
    "share": [(r" ?%$", [" ms"])],
}


def last_digit(text: str, step: int) -> str | None:
    """The text with another last digit in its number."""
    found = search(r"\d[\d,]*(?:\.\d+)?", text)
    if not found or text.startswith(("about", "≈")):
        return None
    digits = found.group()
    decimals = len(digits.partition(".")[2])
    number = float(digits.replace(",", "")) + step * 10**-decimals
    return text[: found.start()] + f"{number:{',' if ',' in digits else ''}.{decimals}f}" + text[found.end() :]


def other_version(version: str, rng: Random) -> str:
    """0.26.1rc1 -> 0.27.1rc1, 0.26.3rc1, 0.26.1rc2."""
    parts = [m for m in range(len(version)) if version[m].isdigit()][1:]
    return changed_digit(version, rng, parts)


def changed_digit(text: str, rng: Random, places: list[int] | None = None) -> str:
    where = rng.choice(places or [i for i, letter in enumerate(text) if letter.isdigit()])
    digit = (int(text[where]) + rng.randint(1, 8)) % 9 + 1
    return text[:where] + str(digit) + text[where + 1 :]


def off_value(value: float, rng: Random, whole: bool) -> float:
    factor = rng.choice([rng.uniform(0.3, 0.85), rng.uniform(1.2, 3.2)])
    return max(2.0, float(round(value * factor))) if whole else value * factor


def moved(at: datetime, rng: Random, day: bool) -> datetime:
    if day:
        return at + timedelta(days=rng.choice([-9, -6, -5, -4, -2, -1, 1, 2, 3, 5, 8]))
    return at + timedelta(minutes=rng.choice([-1, 1]) * rng.choice([3, 7, 13, 41, 47, 133, 217]))


def near(values: Iterable[Value]) -> list[float]:
    """Values with their sums and differences: what could be worked out from two."""
    numbers = [v for v in values if isinstance(v, int | float)]
    return numbers + [a + b for a in numbers for b in numbers] + [abs(a - b) for a in numbers for b in numbers]
