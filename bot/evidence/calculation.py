"""Figures that follow from others by a calculation that the answer shows, such as `257 h × $5.40 = $1,387.80`."""

import itertools
import re
from collections.abc import Iterator, Sequence

from bot.evidence.arithmetic import compute, powers_of, tolerance
from bot.evidence.context import Context
from bot.evidence.reading import Amount, Reading

_OPERATOR = re.compile(
    r"(?:(?P<mark>[+×*/÷−]|(?<![\w-])[-–x](?=[\s$€£(]|$))|\b(?P<word>plus|minus|times|at|by)\b)"
    r" ?(?:[a-z]+ ){0,3}[($€£]* ?$",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"(?:=|^\s?\w{0,12}\s?≈|\bequals\b|\bmakes\b)\s?[~≈($€£]*\s?$|^\s?\w{0,20}\s?(?:=|≈)", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:total|together|altogether|sum|in all|combined|overall)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\b(?:short|more|less|fewer|higher|lower|slower|faster|difference|gap|longer|shorter|left|over|above|below|under|extra"
    r"|saved?|saves|later|earlier|rose|fell|grew|up|down|by|change|growth|drop|increase|decrease|missing"
    r"|too (?:much|little)|within|after"
    r"|lasted|took|for)\b|[+−-]\s?[$€£]?$",
    re.IGNORECASE,
)
_PART_OF = re.compile(r"\b(?:of|out of)\b|/")
_TERM = re.compile(r"\s?\w{0,12}\s?[+×*÷=]\s")
"""Behind a term of a shown sum, which is an input and no result."""
_AGAIN = re.compile(r",?\s?\(?(?:(?:=|≈|~|about|or|i\.e\.|roughly|nearly)\s?){0,2}")
_EACH = re.compile(r"\s?(?:each|apiece|per (?:chip|user|run|request|zone|machine))\b", re.IGNORECASE)
_RANGE = re.compile(r"\b(?:range|between)\s$", re.IGNORECASE)
_BACKWARDS = re.compile(r"\b(?:from|usual|usually|than|before|against|was|compared)\b")
"""What stands between a later and an earlier value: `0.98 s, up from 0.42 s`."""
_EMPHASIS = re.compile(r"`|\*\*|__")
_LONGEST_SUM = 6
_WINDOW = 6
"""Figures before and behind a result among which its two inputs may stand."""
_SIGNS = {"plus": "+", "minus": "-", "−": "-", "–": "-", "x": "×", "*": "×", "·": "×", "times": "×", "at": "×", "÷": "/"}


def calculated(
    text: str, readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int
) -> str | None:
    """How the number at `index` follows from supported figures of its sentence; None when no shown calculation gives it.

    `readings` are all numbers of the answer, `known` says which are supported.
    """
    gap = _gap(text, readings, index) if index + 1 < len(readings) else ""
    if _TERM.match(gap):
        return _equation(text, readings, contexts, known, index)
    return (
        _equation(text, readings, contexts, known, index)
        or _relation(text, readings, contexts, known, index)
        or _sum(text, readings, contexts, known, index)
        or _over_time(readings, contexts, known, index)
        or _share_of_each(text, readings, contexts, known, index)
        or _restated(text, readings, known, index)
    )


def _share_of_each(
    text: str, readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int
) -> str | None:
    """`4 chips have 128 GiB together, 32 GiB each`."""
    result = readings[index]
    if not _EACH.match(text, result.end, result.end + 20):
        return None
    near = range(max(0, index - _WINDOW), index)
    usable = [i for i in near if known[i] and contexts[i].sentence == contexts[index].sentence]
    for total, count in itertools.permutations(usable, 2):
        one, by = readings[total].amounts[0], readings[count].shown
        fits = readings[count].bare and by and one.dimension == result.amounts[0].dimension
        if fits and abs(one.value / by - result.amounts[0].value) <= tolerance(result.amounts[0]):
            return f"calculation: {readings[total].text} / {readings[count].text}"
    return None


def _restated(text: str, readings: Sequence[Reading], known: Sequence[bool], index: int) -> str | None:
    """`509.4 s (about 8.5 min)`: the figure before it once more in another unit."""
    if not index or not known[index - 1] or not _AGAIN.fullmatch(text, readings[index - 1].end, readings[index].start):
        return None
    for amount, other in itertools.product(readings[index].amounts, readings[index - 1].amounts):
        if amount.dimension == other.dimension != "" and abs(amount.value - other.value) <= tolerance(amount):
            return f"the same as {readings[index - 1].text}"
    return None


