"""Checks every figure of an answer against the results that it was written from."""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.evidence.calculation import calculated, confirmed, contradicted
from bot.evidence.context import OF, Context, contexts
from bot.evidence.elapsed import elapsed
from bot.evidence.entries import pointed
from bot.evidence.facts import Fact, gather
from bot.evidence.figure import Figure
from bot.evidence.index import Index
from bot.evidence.judge import calendar_supported, code_supported, exact, moment_supported, number_supported
from bot.evidence.reading import Amount, Kind, Reading
from bot.evidence.scan import scan
from bot.evidence.words import word_set

_MOST = 3000
"""Figures looked at; an answer with more is no answer, and the rest counts as not supported."""
_ROUNDS = 3
"""How often calculations may build on one another."""
_DTYPES = word_set("fp8 bf16 fp16 fp32 fp4 int8 int4 fp8_e5m2 fp8_e4m3 bfloat16 float16 float32")
_TOGETHER = word_set("together altogether combined both overall")
"""Words of figures that speak of several entries at once."""
_TERMS = word_set(
    "e2e k8s ipv4 ipv6 utf-8 utf8 base64 sha256 sha1 md5 x86 x86_64 oauth2 http2 http/2 http/1.1 log4j s3 ec2 h264 mp3 24/7 1x1"
)
_QUOTED = re.compile(r"`([^`\n]{3,300})`|\"([^\"\n]{3,300})\"|“([^”\n]{3,300})”")
_CHAIN = re.compile(r"\s*(?:to|and|or|of|vs\.?|versus|against|[–−→/,(…+*×=-]|->|\.\.\.?)\s*[(]?", re.IGNORECASE)


@dataclass
class _Answer:
    """An answer taken apart. `numbers` are the places of its numbers among `readings`; `by` what supports each reading."""

    text: str
    readings: list[Reading]
    contexts: list[Context]
    numbers: list[int]
    by: list[str | None]
    refuted: set[int] = field(default_factory=set)
    exact: dict[int, Reading] = field(default_factory=dict)

    def whole(self) -> list[Reading]:
        """All numbers with their values before rounding."""
        return [self.exact.get(i, self.readings[i]) for i in self.numbers]


