"""Looks facts up by value, by word and by name."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice

from bot.evidence.entries import Shelves
from bot.evidence.facts import Fact, Facts
from bot.evidence.reading import Amount, Moment, in_zone

_MOST = 400
"""Facts looked at for one figure; more of them with one value or one word make no difference."""
_MOST_TEXT = 4_000_000
_NOW = {"at", "now", "seen", "seen_at", "as_of", "measured_at", "scraped_at", "last_scrape"}
_LONG_ENDING = re.compile(r"-[a-z]{3,}$")


class Index:
    """All facts of some results, ready to be asked."""

    def __init__(self, facts: Facts) -> None:
        """Sort once; every question is then answered without walking all facts."""
        self.facts = facts
        self._by_dimension = _sorted_by(facts.numbers, lambda fact: ((a.dimension, a.value) for a in fact.amounts))
        self._native = _sorted_by(facts.numbers, lambda fact: [("", fact.native)] if fact.native is not None else [])
        self._by_entry: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in facts.numbers:
            for entry in fact.entries:
                self._by_entry[entry].append(fact)
        self._by_word: dict[str, list[Fact]] = defaultdict(list)
        for fact in facts.numbers:
            for word in fact.leaf | fact.around | fact.beside:
                self._by_word[word].append(fact)
        self._moment_by_word: dict[str, list[Fact]] = defaultdict(list)
        for fact in facts.moments:
            for word in fact.leaf | fact.around | fact.beside:
                self._moment_by_word[word].append(fact)
        self.seen: dict[Hashable, Fact | None] = {}
        self._agreeing: dict[Moment, list[Fact]] = {}
        self.shelves = Shelves(facts.marks, frozenset(w for f in facts.numbers if not f.told for w in f.leaf))
        self._text = "\n".join(facts.texts)[:_MOST_TEXT]
        self._text += "\n" + self._text.replace("v5litepod-", "v5e-") if "v5litepod-" in self._text else ""

    def valued(self, dimension: str, low: float, high: float) -> Sequence[Fact]:
        """Facts of this dimension with a value within these bounds."""
        return _within(self._by_dimension.get(dimension), low, high)

    def native(self, low: float, high: float) -> Sequence[Fact]:
        """Facts whose number, in its own unit, lies within these bounds."""
        return _within(self._native.get(""), low, high)

    def holds_count(self, number: float) -> bool:
        """Whether any fact without unit is exactly this number."""
        return bool(self.valued("", number, number))

    def holds_twice(self, amount: Amount) -> bool:
        """Whether two facts have this very value."""
        return len(self.valued(amount.dimension, amount.value, amount.value)) > 1

    def inside(self, entries: Iterable[tuple[str, str]]) -> Iterator[Fact]:
        """Facts that stand in these (list, entry) pairs."""
        for entry in entries:
            yield from self._by_entry.get(entry, [])[:_MOST]

    def worded(self, words: Iterable[str]) -> Iterator[Fact]:
        """Facts that share any of these words."""
        for word in words:
            yield from self._by_word.get(word, [])[:_MOST]

    def moments_worded(self, words: Iterable[str]) -> Iterator[Fact]:
        """Times that share any of these words."""
        for word in words:
            yield from self._moment_by_word.get(word, [])[:_MOST]

    def moments_agreeing(self, moment: Moment) -> Sequence[Fact]:
        """Times that are this moment, as far as it is said."""
        if moment not in self._agreeing:
            found = (fact for fact in self.facts.moments if _agrees(moment, fact))
            self._agreeing[moment] = list(islice(found, _MOST))
        return self._agreeing[moment]

    def measured(self) -> list[Fact]:
        """When the quantities were measured: the results' own now."""
        return [f for f in self.facts.moments if f.instant and f.path.rpartition(".")[2] in _NOW]

    def holds_version(self, version: str) -> bool:
        """Whether the results hold exactly this version; two places (`0.26`) also stand for 0.26.1."""
        bare = version.lower().lstrip("v")
        ending = r"(?!\d)(?!\.\d)" if bare.count(".") > 1 else r"(?!\d)"
        return re.search(rf"(?<!\d)(?<!\d\.){re.escape(bare)}{ending}", self._text) is not None

    def holds_name(self, name: str) -> bool:
        """Whether the results hold this name as a whole: prod-1 is not prod-12."""
        low = name.lower()
        if self._holds(low) or self._holds(_LONG_ENDING.sub("", low)):
            return True
        parts = [part for part in low.split("/") if any(c.isdigit() for c in part)]
        return "/" in low and "://" not in low and bool(parts) and all(self._holds(part) for part in parts)

    def _holds(self, name: str) -> bool:
        place = self._text.find(name)
        while place >= 0:
            end = place + len(name)
            before, behind = self._text[place - 1 : place], self._text[end : end + 1]
            if not before.isalnum() and not behind.isalnum():
                return True
            place = self._text.find(name, place + 1)
        return False

    def holds_text(self, quoted: str) -> bool:
        """Whether a result holds these very words."""
        return quoted.lower() in self._text

    def holds_any(self, names: Iterable[str]) -> bool:
        """Whether any of these names stands in the results."""
        return any(self._holds(name) for name in names)


def _agrees(moment: Moment, fact: Fact) -> bool:
    """A time that names its zone is held against the fact in that zone."""
    if moment.offset is not None and fact.instant is not None:
        return moment.agrees(in_zone(fact.instant, moment.offset))
    return any(moment.agrees(seen) for seen in fact.moment)


_Sorted = tuple[list[float], list[Fact]]


def _sorted_by(facts: Iterable[Fact], keys: Callable[[Fact], Iterable[tuple[str, float | None]]]) -> dict[str, _Sorted]:
    rows: dict[str, list[tuple[float, int, Fact]]] = defaultdict(list)
    for order, fact in enumerate(facts):
        for dimension, value in keys(fact):
            if value is not None:
                rows[dimension].append((abs(value), order, fact))
    result: dict[str, _Sorted] = {}
    for dimension, found in rows.items():
        found.sort(key=lambda row: row[:2])
        result[dimension] = ([row[0] for row in found], [row[2] for row in found])
    return result


def _within(rows: _Sorted | None, low: float, high: float) -> Sequence[Fact]:
    if rows is None:
        return ()
    values, facts = rows
    start = bisect_left(values, low)
    return facts[start : min(bisect_right(values, high), start + _MOST)]


def bounds(amount: Amount, bound: str) -> tuple[float, float]:
    """Between which true values an amount may be written so: rounding to its last place, or truly "over" and "under" it.

    Rounding may not move a value by more than a quarter, else "1 h" would be right for 35 minutes.
    """
    value, step = abs(amount.value), amount.step * (1 + 1e-9) + abs(amount.value) * 1e-9
    if bound == "over":
        return value - step * 1e-6, max(value * 1.1, value + 2 * step)
    if bound == "under":
        return min(value * 0.9, value - 2 * step), value + step * 1e-6
    if value == 0:
        return 0.0, amount.step if amount.step < 0.1 else 0.0
    return max(value - step, value / 1.25), min(value + step, value / 0.75)
