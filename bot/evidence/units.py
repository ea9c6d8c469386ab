"""Units as people and metrics write them, turned into one dimension and one factor."""

import re
from dataclasses import dataclass
from functools import lru_cache

SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "msec": 1e-3,
    "millisecond": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "d": 86400.0,
    "day": 86400.0,
    "week": 604800.0,
    "month": 2628000.0,
    "year": 31536000.0,
}
"""A month is 730 hours, as cloud prices count it (cloud.google.com/products/calculator)."""
BYTES = {
    "byte": 1.0,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
    "kib": 2.0**10,
    "mib": 2.0**20,
    "gib": 2.0**30,
    "tib": 2.0**40,
}
"""Decimal and binary prefixes are kept apart (IEC 80000-13): 57 GB is not 57 GiB."""
MONEY = {"usd": "USD", "$": "USD", "dollar": "USD", "eur": "EUR", "€": "EUR", "euro": "EUR", "£": "GBP", "gbp": "GBP"}
SHARES = {"%": 0.01, "percent": 0.01, "pct": 0.01, "pp": 0.01, "share": 1.0, "fraction": 1.0, "per cent": 0.01}
FLOPS = {"flop": 1.0, "gflop": 1e9, "tflop": 1e12, "pflop": 1e15}
MULTIPLES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9}
_RATED = {"request": "request", "req": "request", "token": "token", "tok": "token", "tk": "token"}
"""Things whose rates are told apart: 24 requests/s are not 24 tokens/s."""
_SEPARATOR = re.compile(r"\s*(?:/|\bper\b)\s*")


@dataclass(frozen=True)
class Unit:
    """`dimension` as numerator/denominators ("time", "bytes", "USD/time", "" for counts); base units are s, bytes, USD, 1.

    `noun` is what is counted ("request"), empty when the unit says it all.
    """

    dimension: str
    factor: float
    noun: str = ""


PLAIN = Unit("", 1.0)


def singular(word: str) -> str:
    """`requests` -> `request`; short words and those in -ss or -us stay."""
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _one(word: str) -> Unit | None:
    """The unit of one word; None when it is no unit."""
    low = word if word in {"s", "$", "%"} else singular(word.lower())
    if word in {"M", "B"}:
        return Unit("bytes", 1.0) if word == "B" else None
    for table, dimension in ((SECONDS, "time"), (BYTES, "bytes"), (SHARES, "share"), (FLOPS, "flop")):
        if low in table:
            return Unit(dimension, table[low])
    if low in MONEY:
        return Unit(MONEY[low], 1.0)
    return Unit("ratio", 1.0) if low in {"×", "x", "ratio", "factor"} and word != "X" else None


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit | None:
    """The unit that this text names, such as `GiB`, `USD/h` or `requests per second`; None when it names none.

    Counted things (`requests`) are units only as the numerator of a rate or with `noun_unit`.
    """
    parts = [part for part in _SEPARATOR.split(text.strip()) if part]
    if not parts:
        return None
    top = _one(parts[0]) or (_counted(parts[0]) if len(parts) > 1 else None)
    for part in parts[1:]:
        if top is None:
            return None
        top = _over(top, part)
    return top


def noun_unit(text: str) -> Unit:
    """The unit of a Quantity: what `unit` knows, else a count of whatever it names."""
    return unit(text) or _counted(text)


def _counted(text: str) -> Unit:
    return Unit("", 1.0, singular(text.rsplit(maxsplit=1)[-1].lower()) if text.strip() else "")


def per_time(top: Unit, time: Unit) -> Unit:
    """A rate. Requests and tokens stay in its dimension; TFLOPs are written for TFLOP/s, so these two are one."""
    if top.dimension == "flop":
        return Unit("flop", top.factor / time.factor)
    what = _RATED.get(top.noun, "") or top.dimension
    return Unit(f"{what}/time", top.factor / time.factor, top.noun)


def _over(top: Unit, below: str) -> Unit:
    """`top` per `below`; counted denominators (per chip, per million tokens) stay in the dimension's name."""
    scale = 1.0
    words = below.split()
    if len(words) > 1 and words[0].lower() in MULTIPLES:
        scale, words = MULTIPLES[words[0].lower()], words[1:]
    elif match := re.match(r"1?([MK])\b", below):
        scale, words = MULTIPLES[match[1].lower()], words[1:] or ["token"]
    last = words[-1] if words else ""
    known = _one(last)
    if known and known.dimension == "time":
        return per_time(top, known)
    if singular(last.lower()) == "chip":
        return top
    return Unit(f"{top.dimension}/{singular(last.lower())}", top.factor / scale, top.noun)
