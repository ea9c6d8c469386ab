"""Figures of a sentence: how the right one is written, and what false ones of each class look like."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from evidence_worlds import World

CLASSES = (
    "wrong value",
    "wrong rounding",
    "wrong unit",
    "swapped field",
    "wrong version",
    "wrong name digit",
    "wrong date or time",
    "wrong sum",
    "bare integer of another field",
)
SCALES = [1, 100, 1000, 60, 3600, 1024, 86400, 2**20, 1e6]
UNIT_SWAPS = {
    "s": ["ms", "min", "h", "GiB"],
    "ms": ["s", "min"],
    "min": ["s", "h", "ms"],
    "h": ["s", "min", "days"],
    "GiB": ["MiB", "GB", "TiB", "tokens"],
    "%": [" s", " GiB", " requests/s"],
    "requests/s": ["requests/min", "tokens/s", "s"],
    "tokens/s": ["requests/s", "tokens/min", "ms"],
    "tokens": ["s", "GiB", "ms"],
    "/h": ["/day", "/min", "/month"],
}


@dataclass
class Slot:
    """One figure: its right text, and false texts by class."""

    text: str
    wrong: dict[str, list[str]] = field(default_factory=dict)


def derivable(w: World, number: float) -> bool:
    """Whether this number lies near any value of the world, in any scale."""
    if "_scaled" not in w.values:
        known = [float(v) for v in w.values.values() if isinstance(v, int | float)]
        w.values["_scaled"] = sorted(x for v in known for s in SCALES for x in (v * s, v / s))
    scaled = w.values["_scaled"]
    return bisect_left(scaled, number * 0.98) != bisect_left(scaled, number * 1.02)


def redraw(w: World, shown: float, write: Callable[[float], str]) -> list[str]:
    """False values of the same form, far from anything derivable."""
    found: list[str] = []
    for _ in range(60):
        factor = w.rng.choice([w.rng.uniform(0.35, 0.85), w.rng.uniform(1.2, 2.9)])
        text = write(shown * factor)
        number = float(re.sub(r"[^\d.]", "", text) or 0)
        if number and text != write(shown) and not derivable(w, number):
            found.append(text)
        if len(found) == 2:
            break
    return found


def last_digit(text: str, rng: Random) -> list[str]:
    """The same text with another last digit of its first number: what wrong rounding and misreading make of it."""
    match = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    assert match
    number = match.group()
    digits = int(re.sub(r"\D", "", number))
    changed = digits + rng.choice([-2, -1, 1, 2])
    if changed <= 0 or len(str(changed)) != len(str(digits)):
        changed = digits + 2 if digits % 10 < 7 else digits - 2
    plain = str(changed).zfill(len(re.sub(r"\D", "", number)))
    out = list(plain)
    for place, mark in enumerate(number):
        if not mark.isdigit():
            out.insert(place, mark)
    return [text[: match.start()] + "".join(out) + text[match.end() :]]


def far(text: str, value: float, decimals: int) -> bool:
    """Whether the shown number is no rounding of the value: neither at its last place nor, with a 0 at the end, before it."""
    shown = float(re.sub(r"[^\d.]", "", text))
    return abs(shown - value) > 0.75 * 10.0**-decimals and shown % 10 != 0


def number(w: World, value: float, decimals: int, unit: str = "", others: Iterable[float] = (), space: str = " ") -> Slot:
    """A number with its unit; `others` are values of the same unit that belong to other fields."""

    def write(x: float) -> str:
        return f"{x:,.{decimals}f}" + (f"{space}{unit}" if unit else "")

    right = write(value)
    misread = [t for t in last_digit(right, w.rng) if far(t, value, decimals)]
    slot = Slot(right, {"wrong value": redraw(w, value, write), "wrong rounding": misread})
    if unit in UNIT_SWAPS:
        slot.wrong["wrong unit"] = [right.removesuffix(unit) + u.strip() for u in UNIT_SWAPS[unit]]
    slot.wrong["swapped field"] = [t for t in map(write, others) if t != right]
    return slot


def seconds(w: World, value: float, others: Iterable[float] = ()) -> Slot:
    """A latency, in s or ms."""
    if value < 1 and w.rng.random() < 0.5:
        return number(w, value * 1000, 0 if value > 0.1 else 1, "ms", [o * 1000 for o in others])
    return number(w, value, w.rng.choice([1, 2]) if value >= 1 else 2 if value > 0.1 else 3, "s", others)


def span_of_time(w: World, value_s: int) -> Slot:
    """A longer time in hours and minutes."""
    hours, minutes = divmod(value_s // 60, 60)

    def write(h: int, m: int) -> str:
        return form.format(h=h, m=m)

    form = w.rng.choice(["{h} h {m} min", "{h}h{m:02d}m", "{h} hours and {m} minutes", "{h} h {m:02d} min"])
    wrong = [write(hours + 2, minutes), write(hours, (minutes + 17) % 60), write(max(hours - 1, 0), minutes)]
    return Slot(write(hours, minutes), {"wrong value": [x for x in wrong if x != write(hours, minutes)]})


def percent(w: World, share: float, others: Iterable[float] = ()) -> Slot:
    return number(w, share * 100, w.rng.choice([0, 0, 1]), "%", [o * 100 for o in others], w.rng.choice(["", " "]))


def money(w: World, value: float, per: str = "", others: Iterable[float] = ()) -> Slot:
    def write(x: float) -> str:
        return f"${x:,.2f}{per}"

    slot = Slot(write(value), {"wrong value": redraw(w, value, write), "wrong rounding": last_digit(write(value), w.rng)})
    if per:
        slot.wrong["wrong unit"] = [f"${value:,.2f}{u}" for u in UNIT_SWAPS[per]]
    slot.wrong["swapped field"] = [t for t in map(write, others) if t != slot.text]
    return slot


def count(w: World, value: int, foreign: Iterable[int] = (), others: Iterable[int] = ()) -> Slot:
    """A bare integer; `foreign` are integers of fields with another noun, `others` of the same kind but another field."""

    def write(x: float) -> str:
        return f"{round(x):,}"

    slot = Slot(write(value), {"wrong value": redraw(w, value, write)})
    slot.wrong["bare integer of another field"] = [write(x) for x in foreign if x != value]
    slot.wrong["swapped field"] = [write(x) for x in others if x != value]
    return slot


def name(text: str, rng: Random, known: Iterable[str] = ()) -> Slot:
    """A name with digits; false ones differ in one digit (or, without any, in the last letter)."""
    places = [i for i, c in enumerate(text) if c.isdigit()]
    wrong = []
    for place in places:
        digit = rng.choice([d for d in "23456789" if d != text[place]])
        wrong.append(text[:place] + digit + text[place + 1 :])
    return Slot(text, {"wrong name digit": [x for x in wrong if x not in known]})


def version(text: str, rng: Random, known: Iterable[str] = ()) -> Slot:
    parts = text.split(".")
    wrong = []
    for place in (1, 2):
        other = [*parts]
        other[place] = str(int(parts[place]) + rng.choice([1, 2, 11]))
        wrong.append(".".join(other))
    return Slot(text, {"wrong version": [x for x in wrong if x not in known]})


def clock(moment: datetime, rng: Random, others: Iterable[datetime] = ()) -> Slot:
    """A time of day, with or without its weekday or date."""
    form = rng.choice(["%H:%M", "%H:%M", "%a %H:%M", "%d %b %H:%M", "%H:%M UTC"])

    def write(x: datetime) -> str:
        return x.astimezone(UTC).strftime(form).lstrip("0") if form.startswith("%d") else x.strftime(form)

    known = {x.strftime("%H:%M") for x in others} | {moment.strftime("%H:%M")}
    shifted = [moment + timedelta(minutes=m) for m in (1, -3, 30, 61, 10)]
    wrong = [write(x) for x in shifted if x.strftime("%H:%M") not in known]
    return Slot(
        write(moment), {"wrong date or time": wrong, "swapped field": [write(x) for x in others if write(x) != write(moment)]}
    )


def day(moment: datetime, rng: Random, others: Iterable[datetime] = ()) -> Slot:
    form = rng.choice(["%d %b", "%d %B", "%b %d", "%Y-%m-%d", "%d %b %Y"])
    known = {x.date() for x in others} | {moment.date()}
    shifted = [moment + timedelta(days=d) for d in (11, -31, 40, 50)]
    return Slot(moment.strftime(form), {"wrong date or time": [x.strftime(form) for x in shifted if x.date() not in known]})
