"""Whether the results say what a figure says. A value alone is not enough: the words around it must not name another field."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from bot.evidence.context import Context, plain
from bot.evidence.facts import CODE, MEASURED, Fact
from bot.evidence.index import Index, bounds
from bot.evidence.reading import Amount, Moment, Reading
from bot.evidence.words import GENERIC, LABELS, LISTED, OBSERVED, OCCURRENCES, QUALIFIERS, SIZED, SIZES, UNITS, excluded, weight

_SAMPLES = {"n", "samples", "observations"}
_MEASURED = frozenset({"token", "request"})
"""Things that are never counted for one another."""
_BEGINNINGS = frozenset({"first", "create", "deploy"})
"""Times from which on something is."""
STAGES = {"before", "after"}
_MARGIN = 0.3
"""By how much another field must fit the words better before a figure counts as taken from the wrong field."""


def number_supported(reading: Reading, context: Context, index: Index, amounts: tuple[Amount, ...]) -> Fact | None:
    """The fact that a number may be taken from; None when there is none.

    The fact needs a compatible unit and, rounded, the same value. It must not count other things than the figure does, nor be
    of another sister field (waiting, not running); no other field of that unit may fit the words around the figure clearly
    better; and a number without any unit needs at least one word in common with its field.
    """
    best: tuple[float, Fact] | None = None
    matching: set[int] = set()
    for fact, loose in _candidates(reading, index, amounts):
        if not may_be(fact, context):
            continue
        matching.add(id(fact))
        score = _score(context, fact)
        if _related(reading, context, fact, loose, score) and (best is None or score + _far(context, fact) > best[0]):
            best = (score + _far(context, fact), fact)
    if best is None or _rival(context, index, amounts, matching, best[1]) > best[0] + _MARGIN:
        return None
    if best[0] < 0.5 and not reading.bare and _in_other_unit(reading, context, index, best[1]):
        return None
    return best[1]


def _in_other_unit(reading: Reading, context: Context, index: Index, chosen: Fact) -> bool:
    """`The cache is 88 ms full`: the words name a field that has the same number in another unit."""
    dimensions = {amount.dimension for amount in (*chosen.amounts, *reading.amounts)}
    for fact in index.worded(context.near):
        number = fact.native
        if number is None or _score(context, fact) < 1.0 or any(a.dimension in dimensions for a in fact.amounts):
            continue
        if min(abs(number - reading.shown), abs(number * 100 - reading.shown)) <= reading.step and may_be(fact, context):
            return True
    return False


def exact(reading: Reading, fact: Fact) -> Reading:
    """The reading with the value that its fact has before rounding."""
    for amount in reading.amounts:
        for true in fact.amounts:
            if true.dimension == amount.dimension and amount.value and abs(true.value / amount.value - 1) < 0.3:
                ratio = true.value / amount.value
                amounts = tuple(replace(a, value=a.value * ratio, step=0.0) for a in reading.amounts)
                return replace(reading, amounts=amounts, shown=reading.shown * ratio, step=0.0)
    return reading


def _related(reading: Reading, context: Context, fact: Fact, loose: bool, score: float) -> bool:
    """Whether the words around a figure allow this fact; `loose` when the figure left the fact's unit out.

    A number with its unit needs no word. A bare one needs one: beside it, or in its sentence when nothing else is left out.
    """
    counted = reading.unit == "ratio" and _countable(fact)
    if fact.leaf & LABELS and not fact.leaf & LABELS & context.near:
        return False
    if not reading.bare and not loose and not counted:
        return True
    if not fact.leaf and fact.around & LISTED and _pointed_at(context, fact):
        return True
    if loose and context.counts:
        return bool(context.counts & fact.things)
    words = fact.leaf | fact.around | fact.beside
    words |= OCCURRENCES if words & LISTED else frozenset()
    words |= OBSERVED if fact.path.rpartition(".")[2] in _SAMPLES else frozenset()
    in_sentence = bool(context.far & words) or not words
    decimal = reading.shown != int(reading.shown)
    return score > 0 or (in_sentence and (not loose or decimal))


def _candidates(reading: Reading, index: Index, amounts: tuple[Amount, ...]) -> Iterable[tuple[Fact, bool]]:
    """Facts of this value; `True` for those whose unit the figure left out."""
    for amount in amounts:
        low, high = bounds(amount, reading.bound)
        for fact in index.valued(amount.dimension, low, high):
            if not _only_looks_alike(reading, amount, fact):
                yield fact, False
    if reading.bare or reading.unit == "USD":
        low, high = bounds(Amount(reading.shown, reading.step, ""), reading.bound)
        for fact in index.native(low, high):
            if any(a.dimension == "USD/time" for a in fact.amounts) if reading.unit else not _countable(fact):
                yield fact, not reading.unit


def _only_looks_alike(reading: Reading, amount: Amount, fact: Fact) -> bool:
    """`256M` and `244M` are never one, though one may be decimal and one binary; `4 times` is no number of chips."""
    if amount.dimension == "bytes" and reading.amounts[0].dimension == "":
        return _countable(fact)
    other = bool(fact.things - OCCURRENCES) or SIZED in fact.leaf or fact.told
    return reading.unit == "ratio" and amount.dimension == "" and other


def _countable(fact: Fact) -> bool:
    return any(a.dimension == "" for a in fact.amounts)


def _foreign(context: Context, fact: Fact) -> bool:
    """Whether the figure counts other things than the fact, or speaks of one of its sister fields."""
    counted = _countable(fact)
    if counted and _MEASURED & context.counts and _MEASURED & fact.things and not _MEASURED & context.counts & fact.things:
        return True
    if counted and context.counts and fact.things and not (context.counts | context.near) & fact.things:
        return True
    if counted and context.counts and fact.told and not context.counts & fact.leaf:
        return True
    sized = SIZED in fact.leaf and "limit" not in fact.leaf
    if counted and sized and context.counts - {"token"} and not context.counts & fact.leaf:
        return True
    if counted and SIZED in fact.leaf and context.counts & fact.leaf:
        return True
    said = context.near | {context.stage} if context.stage and not context.near & {"before", "after"} else context.near
    said -= fact.beside
    return excluded(said, fact.leaf) or (not fact.leaf and excluded(said, fact.around))


def _score(context: Context, fact: Fact, *, names: bool = True) -> float:
    """How well the words around a figure fit a fact: its own words count most, `names` beside it too."""
    own = sum(0.5 if word in context.counts else weight(word) for word in context.near & fact.leaf)
    outer = fact.around | (fact.beside - context.counts) if names else fact.around
    if "limit" in fact.leaf and not context.near & SIZES:
        own = 0.0
    other = sum(weight(word) * (1.0 if word in STAGES else 0.6) for word in context.near & (outer - fact.leaf))
    named = 0.9 if _pointed_at(context, fact) else 0.0
    begins = 0.8 if "since" in context.near and fact.leaf & _BEGINNINGS else 0.0
    stage = 0.4 if context.stage and context.stage in fact.leaf | fact.around else 0.0
    per_token = 0.6 if "token" in context.near and any("/token" in a.dimension for a in fact.amounts) else 0.0
    counted = 0.3 if context.counts & fact.things else 0.0
    return own + other + stage + counted + named + per_token + begins


def _far(context: Context, fact: Fact) -> float:
    """A word elsewhere in the sentence tips the scales a little."""
    return 0.3 if (context.far - context.near - GENERIC) & (fact.leaf | fact.around) else 0.0


def _rival(context: Context, index: Index, amounts: tuple[Amount, ...], matching: set[int], chosen: Fact) -> float:
    """The best fit of a fact of the same dimension that has another value.

    Names beside it (prod-1) tell only fields of one sort apart, such as the prices of two machines.
    """
    dimensions = {amount.dimension for amount in (*amounts, *chosen.amounts)}
    words = set(context.near) | ({context.stage} if context.stage else set())
    best, said = 0.0, context.near - context.counts
    aimed = [(shelf, entry) for shelf, entries in context.pointed if len(entries) == 1 for entry in entries]
    own = plain(context.near)
    near = {id(fact) for fact in index.inside(aimed) if not own - fact.beside or not _countable(fact)}
    for fact in itertools.chain(index.worded(words), index.inside(aimed)):
        names = fact.leaf == chosen.leaf
        seen = fact.leaf | fact.around | fact.beside if names else fact.leaf | fact.around
        if (not seen & words - GENERIC and id(fact) not in near) or (fact.told and _countable(fact)):
            continue
        if id(fact) in matching or not may_be(fact, context):
            continue
        if any(a.dimension in dimensions for a in fact.amounts):
            unsaid = fact.leaf < chosen.leaf and fact.leaf <= context.near and chosen.leaf - fact.leaf - QUALIFIERS - UNITS
            extra = 0.7 if unsaid and not unsaid & context.near else 0.0
            if context.counts and said & fact.leaf and not said & (chosen.leaf | chosen.around | chosen.beside):
                extra = 0.4
            best = max(best, _score(context, fact, names=names) + extra + _far(context, fact))
    return best


def moment_supported(moment: Moment, context: Context, index: Index) -> str | None:
    """The path of the time or date that the results hold; None when they hold none, or the words name another one."""
    matching = [f for f in index.moments_agreeing(moment) if may_be(f, context)]
    if not matching:
        return None
    best = max(matching, key=lambda fact: _score(context, fact))
    known = {id(fact) for fact in matching}
    others = (f for f in index.moments_worded(context.near) if id(f) not in known and may_be(f, context))
    rival = max((_measured(f) * _score(context, f, names=f.leaf == best.leaf) for f in others), default=0.0)
    return best.path if _score(context, best) + _MARGIN >= rival else None


def _measured(fact: Fact) -> float:
    """The time at which a quantity was measured is seldom what the words around a time name."""
    return 0.5 if fact.path.endswith("." + MEASURED) else 1.0


def _elsewhere(context: Context, fact: Fact) -> bool:
    """Whether the sentence speaks of other entries of the list than the one that the fact stands in."""
    return any(shelf == own and entry not in entries for shelf, entries in context.pointed for own, entry in fact.entries)


def _pointed_at(context: Context, fact: Fact) -> bool:
    return any(shelf == own and entry in entries for shelf, entries in context.pointed for own, entry in fact.entries)


def may_be(fact: Fact, context: Context) -> bool:
    """Whether the words around a figure leave this fact possible: no sister field, and no other entry of its list."""
    return not _foreign(context, fact) and not _elsewhere(context, fact)


def code_supported(reading: Reading, text: str, index: Index) -> str | None:
    """A port, a status or an exit code that a text of the results holds as such."""
    if reading.shown not in index.facts.codes:
        return None
    around = text[max(0, reading.start - 20) : reading.start]
    plain = not text[reading.end : reading.end + 1].isalnum()
    return "named in the results" if plain and (reading.shown < 600 or CODE.search(around)) else None


def calendar_supported(reading: Reading, text: str, index: Index) -> str | None:
    """A bare year (2026) or `week 47` that a date in the results has."""
    if not reading.bare or reading.shown != int(reading.shown):
        return None
    number = int(reading.shown)
    if 1990 <= number <= 2100 and len(reading.text) == 4:
        return next((f.path for f in index.facts.moments for m in f.moment if m.year == number), None)
    if text[max(0, reading.start - 6) : reading.start].lower().rstrip().endswith("week"):
        return next((f.path for f in index.facts.moments for m in f.moment if _week(m) == number), None)
    return None


def _week(moment: Moment) -> int | None:
    if moment.year is None or moment.month is None or moment.day is None:
        return None
    try:
        return date(moment.year, moment.month, moment.day).isocalendar().week
    except ValueError:
        return None
