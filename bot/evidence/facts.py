"""What results say: every number, time, version and name in them, with the words that stand around it."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from bot.evidence.context import Context, contexts
from bot.evidence.entries import Marks, alike, is_shelf, marks_of, metric_keys
from bot.evidence.keys import implied, is_epoch
from bot.evidence.reading import Amount, Kind, Moment, Reading, moments
from bot.evidence.scan import scan
from bot.evidence.units import PLAIN, Unit, noun_unit
from bot.evidence.words import QUALIFIERS, SIZED, SIZES, THINGS, concepts

_NUMERIC = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
CODE = re.compile(r"\b(?:HTTP|status|code|port|errno|error)\W{0,3}$", re.IGNORECASE)
_CODES = re.compile(
    r"(?:\b(?:HTTP|status|code|port|errno|error)\W{1,3}|://[^\s/:]{1,100}:)(\d{2,5})(?![\d.])|\b([45]\d\d)(?=\s[A-Z])",
    re.IGNORECASE,
)
"""Numbers that name something: 503 and 8000 in `HTTP 503` and `http://10.0.0.7:8000/`."""
_SHORT = 60
"""Characters of a string that may name its neighbours, such as `"name": "prod-1"` beside a price."""
_PLACED = {"from": ("before",), "to": ("after",)}
"""Keys that are empty words in sentences."""
MEASURED = "measured_at"
"""What the time of a quantity is called in paths, unlike the `at` of an event."""
_BY = re.compile(r"_(?:by|per|at|for)_")
_DEPTH = 40
_MOST = 50_000
"""Facts kept: what lies beyond is not looked at, so that a hostile result costs bounded time."""


@dataclass(frozen=True)
class Fact:
    """One value of a result.

    `leaf` are the concepts of its own key and unit, `around` those of the keys above, `beside` those of short strings beside it
    (the name of its machine). `native` is the number in its own unit, for sentences that leave the unit out. `entries` are the
    list entries that it stands in, outermost first, each as (path of the list, path of the entry); `instant` is an aware time;
    `told` says that it stands inside a text.
    """

    path: str
    leaf: frozenset[str]
    around: frozenset[str]
    amounts: tuple[Amount, ...] = ()
    native: float | None = None
    moment: tuple[Moment, ...] = ()
    beside: frozenset[str] = frozenset()
    entries: tuple[tuple[str, str], ...] = ()
    instant: datetime | None = None
    told: bool = False

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
    codes: set[float] = field(default_factory=set)
    marks: dict[tuple[str, str], Marks] = field(default_factory=dict)


@dataclass(frozen=True)
class _Place:
    """Where the walk stands: the keys from the outside, what stands beside, and the entries of lists around."""

    keys: tuple[str, ...]
    beside: frozenset[str] = frozenset()
    entries: tuple[tuple[str, str], ...] = ()

    def path(self) -> str:
        return ".".join(self.keys)

    def below(self, key: str, beside: frozenset[str] = frozenset()) -> "_Place":
        return _Place((*self.keys, key[:200]), self.beside | beside, self.entries)

    def entry(self, key: str, shelf: str = "") -> "_Place":
        """The place of one entry of the list or mapping that stands here."""
        inner = self.below(key)
        return replace(inner, entries=(*self.entries, (shelf or self.path(), inner.path())))


def gather(results: Sequence[Mapping[str, Any]]) -> Facts:
    """All facts of these results. Odd values (bytes, objects) are ignored; depth and number are bounded."""
    facts = Facts()
    for index, result in enumerate(results):
        root = result.get("id") if isinstance(result, Mapping) else None
        name = root if isinstance(root, str) else str(index)
        start = _Place((name,))
        if isinstance(result, Mapping):
            start = replace(start, entries=((alike(result), f"{index}.{name}"),))
            facts.marks[start.entries[0]] = marks_of("", result)
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
        facts.numbers.append(replace(_fact(place, float(len(value)), (PLAIN,)), told=True))
        for index, item in enumerate(value):
            inner = place.entry(str(index))
            facts.marks[inner.entries[-1]] = marks_of("", item)
            yield from _walk(item, inner, facts)
    else:
        _leaf(value, place, facts)
        yield


def _walk_mapping(value: Mapping[Any, Any], place: _Place, facts: Facts) -> Iterator[None]:
    unit = value.get("unit")
    is_quantity = isinstance(unit, str) and "value" in value
    inner = replace(place, beside=place.beside | _beside(value, is_quantity))
    if named := metric_keys(value):
        inner = replace(inner, keys=(*inner.keys, *named))
    shelf = not is_quantity and is_shelf(value)
    for key, item in value.items():
        below = place if is_quantity and key == "value" else inner.below(str(key))
        if shelf:
            below = inner.entry(str(key)[:200])
            below = replace(below, beside=below.beside | frozenset(concepts(str(key)[:_SHORT])))
            facts.marks[below.entries[-1]] = marks_of(str(key), item)
        if any(c.isdigit() for c in str(key)[:_SHORT]):
            _key(str(key)[:_SHORT], place, facts)
        if is_quantity and key == "at" and isinstance(item, str):
            _measured_at(item, below, facts)
        elif is_quantity and key in {"value", "low", "high"} and _is_number(item):
            facts.numbers.append(_fact(below, float(item), (noun_unit(str(unit)[:80]),), str(unit)[:80]))
            yield
        elif not (is_quantity and key == "unit"):
            yield from _walk(item, below, facts)


def _beside(value: Mapping[Any, Any], is_quantity: bool) -> frozenset[str]:
    """The concepts of the short strings of a mapping, which may name its numbers."""
    told = {k: v for k, v in value.items() if isinstance(v, str) and len(v) <= _SHORT and not _ISO.fullmatch(v)}
    labels = value.get("labels")
    if isinstance(labels, Mapping):
        told |= {f"labels.{k}": v for k, v in list(labels.items())[:40] if isinstance(v, str) and len(v) <= _SHORT}
    return frozenset(c for k, v in told.items() if not (is_quantity and k in {"unit", "source"}) for c in concepts(v))


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
        if is_epoch(place.keys, float(value)):
            _instant(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC), place, facts)
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
    facts.codes.update(float(match[1] or match[2]) for match in _CODES.finditer(value))
    found = scan(value)
    for reading, context in zip(found, contexts(value, found), strict=True):
        _read(reading, place, context, facts)


def _iso(value: str, place: _Place, facts: Facts) -> None:
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return
    day_only = len(value) <= 10
    if not day_only:
        _instant(at, place, facts)
        return
    facts.moments.append(_moment_fact(place, (Moment(at.year, at.month, at.day, at.weekday()),)))


def _instant(at: datetime, place: _Place, facts: Facts) -> None:
    facts.moments.append(replace(_moment_fact(place, _moments_of(at)), instant=at.astimezone(UTC) if _zoned(at) else None))


def _zoned(at: datetime) -> bool:
    """Whether it is aware and stays within the years that Python knows when it is turned to UTC."""
    return at.tzinfo is not None and 1 < at.year < 9999


def _moment_fact(place: _Place, seen: tuple[Moment, ...]) -> Fact:
    return Fact(place.path(), _leaf_words(place), _around(place), moment=seen, beside=place.beside, entries=place.entries)


def _measured_at(value: str, place: _Place, facts: Facts) -> None:
    """When a quantity was measured: its words are the keys above it."""
    if _ISO.fullmatch(value):
        _iso(value, _Place((*place.keys[:-1], MEASURED)), facts)


def _moments_of(at: datetime) -> tuple[Moment, ...]:
    try:
        return moments(at)
    except (OverflowError, ValueError):
        return ()


def _read(reading: Reading, place: _Place, context: Context, facts: Facts) -> None:
    """A figure inside a text of a result. Its neighbours in the text are its words."""
    around = _around(place) | _leaf_words(place) | context.far
    if reading.kind is Kind.MOMENT and reading.moment:
        facts.moments.append(
            Fact(place.path(), context.near, around, moment=(reading.moment,), beside=place.beside, entries=place.entries)
        )
    elif reading.kind is Kind.NUMBER:
        leaf = (context.near - THINGS) | context.counts
        facts.numbers.append(
            Fact(
                place.path(), leaf, around, reading.amounts, reading.shown, beside=place.beside, entries=place.entries, told=True
            )
        )


def _fact(place: _Place, value: float, units: Sequence[Unit], unit_text: str = "") -> Fact:
    amounts = tuple(Amount(value * u.factor, 0.0, u.dimension) for u in units)
    amounts += tuple(
        replace(a, dimension="bytes") for a in amounts if a.dimension.startswith("bytes/") and "time" not in a.dimension
    )
    leaf = _leaf_words(place) | (frozenset(concepts(unit_text)) & THINGS if unit_text else frozenset())
    return Fact(place.path(), leaf, _around(place), amounts, value, beside=place.beside, entries=place.entries)


def _leaf_words(place: _Place) -> frozenset[str]:
    """Concepts of the innermost key, and of those above it as long as they only say which number it is (p90, before, total)."""
    found: set[str] = set()
    for key in reversed(place.keys[1:]):
        if key.isdigit() and not found - QUALIFIERS and key is not place.keys[-1]:
            break
        own = _PLACED.get(key) or concepts(key)
        found.update(own)
        if found - QUALIFIERS:
            head = concepts(_BY.split(key)[0])
            sized = bool(head) and head[-1] in SIZES
            return frozenset(found | {SIZED}) if sized else frozenset(found)
    return frozenset(found)


def _around(place: _Place) -> frozenset[str]:
    """Concepts of all keys and of what stands beside."""
    return frozenset[str]().union(*(concepts(key) for key in place.keys[1:]))
