"""Entries of lists: what tells them apart, and which of them a sentence speaks of."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bot.evidence.reading import Kind, Reading
from bot.evidence.units import singular
from bot.evidence.words import NAME_LIKE, concepts, is_empty

_SHORT = 80
"""Characters of a string that may tell an entry from its neighbours: names and titles, no log lines."""
_METRIC = re.compile(r"[a-z][a-z0-9]*(?:[:_][a-z0-9]+)+")
_METRIC_KEYS = ("metric", "metric_name", "name", "field", "measure")
_ISO_START = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKEN = re.compile(r"[^\W_](?:[\w./:-]*[^\W_])?")
_NUMBERED = re.compile(r"(?P<before>|[a-z_]*_)(?P<number>\d{1,15}(?:\.\d+)?)(?P<scale>[kKmM]?)(?P<behind>|_[a-z_]{0,30})")
_SENTENCE = re.compile(r"\n|[.!?;](?=[\s*_)\"'”]|$)")
_SPELLED = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "eight": 8.0, "ten": 10.0}
_JOINED = re.compile(r"\s*(?:to|and|or|[–/]|→|->)\s*")
_PLURAL = re.compile(r"(?<=^\d\d\d)s$")
_MOST = 2000
"""Words of one answer that are looked up."""


@dataclass(frozen=True)
class Marks:
    """What tells one entry from its neighbours: words of its short strings, and the number that it starts with."""

    words: frozenset[str] = frozenset()
    number: float | None = None
    number_words: frozenset[str] = frozenset()


def marks_of(key: str, item: object) -> Marks:
    """The marks of an entry under `key` (empty in a list)."""
    texts = [key[:_SHORT]] if key else []
    parts = _NUMBERED.fullmatch(key[:_SHORT])
    number, words = (_scaled(parts), frozenset[str]()) if parts else (None, frozenset[str]())
    if isinstance(item, Mapping):
        texts += _strings(item)
        if number is None and (first := _first_number(item)):
            number, words = first
    elif isinstance(item, str):
        texts.append(item[:_SHORT])
    return Marks(frozenset(w for text in texts for w in tokens(text)), number, words)


def _scaled(parts: re.Match[str]) -> float:
    return float(parts["number"]) * {"k": 1024.0, "m": 1024.0**2}.get(parts["scale"].lower(), 1.0)


def tokens(text: str) -> set[str]:
    """The words of a text in lower case; names stay whole and also give their parts around a slash."""
    found: set[str] = set()
    for match in _TOKEN.finditer(text.lower()):
        word = singular(_PLURAL.sub("", match[0].rstrip(".:/")))
        found.update({word, *word.split("/")})
    return {word for word in found if not is_empty(word)}


def _strings(item: Mapping[Any, Any], depth: int = 0) -> list[str]:
    found = []
    for key, value in list(item.items())[:50]:
        if isinstance(value, str) and len(value) <= _SHORT and not _ISO_START.match(value) and key not in {"unit", "source"}:
            found.append(value)
        elif isinstance(value, Mapping) and not depth and "unit" not in value:
            found += _strings(value, 1)
    return found


def _first_number(item: Mapping[Any, Any]) -> tuple[float, frozenset[str]] | None:
    """The number that an entry starts with, when no string stands before it: `{"concurrency": 16, ...}`."""
    key, value = next(iter(item.items()), ("", None))
    if isinstance(value, bool) or not isinstance(value, int | float) or len(item) < 2 or abs(value) > 1e15:
        return None
    return float(value), frozenset(concepts(str(key)))


def is_shelf(value: Mapping[Any, Any]) -> bool:
    """Whether the keys of a mapping are entries: names, numbers, or anything above records that are all alike."""
    keys = [str(key) for key in value]
    if len(keys) < 2:
        return False
    if all(key.isdigit() or ("-" in key and NAME_LIKE.fullmatch(key)) for key in keys):
        return True
    numbered = [_NUMBERED.fullmatch(key[:_SHORT]) for key in keys]
    if all(numbered) and len({(m["before"], m["behind"]) for m in numbered if m}) == 1:
        return True
    records = [set(item) for item in value.values() if isinstance(item, Mapping) and "unit" not in item]
    return len(records) == len(keys) and all(one == other and len(one) > 1 for one, other in pairwise(records))


def alike(result: Mapping[Any, Any]) -> str:
    """Whole results with the same keys are entries beside each other."""
    return "results with " + ",".join(sorted(map(str, result)))[:500]


def metric_keys(value: Mapping[Any, Any]) -> tuple[str, ...]:
    """The name that a record gives its own number, as in `{"metric": "vllm:num_requests_running", "value": 14}`."""
    names = [value[k] for k in _METRIC_KEYS if isinstance(value.get(k), str) and _METRIC.fullmatch(value[k][:200])]
    if not names:
        return ()
    labels = value.get("labels")
    quantile = labels.get("quantile") if isinstance(labels, Mapping) else value.get("quantile")
    found: tuple[str, ...] = (names[0][:200],)
    return (*found, f"p{float(str(quantile)) * 100:.0f}") if re.fullmatch(r"0\.\d{1,3}", str(quantile)[:8]) else found


class Shelves:
    """All entries of some results by the words and numbers that tell them apart."""

    def __init__(self, marks: Mapping[tuple[str, str], Marks], fields: frozenset[str]) -> None:
        """Keep only what does not stand in every entry of a list and is no word of a field."""
        size: dict[str, int] = defaultdict(int)
        holders: dict[tuple[str, str], set[str]] = defaultdict(set)
        numbers: dict[tuple[str, float], set[str]] = defaultdict(set)
        for (shelf, entry), mark in marks.items():
            size[shelf] += 1
            for word in mark.words:
                holders[shelf, word].add(entry)
            if mark.number is not None:
                numbers[shelf, mark.number].add(entry)
        self._words: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        for (shelf, word), entries in holders.items():
            if len(entries) < size[shelf] and word not in fields:
                self._words[word].append((shelf, frozenset(entries)))
        self._numbers: dict[float, list[tuple[str, frozenset[str], frozenset[str]]]] = defaultdict(list)
        for (shelf, number), entries in numbers.items():
            if len(entries) < size[shelf]:
                words = frozenset[str]().union(*(marks[shelf, entry].number_words for entry in entries))
                self._numbers[number].append((shelf, frozenset(entries), words))

    def worded(self, word: str) -> Sequence[tuple[str, frozenset[str]]]:
        """(list, entries) pairs that this word tells apart."""
        return self._words.get(word, ())[:20]

    def numbered(self, reading: Reading, near: frozenset[str] | None) -> Iterable[tuple[str, frozenset[str]]]:
        """(list, entries) pairs that start with this number, if the words around it agree."""
        for value in dict.fromkeys((reading.shown, *(a.value for a in reading.amounts))):
            for shelf, entries, words in self._numbers.get(value, ())[:20]:
                if near is None or not words or words & near:
                    yield shelf, entries


@dataclass
class _Pointer:
    """A place in a sentence that names entries; `reading` is the figure that does so, if it is one."""

    start: int
    entries: frozenset[str]
    reading: int = -1


_Sort = tuple[Kind, str]
Pointed = frozenset[tuple[str, frozenset[str]]]


def pointed(text: str, readings: Sequence[Reading], near: Sequence[frozenset[str]], shelves: Shelves) -> list[Pointed]:
    """For each figure the entries that its sentence lets it speak of, list by list; a list that is not named is left out."""
    result: list[Pointed] = [frozenset()] * len(readings)
    edges = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    first = looked = 0
    for start, end in pairwise(edges):
        last = first
        while last < len(readings) and readings[last].start < end:
            last += 1
        if last > first and looked < _MOST:
            named = _named(text[start:end], start, shelves)
            looked += end - start >> 3
            _add_numbered(named, readings, near, range(first, last), shelves)
            sorts = _sorts(text, readings, range(first, last))
            for shelf, pointers in named.items():
                _point(shelf, pointers, readings, sorts, result)
        first = last
    return result


def _add_numbered(
    named: dict[str, list[_Pointer]],
    readings: Sequence[Reading],
    near: Sequence[frozenset[str]],
    span: range,
    shelves: Shelves,
) -> None:
    """Numbers that name an entry by its own word (`64 users`), then bare ones of the same list (`and 1.44 USD at 64`)."""
    for place in span:
        if readings[place].kind is Kind.NUMBER:
            for shelf, entries in shelves.numbered(readings[place], near[place]):
                named[shelf].append(_Pointer(readings[place].start, entries, place))
    for place in span:
        for shelf, entries in shelves.numbered(readings[place], None) if not near[place] else ():
            if shelf in named:
                named[shelf].append(_Pointer(readings[place].start, entries, place))


def _named(sentence: str, offset: int, shelves: Shelves) -> dict[str, list[_Pointer]]:
    found: dict[str, list[_Pointer]] = defaultdict(list)
    for match in list(_TOKEN.finditer(sentence.lower()))[:400]:
        if match[0] in _SPELLED:
            reading = Reading(Kind.NUMBER, 0, 0, "", shown=_SPELLED[match[0]])
            for shelf, entries in shelves.numbered(reading, frozenset(concepts(sentence[match.end() : match.end() + 12]))):
                found[shelf].append(_Pointer(match.start() + offset, entries))
        for word in dict.fromkeys((match[0], singular(_PLURAL.sub("", match[0].rstrip(".:/"))), *match[0].split("/"))):
            for shelf, entries in shelves.worded(word):
                found[shelf].append(_Pointer(match.start() + offset, entries))
    return found


def _point(
    shelf: str, pointers: list[_Pointer], readings: Sequence[Reading], sorts: Mapping[int, _Sort], result: list[Pointed]
) -> None:
    for place, sort in sorts.items():
        own = {p.reading for p in pointers}
        if place in own:
            continue
        figures = [readings[i].start for i in sorts if i not in own]
        peers = [i for i in sorts if sorts[i] == sort and i not in own]
        ordered = sorted(pointers, key=lambda p: p.start)
        others = _merged(ordered, figures if len(peers) > 1 else [])
        if meant := _meant(others, peers, place, readings):
            result[place] |= {(shelf, meant)}


def _sorts(text: str, readings: Sequence[Reading], span: range) -> dict[int, _Sort]:
    """Of what sort each figure is; in `0.84 → 2.31 s` both are times."""
    found: dict[int, _Sort] = {}
    for place in reversed(span):
        found[place] = _sort(readings[place])
        following = place + 1 in found and readings[place].bare
        if following and _JOINED.fullmatch(text, readings[place].end, readings[place + 1].start):
            found[place] = found[place + 1]
    return dict(sorted(found.items()))


def _sort(reading: Reading) -> _Sort:
    if reading.bare and 0 < reading.shown < 1:
        return reading.kind, "share"
    return reading.kind, reading.amounts[0].dimension if reading.amounts else ""


def _merged(pointers: Sequence[_Pointer], figures: Sequence[int]) -> list[_Pointer]:
    """Neighbouring pointers that name a common entry are one: `prod-1 (v6e-4, us-east5-a)`.

    Behind a figure they say nothing new: they may be words of the figure's own.
    """
    merged: list[_Pointer] = []
    for pointer in pointers:
        if merged and (common := merged[-1].entries & pointer.entries):
            if not any(merged[-1].start < figure < pointer.start for figure in figures):
                merged[-1] = _Pointer(merged[-1].start, common)
        else:
            merged.append(_Pointer(pointer.start, pointer.entries))
    return merged


def _meant(pointers: Sequence[_Pointer], peers: Sequence[int], place: int, readings: Sequence[Reading]) -> frozenset[str]:
    """As many figures of a sort as names: one each, in their order. Else the name before or right behind it."""
    if len(pointers) == len(peers):
        return pointers[peers.index(place)].entries
    before = [p for p in pointers if p.start <= readings[place].start]
    if pointers[0].start < readings[peers[0]].start:
        return before[-1].entries
    order = peers.index(place)
    following = readings[peers[order + 1]].start if order + 1 < len(peers) else sys.maxsize
    behind = [p for p in pointers[len(before) :] if p.start < following]
    return behind[0].entries if behind else frozenset()