def _over_time(readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int) -> str | None:
    """`At $5.40/h that is $43.20 for 8 h`: a known price by the hour, over a time that the answer supposes."""
    if readings[index].amounts[0].dimension not in {"USD", "time"}:
        return None
    near = [
        i
        for i in range(max(0, index - _WINDOW), min(len(readings), index + _WINDOW + 1))
        if contexts[i].sentence == contexts[index].sentence
    ]
    sums = [i for i in near if readings[i].amounts[0].dimension == "USD"]
    times = [i for i in near if readings[i].amounts[0].dimension == "time"]
    rates = [i for i in near if known[i] and readings[i].amounts[0].dimension == "USD/time"]
    for price, time, total in itertools.product(rates, times, sums):
        amount = readings[total].amounts[0]
        if index in {time, total} and abs(
            readings[price].amounts[0].value * readings[time].amounts[0].value - amount.value
        ) <= tolerance(amount):
            return f"calculation: {readings[price].text} × {readings[time].text}"
    return None


def _gap(text: str, readings: Sequence[Reading], left: int) -> str:
    gap = text[readings[left].end : readings[left + 1].start]
    return "" if any(end in gap for end in ("\n", ". ", "; ", ": ")) else _EMPHASIS.sub("", gap[-80:])


def _equation(
    text: str, readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int
) -> str | None:
    """`A × B = R` and `R = A × B`."""
    span = _terms(text, readings, index)
    if span is None or not all(known[i] for i in span):
        return None
    return _evaluates([readings[i] for i in span], _signs(text, readings, span), readings[index])


def contradicted(text: str, readings: Sequence[Reading], known: Sequence[bool], index: int) -> range | None:
    """The terms of an equation of supported figures that does not give the number at `index`: one of them is wrong."""
    span = _terms(text, readings, index, brackets=False)
    if span is None or not all(known[i] for i in span):
        return None
    fits = _evaluates([readings[i] for i in span], _signs(text, readings, span), readings[index])
    return None if fits else span


def confirmed(text: str, readings: Sequence[Reading], known: Sequence[bool], index: int) -> range | None:
    """The terms of an equation that holds, when all of them and its result at `index` are known as numbers."""
    span = _terms(text, readings, index)
    if span is None or not all(known[i] for i in span):
        return None
    return span if _evaluates([readings[i] for i in span], _signs(text, readings, span), readings[index]) else None


def _terms(text: str, readings: Sequence[Reading], index: int, *, brackets: bool = True) -> range | None:
    """The places of the terms of which the number at `index` is said to be the result."""
    if index and _EQUALS.search(_gap(text, readings, index - 1)):
        first = index - 1
        while first and _OPERATOR.search(_gap(text, readings, first - 1)):
            first -= 1
        span = range(first, index)
    elif index + 1 < len(readings) and "=" in (gap := _gap(text, readings, index)) and _EQUALS.search(gap):
        last = index + 1
        while last + 1 < len(readings) and _OPERATOR.search(_gap(text, readings, last)):
            last += 1
        span = range(index + 1, last + 1)
    else:
        return _in_brackets(text, readings, index) if brackets else None
    return span if 2 <= len(span) <= 8 else None


def _in_brackets(text: str, readings: Sequence[Reading], index: int) -> range | None:
    """The terms in `252 messages in 3 groups (212 + 37 + 3)`."""
    for first in range(index + 1, min(index + 4, len(readings) - 1)):
        if "\n" in text[readings[first - 1].end : readings[first].start]:
            return None
        if text[readings[first - 1].end : readings[first].start].rstrip(" $€£~≈").endswith("("):
            last = first
            while last + 1 < len(readings) and _OPERATOR.search(_gap(text, readings, last)):
                last += 1
            closed = text[readings[last].end : readings[last].end + 1] == ")"
            return range(first, last + 1) if closed and 2 <= last + 1 - first <= 8 else None
    return None


def _signs(text: str, readings: Sequence[Reading], span: range) -> list[str]:
    return [_sign(_gap(text, readings, i)) for i in span[:-1]]


def _sign(gap: str) -> str:
    match = _OPERATOR.search(gap)
    sign = (match["mark"] or match["word"]).lower() if match else "+"
    return _SIGNS.get(sign, sign)


def _evaluates(terms: Sequence[Reading], signs: Sequence[str], result: Reading) -> str | None:
    """Whether the terms give the result: in base units with matching dimensions, or simply as the numbers are written."""
    shown = " ".join(f"{sign} {term.text}" for sign, term in zip(["", *signs], terms, strict=True)).strip()
    base = compute([(t.amounts[0].value, powers_of(t.amounts[0].dimension)) for t in terms], signs)
    for amount in result.amounts:
        if base and powers_of(amount.dimension) == base[1] and abs(abs(base[0]) - amount.value) <= tolerance(amount):
            return f"calculation: {shown}"
    plain = compute([(t.shown, {}) for t in terms], signs)
    units = {t.unit.partition("/")[0] for t in terms}
    fits = result.bare or result.unit.partition("/")[0] in units or all(t.bare for t in terms)
    if plain and fits and abs(abs(plain[0]) - result.shown) <= tolerance(Amount(result.shown, result.step, "")):
        return f"calculation: {shown}"
    return None