class Evidence:
    """Some results, read once, against which any number of answers can be checked."""

    def __init__(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Take the dicts that operations gave, in any nesting."""
        self._index = Index(gather(results))

    def check(self, answer: str) -> list[Figure]:
        """Every figure of `answer` with what supports it; see `bot.evidence.check`."""
        readings = scan(answer)
        numbers = [i for i, reading in enumerate(readings) if reading.kind is Kind.NUMBER]
        taken = _Answer(answer, readings, self._contexts(answer, readings), numbers, [None] * len(readings))
        self._index.seen.clear()
        quotes = _quotes(answer, self._index)
        for place, reading in enumerate(readings[:_MOST]):
            taken.by[place] = _quoted(reading, quotes) or _support(taken, place, self._index)
        _confirm(taken, self._index)
        _contradict(taken)
        _wholes(taken, self._index)
        _steps(taken)
        _lasting(taken, self._index)
        for _ in range(_ROUNDS):
            if not _calculate(taken):
                break
        pairs = [(r, by) for r, by in zip(readings, taken.by, strict=True) if not _no_claim(r, self._index)]
        return [Figure(text=r.text, span=(r.start, r.end), supported=by is not None, by=by) for r, by in pairs]

    def _contexts(self, answer: str, readings: Sequence[Reading]) -> list[Context]:
        around = contexts(answer, readings)
        meant = pointed(answer, readings, [context.near for context in around], self._index.shelves)
        pairs = zip(around, meant, strict=True)
        return [context if context.near & _TOGETHER else replace(context, pointed=entries) for context, entries in pairs]


def check(answer: str, results: Sequence[Mapping[str, Any]]) -> list[Figure]:
    """Every figure of `answer` with what supports it in `results` (the dicts that operations gave, in any nesting).

    A number needs a compatible unit, the same value when rounded as it is written, and words around it that do not name another
    field; or a calculation shown in the answer whose inputs are supported. Names and versions must stand in the results as they
    are. Never raises for any text; time is linear in the answer for given results.
    """
    return Evidence(results).check(answer)


def _no_claim(reading: Reading, index: Index) -> bool:
    """Words of the field that hold a digit and name nothing of ours; data types count once the results speak of any."""
    low = reading.text.lower()
    return reading.kind is Kind.NAME and (low in _TERMS or (low in _DTYPES and not index.holds_any(_DTYPES)))


def _quotes(answer: str, index: Index) -> list[tuple[int, int]]:
    """Where the answer quotes the very words of a result."""
    spans = []
    for match in list(_QUOTED.finditer(answer))[:_MOST]:
        quoted = next(group for group in match.groups() if group)
        if len(quoted.split()) > 1 and index.holds_text(quoted):
            spans.append(match.span())
    return spans


def _quoted(reading: Reading, quotes: Sequence[tuple[int, int]]) -> str | None:
    return next(("quoted" for start, end in quotes if start < reading.start and reading.end < end), None)


def _support(taken: _Answer, place: int, index: Index) -> str | None:
    reading, context = taken.readings[place], taken.contexts[place]
    if reading.kind is Kind.NAME:
        return "named in the results" if index.holds_name(reading.text) else None
    if reading.kind is Kind.VERSION:
        return "named in the results" if index.holds_version(reading.text) else None
    if reading.kind is Kind.MOMENT:
        return moment_supported(reading.moment, context, index) if reading.moment else None
    found = _number(reading, context, index) or (_with_borrowed_unit(taken, place, index) if reading.bare else None)
    if found:
        taken.exact[place] = exact(reading, found)
        return found.path
    if not reading.bare:
        plural = reading.unit == "time" and reading.text.endswith("s") and reading.shown in index.facts.codes
        return "named in the results" if plural else None
    return code_supported(reading, taken.text, index) or calendar_supported(reading, taken.text, index)


def _number(reading: Reading, context: Context, index: Index) -> Fact | None:
    """The same number in the same words is looked up once."""
    said = (reading.amounts, reading.shown, reading.step, reading.bare, reading.bound, reading.unit)
    key = (*said, context.near, context.far, context.counts, context.stage, context.pointed)
    if key not in index.seen:
        index.seen[key] = number_supported(reading, context, index, reading.amounts)
    return index.seen[key]


def _with_borrowed_unit(taken: _Answer, place: int, index: Index) -> Fact | None:
    """`from 0.42 to 0.98 s`, `2.9 s (usual 0.4)`: a number without unit next to one that has it."""
    reading, context = taken.readings[place], taken.contexts[place]
    if context.counts:
        return None
    for neighbour in _neighbours(taken, place):
        if neighbour.shown and neighbour.amounts and not neighbour.bare:
            factor = neighbour.amounts[0].value / neighbour.shown
            amount = Amount(reading.shown * factor, reading.step * factor, neighbour.amounts[0].dimension)
            typed = replace(reading, bare=False, amounts=(amount,), unit=neighbour.unit)
            if found := _number(typed, context, index):
                return found
    return None


def _neighbours(taken: _Answer, place: int) -> list[Reading]:
    """The next figures with a unit to the right and to the left, across a chain of numbers without."""
    found: list[Reading] = []
    for step in (1, -1):
        at = place
        while 0 <= at + step < len(taken.readings) and abs(at - place) < 6:
            left, right = taken.readings[min(at, at + step)], taken.readings[max(at, at + step)]
            gap = taken.text[left.end : right.start]
            same = taken.contexts[at].sentence == taken.contexts[at + step].sentence
            if not same or "\n" in gap or (step == 1 and not _CHAIN.fullmatch(gap)):
                break
            at += step
            if step == -1 and not taken.readings[at].unit and not taken.readings[at].bare:
                break
            if not taken.readings[at].bare and taken.readings[at].kind is Kind.NUMBER:
                found.append(taken.readings[at])
                break
    return found


def _contradict(taken: _Answer) -> None:
    """A shown equation must hold; where it does not, one of its figures is wrong and none of them can be trusted."""
    numbers = [taken.readings[i] for i in taken.numbers]
    known = [taken.by[i] is not None for i in taken.numbers]
    whole = taken.whole()
    for order in range(min(len(numbers), _MOST)):
        wrong = contradicted(taken.text, numbers, known, order)
        if not wrong:
            continue
        true, whole[order] = whole[order], numbers[order]
        holds = not contradicted(taken.text, whole, known, order)
        whole[order] = true
        for place in () if holds else wrong:
            taken.by[taken.numbers[place]] = taken.by[taken.numbers[order]] = None
            taken.refuted |= {taken.numbers[place], taken.numbers[order]}


def _wholes(taken: _Answer, index: Index) -> None:
    """In `40 of 64 GiB` the second is the whole: never smaller than the part, nor the same field again (`4 of 4` may be)."""
    for place, (left, right) in enumerate(itertools.pairwise(taken.readings[:_MOST]), 1):
        if left.kind is not Kind.NUMBER or right.kind is not Kind.NUMBER or not OF.fullmatch(taken.text[left.end : right.start]):
            continue
        part, whole = left.amounts[0], right.amounts[0]
        same = taken.by[place] is not None and taken.by[place - 1] == taken.by[place]
        once = same and not index.holds_twice(whole)
        if whole.dimension and math.isclose(whole.value, part.value, rel_tol=0.01):
            once = same
        smaller = part.dimension == whole.dimension and whole.value < part.value and not same
        if once or smaller:
            taken.by[place] = None


def _lasting(taken: _Answer, index: Index) -> None:
    """Durations between two times of the results."""
    for place in taken.numbers[:_MOST]:
        if taken.by[place] is None and place not in taken.refuted:
            taken.by[place] = elapsed(taken.text, taken.readings, taken.contexts, place, index)


def _steps(taken: _Answer) -> None:
    """`from 3 to 4` and `3 → 4` are two values: one field cannot be both."""
    for place in range(1, min(len(taken.readings), _MOST)):
        stages = (taken.contexts[place - 1].stage, taken.contexts[place].stage)
        same = taken.by[place] is not None and taken.by[place] == taken.by[place - 1]
        if stages == ("before", "after") and same and taken.readings[place].kind is Kind.NUMBER:
            taken.by[place] = taken.by[place - 1] = None
            taken.refuted |= {place, place - 1}


def _calculate(taken: _Answer) -> bool:
    """Look for shown calculations once; whether any was found."""
    numbers = [taken.readings[i] for i in taken.numbers]
    around = [taken.contexts[i] for i in taken.numbers]
    known = [taken.by[i] is not None for i in taken.numbers]
    whole = taken.whole()
    found = False
    for order, place in enumerate(taken.numbers[:_MOST]):
        if taken.by[place] is None and place not in taken.refuted:
            true, whole[order] = whole[order], numbers[order]
            taken.by[place] = calculated(taken.text, numbers, around, known, order) or calculated(
                taken.text, whole, around, known, order
            )
            whole[order] = true
            found = found or taken.by[place] is not None
    return found


def _confirm(taken: _Answer, index: Index) -> None:
    """In an equation that holds and whose result is known, terms need no words: `526 × 128 = 67,328 tokens`."""
    numbers = [taken.readings[i] for i in taken.numbers]
    known = [
        taken.by[i] is not None or (numbers[o].bare and index.holds_count(numbers[o].shown)) for o, i in enumerate(taken.numbers)
    ]
    for order, place in enumerate(taken.numbers[:_MOST]):
        terms = confirmed(taken.text, numbers, known, order)
        if terms and taken.by[place] is None and all(numbers[term].bare for term in terms):
            for term in terms:
                taken.by[taken.numbers[term]] = taken.by[taken.numbers[term]] or "term of an equation that holds"
            continue
        for term in terms or () if taken.by[place] is not None else ():
            taken.by[taken.numbers[term]] = taken.by[taken.numbers[term]] or "term of an equation that holds"
