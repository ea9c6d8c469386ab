"""Second family: sentences with their facts filled in, right or with one planted false figure."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from random import Random
from re import finditer, subn
from typing import Any

from second_facts import FORMS, OTHER_UNITS, Fact, Form, Told, changed_digit, last_digit, moved, near, off_value, other_version
from second_records import RECORDS
from second_worlds import WORLDS

MAKERS = (*WORLDS, *RECORDS)
SECOND_CLASSES = (
    "wrong value",
    "swapped field",
    "bare integer",
    "wrong rounding",
    "wrong unit",
    "wrong version",
    "wrong name digit",
    "wrong time",
    "wrong calculation",
)
COUNTS = ("n", "big")
NUMBERS = ("ms", "dur", "share", "percent", "usd", "cents", "rate", "tok", "gib", "mega", "tps", "rps", *COUNTS)


@dataclass(frozen=True)
class SecondCase:
    answer: str
    results: list[dict[str, Any]]
    planted: tuple[int, int] | None


@lru_cache(maxsize=4000)
def _told(seed: int) -> Told:
    return MAKERS[seed % len(MAKERS)](Random(f"second {seed}"))


def _leaves(node: object) -> list[float]:
    if isinstance(node, dict):
        return [leaf for value in node.values() for leaf in _leaves(value)]
    if isinstance(node, list):
        return [leaf for value in node for leaf in _leaves(value)]
    return [float(node)] if isinstance(node, int | float) and not isinstance(node, bool) else []


def _wrong_number(told: Told, fact: Fact, form: Form, rng: Random) -> str | None:
    assert isinstance(fact.value, int | float)
    text = form(off_value(fact.value, rng, fact.kind in COUNTS))
    derivable = near(f.value for f in told.facts.values() if f.kind == fact.kind) + _leaves(told.results)
    return None if text in {form(v) for v in derivable} else text


def _swapped(told: Told, key: str, fact: Fact, form: Form, rng: Random, whole: bool) -> str | None:
    right = form(fact.value)
    if whole:
        pool = [form(v) for v in _leaves(told.results) if v == int(v) and 0 < v < 10**7]
    else:
        pool = [form(f.value) for k, f in told.facts.items() if f.kind == fact.kind and k != key]
    texts = sorted({text for text in pool if text != right})
    return rng.choice(texts) if texts else None


def _wrong_rounding(told: Told, fact: Fact, form: Form, rng: Random) -> str | None:
    text = last_digit(form(fact.value), rng.choice([-1, 1]))
    others = {form(f.value) for f in told.facts.values() if f.kind == fact.kind}
    digits = sum(c.isdigit() for c in text or "")
    if text is None or digits < 2 or text in others or fact.kind == "dur":
        return None
    step = next((s for s in (-1, 1) if last_digit(form(fact.value), s) == text), 0)
    wide = [form(fact.value * (1 + e)) for e in (-1e-9, 1e-9)] if isinstance(fact.value, int | float) else []
    return None if text in wide or not step else text


def _wrong_unit(fact: Fact, form: Form, rng: Random) -> str | None:
    text = form(fact.value)
    for pattern, units in OTHER_UNITS.get(fact.kind, []):
        changed, times = subn(pattern, rng.choice(units), text, count=1)
        if times:
            return changed
    return None


def _wrong_moment(told: Told, fact: Fact, form: Form, rng: Random) -> str | None:
    assert isinstance(fact.value, datetime)
    text = form(moved(fact.value, rng, fact.kind == "day"))
    others = {form(f.value) for f in told.facts.values() if isinstance(f.value, datetime)}
    return None if text in others else text


def _wrong_name(told: Told, fact: Fact, form: Form, rng: Random) -> str | None:
    text = str(fact.value)
    changed = other_version(text, rng) if fact.kind == "version" else changed_digit(text, rng)
    return None if changed in str(told.results) else form(changed)


def _falsified(told: Told, key: str, form: Form, kind: str, rng: Random) -> str | None:
    """The false text for one slot, or None where this way of being false does not fit."""
    fact = told.facts[key]
    if kind == "wrong value" and fact.kind in NUMBERS:
        return _wrong_number(told, fact, form, rng)
    if kind == "swapped field" and fact.kind in NUMBERS:
        return _swapped(told, key, fact, form, rng, False)
    if kind == "bare integer" and fact.kind == "n":
        return _swapped(told, key, fact, form, rng, True)
    if kind == "wrong rounding" and fact.kind in NUMBERS and fact.kind != "n":
        return _wrong_rounding(told, fact, form, rng)
    if kind == "wrong unit" and fact.kind in OTHER_UNITS:
        return _wrong_unit(fact, form, rng)
    if kind == "wrong time" and fact.kind in ("when", "day"):
        return _wrong_moment(told, fact, form, rng)
    if kind == "wrong calculation" and fact.kind == "calc":
        return rng.choice(fact.wrong)
    if (kind == "wrong version" and fact.kind == "version") or (kind == "wrong name digit" and fact.kind == "name"):
        return _wrong_name(told, fact, form, rng)
    return None


def _write(told: Told, line: str, rng: Random, false_slot: int = -1, kind: str = "") -> tuple[str, tuple[int, int] | None] | None:
    text, last, planted = "", 0, None
    for number, slot in enumerate(finditer(r"\{(\w+)\}", line)):
        text += line[last : slot.start()]
        last = slot.end()
        form = rng.choice(FORMS[told.facts[slot[1]].kind])
        figure: str | None = form(told.facts[slot[1]].value)
        if number == false_slot:
            figure = _falsified(told, slot[1], form, kind, rng)
            if figure is None or figure == form(told.facts[slot[1]].value):
                return None
            planted = (len(text), len(text) + len(figure))
        text += figure or ""
    return text + line[last:], planted


def second_right(seed: int) -> SecondCase:
    """An answer of one to three right sentences."""
    told, rng = _told(seed // 4), Random(f"second right {seed}")
    lines = [_write(told, line, rng) for line in rng.sample(told.lines, rng.randint(1, 3))]
    return SecondCase("\n".join(line[0] for line in lines if line), told.results, None)


def second_false(seed: int, kind: str) -> SecondCase:
    """A right answer in which one figure is false in the way of `kind`."""
    rng = Random(f"second {kind} {seed}")
    for attempt in range(2000):
        told = _told(seed // 4 + attempt)
        line = rng.choice(told.lines)
        slots = line.count("{")
        if not slots:
            continue
        written = _write(told, line, rng, rng.randrange(slots), kind)
        if written:
            return SecondCase(written[0], told.results, written[1])
    raise AssertionError(f"no sentence holds a figure for {kind}")
