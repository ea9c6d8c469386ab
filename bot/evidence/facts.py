"""What results say: every number, time, version and name in them, with the words that stand around it."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any

from bot.evidence.context import Context, contexts
from bot.evidence.keys import implied
from bot.evidence.reading import Amount, Kind, Moment, Reading, moments
from bot.evidence.scan import scan
from bot.evidence.units import PLAIN, Unit, noun_unit
from bot.evidence.words import NAME_LIKE, QUALIFIERS, SIZED, SIZES, THINGS, concepts

_NUMERIC = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_SHORT = 60
"""Characters of a string that may name its neighbours, such as `"name": "prod-1"` beside a price."""
_IDENTITIES = {"name", "deployment", "machine", "pattern", "host", "model"}
"""Keys whose text tells the entries of a list apart."""
_DEPTH = 40
_MOST = 50_000
"""Facts kept: what lies beyond is not looked at, so that a hostile result costs bounded time."""


def _is_entry(key: str) -> bool:
    """Whether a key names one thing among others: `us-east5-a`; `ttft_p90` does not."""
    return "-" in key and NAME_LIKE.fullmatch(key) is not None


@dataclass(frozen=True)
class Fact:
    """One value of a result.

    `leaf` are the concepts of its own key and unit, `around` those of the keys above, `beside` those of short strings beside it
    (the name of its machine). `native` is the number in its own unit, for sentences that leave the unit out.
    """

    path: str
    leaf: frozenset[str]
    around: frozenset[str]
    amounts: tuple[Amount, ...] = ()
    native: float | None = None
    moment: tuple[Moment, ...] = ()
    beside: frozenset[str] = frozenset()

    @cached_property
    def item(self) -> str:
        """The path of the list entry that it stands in, such as `r2.machines.0`; empty outside of lists."""
        parts = self.path.split(".")
        last = max((i for i, part in enumerate(parts) if i and (part.isdigit() or _is_entry(part))), default=0)
        return ".".join(parts[: last + 1]) if last else ""

    @property
    def things(self) -> frozenset[str]:
        """What it counts, if its own key says so."""
        return frozenset() if SIZED in self.leaf else self.leaf & THINGS


@dataclass
class Facts:
    """All facts of some results, and all their text in lower case for names."""

    numbers: list[Fact] = field(default_factory=list)
    moments: list[Fact] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Place:
    """Where the walk stands: the keys from the outside, and what stands beside."""

    keys: tuple[str, ...]
    beside: frozenset[str]

    def path(self) -> str:
        return ".".join(self.keys)

    def below(self, key: str, beside: frozenset[str] = frozenset()) -> "_Place":
        return _Place((*self.keys, key[:200]), self.beside | beside)


def gather(results: Sequence[Mapping[str, Any]]) -> Facts:
    """All facts of these results. Odd values (bytes, objects) are ignored; depth and number are bounded."""
    facts = Facts()
    for index, result in enumerate(results):
        root = result.get("id") if isinstance(result, Mapping) else None
        start = _Place((root if isinstance(root, str) else str(index),), frozenset())
        for _ in _walk(result, start, facts):
            if len(facts.numbers) + len(facts.moments) >= _MOST:
                return facts
    return facts


def _walk(value: Any, place: _Place, facts: Facts) -> Iterator[None]:
    """Adds what is found; yields after each leaf so that the caller can stop."""
    if len(place.keys) > _DEPTH or value is None or isinstance(value, bool):
        return
    if isinstance(value, Mapping):
        yield from _walk_mapping(value, place, facts)
    elif isinstance(value, list | tuple | set | frozenset):
        facts.numbers.append(_fact(place, float(len(value)), (PLAIN,)))
        for index, item in enumerate(value):
            yield from _walk(item, place.below(str(index)), facts)
    else:
        _leaf(value, place, facts)
        yield


def _walk_mapping(value: Mapping[Any, Any], place: _Place, facts: Facts) -> Iterator[None]:
    names = {k: v for k, v in value.items() if isinstance(v, str) and len(v) <= _SHORT and not _ISO.fullmatch(v)}
    unit = value.get("unit")
    is_quantity = isinstance(unit, str) and "value" in value
    told = {k: v for k, v in names.items() if not (is_quantity and k in {"unit", "source"})}
    beside = frozenset(c for v in told.values() for c in concepts(v))
    beside |= frozenset("=" + c for k, v in told.items() if k in _IDENTITIES for c in concepts(v))
    for key, item in value.items():
        entry = frozenset(concepts(key)) if isinstance(key, str) and _is_entry(key) else frozenset[str]()
        below = place if is_quantity and key == "value" else place.below(str(key), beside | entry)
        if any(c.isdigit() for c in str(key)[:_SHORT]):
            _key(str(key)[:_SHORT], place, facts)
        if is_quantity and key == "at" and isinstance(item, str):
            _measured_at(item, below, facts)
        elif is_quantity and key in {"value", "low", "high"} and _is_number(item):
            facts.numbers.append(_fact(below, float(item), (noun_unit(str(unit)[:80]),), str(unit)[:80]))
            yield
        elif not (is_quantity and key == "unit"):
            yield from _walk(item, below, facts)


def _key(key: str, place: _Place, facts: Facts) -> None:
    """Numbers and names in a key, such as `users_64`, `65536` or `v6e-4`."""
    facts.texts.append(key.lower())
    text = key.replace("_", " ")
    found = scan(text)
    for reading, context in zip(found, contexts(text, found), strict=True):
        _read(reading, place, context, facts)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value) is not None


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _leaf(value: Any, place: _Place, facts: Facts) -> None:
    if isinstance(value, datetime | date):
        value = value.isoformat()
    if isinstance(value, str):
        _string(value, place, facts)
    elif _is_number(value):
        facts.numbers.append(_fact(place, float(value), implied(place.keys[1:], float(value))))
        facts.texts.append(f"{value}")


def _string(value: str, place: _Place, facts: Facts) -> None:
    facts.texts.append(value.lower())
    if _ISO.fullmatch(value):
        _iso(value, place, facts)
        return
    if _NUMERIC.fullmatch(value) and len(value) < 40 and _is_number(float(value)):
        facts.numbers.append(_fact(place, float(value), implied(place.keys[1:], float(value))))
        return
    found = scan(value)
    for reading, context in zip(found, contexts(value, found), strict=True):
        _read(reading, place, context, facts)


def _iso(value: str, place: _Place, facts: Facts) -> None:
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return
    day_only = len(value) <= 10
    seen = (Moment(at.year, at.month, at.day, at.weekday()),) if day_only else _moments_of(at)
    facts.moments.append(Fact(place.path(), _leaf_words(place), _around(place), moment=seen, beside=place.beside))


def _measured_at(value: str, place: _Place, facts: Facts) -> None:
    """When a quantity was measured: a time that may be told, but none that its words name."""
    if _ISO.fullmatch(value):
        _iso(value, _Place((*place.keys[:1], "at"), frozenset()), facts)


def _moments_of(at: datetime) -> tuple[Moment, ...]:
    try:
        return moments(at)
    except (OverflowError, ValueError):
        return ()


def _read(reading: Reading, place: _Place, context: Context, facts: Facts) -> None:
    """A figure inside a text of a result. Its neighbours in the text are its words."""
    around = _around(place) | _leaf_words(place) | context.far
    if reading.kind is Kind.MOMENT and reading.moment:
        facts.moments.append(Fact(place.path(), context.near, around, moment=(reading.moment,), beside=place.beside))
    elif reading.kind is Kind.NUMBER:
        leaf = (context.near - THINGS) | context.counts
        facts.numbers.append(Fact(place.path(), leaf, around, reading.amounts, reading.shown, beside=place.beside))


def _fact(place: _Place, value: float, units: Sequence[Unit], unit_text: str = "") -> Fact:
    amounts = tuple(Amount(value * u.factor, 0.0, u.dimension) for u in units)
    amounts += tuple(
        replace(a, dimension="bytes") for a in amounts if a.dimension.startswith("bytes/") and "time" not in a.dimension
    )
    leaf = _leaf_words(place) | (frozenset(concepts(unit_text)) & THINGS if unit_text else frozenset())
    return Fact(place.path(), leaf, _around(place), amounts, value, beside=place.beside)


def _leaf_words(place: _Place) -> frozenset[str]:
    """Concepts of the innermost key, and of those above it as long as they only say which number it is (p90, before, total)."""
    found: set[str] = set()
    for key in reversed(place.keys[1:]):
        if key.isdigit() and not found - QUALIFIERS:
            break
        own = concepts(key)
        found.update(own)
        if found - QUALIFIERS:
            sized = bool(own) and own[-1] in SIZES
            return frozenset(found | {SIZED}) if sized else frozenset(found)
    return frozenset(found)


def _around(place: _Place) -> frozenset[str]:
    """Concepts of all keys and of what stands beside."""
    return frozenset[str]().union(*(concepts(key) for key in place.keys[1:]))