def _pairs(
    readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int
) -> Iterator[tuple[int, int]]:
    """Neighbouring supported figures of the same sentence, in their order."""
    near = range(max(0, index - _WINDOW), min(len(readings), index + _WINDOW + 1))
    usable = [i for i in near if i != index and known[i] and contexts[i].sentence == contexts[index].sentence]
    yield from itertools.pairwise(usable)


def _relation(
    text: str, readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int
) -> str | None:
    """A change in per cent, a ratio, a part of a whole or a difference of two figures beside it."""
    result = readings[index]
    around = text[max(0, result.start - 40) : result.start] + " | " + text[result.end : result.end + 40].partition("\n")[0]
    differs = _DIFFERENCE.search(around.partition(" | ")[0]) or _DIFFERENCE.search(around.partition(" | ")[2])
    for left, right in _pairs(readings, contexts, known, index):
        if _unlike(readings, contexts, left, right) or _RANGE.search(
            text, max(0, readings[left].start - 12), readings[left].start
        ):
            continue
        between = text[readings[left].end : readings[right].start]
        part, backwards = bool(_PART_OF.search(between)), bool(_BACKWARDS.search(between))
        alike = _alike(readings[left], readings[right])
        for (one, other), amount in itertools.product(alike, result.amounts):
            for name, value in _derived(*((other, one) if backwards else (one, other)), amount.dimension, part, bool(differs)):
                if abs(value - abs(amount.value)) <= tolerance(amount):
                    return f"calculation: {name} of {readings[left].text} and {readings[right].text}"
    return None


def _unlike(readings: Sequence[Reading], contexts: Sequence[Context], left: int, right: int) -> bool:
    """Whether one of them counts things of its own, so that it cannot take its neighbour's unit."""
    one, other = readings[left], readings[right]
    return bool((one.bare and contexts[left].counts and other.unit) or (other.bare and contexts[right].counts and one.unit))


def _alike(one: Reading, other: Reading) -> list[tuple[Amount, Amount]]:
    """Both in one unit, as often as there is one; a number without unit takes that of its neighbour."""
    if one.bare and not other.bare and other.unit and other.shown:
        factor = other.amounts[0].value / other.shown
        return [(Amount(one.shown * factor, 0.0, other.amounts[0].dimension), other.amounts[0])]
    if other.bare and not one.bare and one.unit and one.shown:
        factor = one.amounts[0].value / one.shown
        return [(one.amounts[0], Amount(other.shown * factor, 0.0, one.amounts[0].dimension))]
    return [(a, b) for a in one.amounts for b in other.amounts if a.dimension == b.dimension]


def _derived(one: Amount, other: Amount, wanted: str, part: bool, differs: bool) -> Iterator[tuple[str, float]]:
    first, second = one.value, other.value
    if wanted == "share" and first and second:
        yield "change", abs(second / first - 1)
        if part:
            yield "share", first / second
    if wanted == "ratio" and first and second:
        yield "ratio", second / first
        yield "ratio", first / second
    if wanted == one.dimension and differs:
        yield "difference", abs(second - first)


def _sum(text: str, readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int) -> str | None:
    """`14 running and 23 waiting, 37 in total`: neighbours that are said to be added."""
    result = readings[index]
    if not _TOGETHER.search(text[max(0, result.start - 30) : result.start] + " " + text[result.end : result.end + 40]):
        return None
    for amount in result.amounts:
        for group in (_group(readings, contexts, known, index, -1, amount), _group(readings, contexts, known, index, 1, amount)):
            total = 0.0
            for count, term in enumerate(group, 1):
                total += term.amounts[0].value
                if count > 1 and abs(total - amount.value) <= tolerance(amount):
                    return "calculation: sum of " + ", ".join(t.text for t in group[:count])
    return None


def _group(
    readings: Sequence[Reading], contexts: Sequence[Context], known: Sequence[bool], index: int, step: int, amount: Amount
) -> list[Reading]:
    """Supported neighbours of the same kind to one side, nearest first."""
    found: list[Reading] = []
    place = index + step
    while 0 <= place < len(readings) and len(found) < _LONGEST_SUM and known[place]:
        near = contexts[place].sentence == contexts[index].sentence
        if not near or readings[place].amounts[0].dimension != amount.dimension:
            break
        found.append(readings[place])
        place += step
    return found
