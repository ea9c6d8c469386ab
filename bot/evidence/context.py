"""Which words of a sentence belong to which of its figures."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.evidence.reading import Kind, Reading
from bot.evidence.words import FAMILIES, QUALIFIERS, THINGS, concepts, split_words

_BREAK = re.compile(
    r"(?P<sentence>\n|(?<![\s.]\w)[.!?](?=[\s*_)\"'”]|$))|(?P<colon>:(?=[\s*_]|$))"
    r"|(?P<clause>[;·•|(),]|\s[—–]\s|→|->|\b(?:and|but|while|whereas|versus|vs|against|instead of)\b)",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:in|of|on|at|per|from|for|with|to|by|since|until|within|after|before|as|is|are|was|were|out)\b", re.I
)
_CHAIN = re.compile(r"\s*(?:\W{0,4}|(?:(?:to|and|or|then|from)\b)\W{0,3})\s*", re.IGNORECASE)
_CODE = re.compile(r"\b(?:[A-Z]{2,8}|[Cc]ode|[Ss]tatus|[Pp]ort)\s$")
_STAGES = {"from": "before", "to": "after", "→": "after", "->": "after", "now": "after"}
PERCENTILE = re.compile(r"p\d\d")
_SIGN = re.compile(r"[-+×*÷−=]\s?[$€£]?$")
_SHARED = re.compile(r"\s*(?:to|and|or|[–/-]|→)\s*")
_PERCENTILE_LIST = re.compile(r"\bp\d\d(?:\s?(?:[/,]|and)\s?p\d\d)+")
_ARROW = re.compile(r"[ *`_)]*[A-Za-z/]{0,12}[ *`_)]*(?:→|->)")
OF = re.compile(r"\s(?:out\s)?of\s(?:the\s)?")
_REACH = 160
"""Characters around a figure in which its words stand."""


@dataclass(frozen=True)
class Context:
    """The words around one figure.

    `near` stand in its own clause with no other figure in between, `far` anywhere in its sentence; `counts` are the things right
    behind it; `stage` is "before" after `from` and "after" after `to`. `sentence` numbers the sentence;
    `pointed` are the entries of lists that may be meant, as (list, entries).
    """

    near: frozenset[str]
    far: frozenset[str]
    counts: frozenset[str]
    stage: str
    sentence: int
    pointed: frozenset[tuple[str, frozenset[str]]] = frozenset()


@dataclass
class _Gap:
    """The text between two figures, cut at its clauses: what belongs to the figure before and to the one behind.

    `whole` is True for `of`: in `$415 of $500 is spent` the words behind the whole speak of the part.
    """

    behind_previous: str
    before_next: str
    middle: list[str]
    ends_sentence: bool
    chain: bool
    whole: bool


def contexts(text: str, readings: Sequence[Reading]) -> list[Context]:
    """One context for each reading, in order. Linear in the text."""
    solid = [r for r in readings if r.kind in {Kind.NUMBER, Kind.MOMENT} and not _is_code(text, r)]
    gaps = _gaps(text, solid)
    sentences = _sentences(gaps)
    by_start: dict[int, Context] = {}
    inherited: dict[tuple[int, str], frozenset[str]] = {}
    columns = _columns(text, solid)
    for index, reading in enumerate(solid):
        left, right = gaps[index], gaps[index + 1]
        near = frozenset(concepts(left.before_next))
        behind = right.behind_previous
        if not left.whole:
            near |= frozenset(concepts(behind))
        if right.whole and index + 2 < len(gaps):
            near |= frozenset(concepts(gaps[index + 2].behind_previous))
        counts = frozenset[str]() if right.whole else _counted(right.behind_previous)
        near |= columns.get(reading.start, frozenset())
        number, far = sentences[index]
        sort = (number, reading.amounts[0].dimension if reading.amounts else reading.kind.value)
        if not (left.whole or _SIGN.search(text, max(0, reading.start - 4), reading.start)):
            said = inherited.get(sort, frozenset())
            near |= _inherited(plain(near), said - THINGS if counts else said)
        inherited[sort] = plain(near)
        by_start[reading.start] = Context(near, far, counts, _stage(text, solid, index), number)
    _share_things(text, solid, by_start)
    _share_percentiles(text, solid, by_start)
    return [by_start.get(reading.start) or _label(text, reading) for reading in readings]


def _share_things(text: str, solid: Sequence[Reading], by_start: dict[int, Context]) -> None:
    """In `1 to 64 users` both numbers count users."""
    for index in range(len(solid) - 2, -1, -1):
        one, other = by_start[solid[index].start], by_start[solid[index + 1].start]
        joined = _SHARED.fullmatch(text, solid[index].end, solid[index + 1].start)
        if joined and solid[index].bare and solid[index + 1].bare and other.counts and not one.counts:
            near = other.counts if "/" in joined[0] else one.near | other.counts
            by_start[solid[index].start] = replace(one, counts=other.counts, near=near)


def _is_code(text: str, reading: Reading) -> bool:
    """`HTTP 403`, `exit code 137`: a number that is part of a name and parts no words from figures."""
    return (
        reading.bare
        and reading.shown == int(reading.shown)
        and _CODE.search(text, max(0, reading.start - 12), reading.start) is not None
    )


def _label(text: str, reading: Reading) -> Context:
    near = frozenset(concepts(text[max(0, reading.start - 24) : reading.start]))
    return Context(near, near, frozenset(), "", -1)


def _gaps(text: str, solid: Sequence[Reading]) -> list[_Gap]:
    edges = [0, *(edge for r in solid for edge in (r.start, r.end)), len(text)]
    return [_gap(text[edges[i] : edges[i + 1]], i == 0) for i in range(0, len(edges), 2)]


def _gap(between: str, first: bool) -> _Gap:
    """Cut one gap at its clauses; without any, the noun phrase behind a figure is that figure's and not the next one's.

    A new label before a colon (`14 Waiting: 23`) belongs to the next figure alone.
    """
    breaks = list(_BREAK.finditer(between))
    ends = any(match["sentence"] for match in breaks)
    walls = [match for match in breaks if not match["colon"]]
    start, last = (walls[0].start(), walls[-1].end()) if walls else (len(between), 0)
    behind, before = between[:start], between[last:]
    colon = next((match for match in breaks if match["colon"]), None)
    if colon and colon.start() < start:
        labels_next = not between[colon.end() :].strip(" *_`") and between.lstrip(" *_`")[:1].isupper()
        behind = "" if labels_next else behind[: colon.start()]
    elif not walls and not first and (preposition := _PREPOSITION.search(between)):
        before = between[preposition.start() :]
    middle = [between[start:last]] if walls else []
    chain = _CHAIN.fullmatch(between) is not None and not ends
    return _Gap(behind[:_REACH], before[-_REACH:], middle, ends, chain, OF.fullmatch(between) is not None)


def _sentences(gaps: Sequence[_Gap]) -> list[tuple[int, frozenset[str]]]:
    """For each figure the number and the words of its sentence."""
    numbers, words, current = [], [set[str]()], 0
    for index, gap in enumerate(gaps):
        words[current].update(concepts(gap.behind_previous))
        if gap.ends_sentence and index:
            words.append(set())
            current += 1
        for part in (gap.before_next, *gap.middle):
            words[current].update(concepts(part[:_REACH]))
        if index < len(gaps) - 1:
            numbers.append(current)
    fixed = [frozenset(found) for found in words]
    return [(number, fixed[number]) for number in numbers]


def _counted(behind: str) -> frozenset[str]:
    """The things in the noun phrase right behind a number: `14 running requests` counts requests."""
    phrase = _PREPOSITION.split(behind, maxsplit=1)[0]
    return frozenset(concepts(" ".join(split_words(phrase)[:4]))) & THINGS


def _share_percentiles(text: str, solid: Sequence[Reading], by_start: dict[int, Context]) -> None:
    """In `p50/p90/p99: 0.4 s / 0.9 s / 3.1 s` the first figure is the p50, the second the p90, the third the p99."""
    for match in list(_PERCENTILE_LIST.finditer(text))[:50]:
        names = re.findall(r"p\d\d", match[0])
        first = bisect_left(solid, match.end(), key=lambda r: r.start)
        behind = [r for r in solid[first : first + len(names)] if "\n" not in text[match.end() : r.start]]
        if len(behind) != len(names):
            continue
        for name, reading in zip(names, behind, strict=True):
            context = by_start[reading.start]
            by_start[reading.start] = replace(context, near=context.near - frozenset(names) | {name})


def _stage(text: str, solid: Sequence[Reading], index: int) -> str:
    """`from 3`, `to 4`, `3 → 4`."""
    here = solid[index]
    start = solid[index - 1].end if index else 0
    words = text[max(start, here.start - 40) : here.start].rstrip(" ~≈$€£*`_").lower().split()[-1:]
    behind = text[here.end : here.end + 24]
    if words and words[0] in _STAGES:
        return _STAGES[words[0]]
    return "before" if _ARROW.match(behind) else ""


def _inherited(own: frozenset[str], said: frozenset[str]) -> frozenset[str]:
    """What was said of the figure before, where a figure has no words but `p99` or `usually` of its own."""
    if own - QUALIFIERS:
        return frozenset()
    return said.difference(*(family for family in FAMILIES if family & own))


def plain(near: frozenset[str]) -> frozenset[str]:
    """Words that are no names: `prod-1 5, dev-2 7` says of both what was said of the first."""
    return frozenset(word for word in near if word == "e2e" or PERCENTILE.match(word) or word.isalpha() or " " in word)


def _columns(text: str, solid: Sequence[Reading]) -> dict[int, frozenset[str]]:
    """For each figure in a table of bars the words at the head of its column."""
    found: dict[int, frozenset[str]] = {}
    if "|" not in text:
        return found
    head: list[frozenset[str]] = []
    start = place = 0
    for line in text.split("\n"):
        end = start + len(line)
        if not line.lstrip().startswith("|"):
            head = []
        elif not head:
            head = [frozenset(concepts(cell[:_REACH])) for cell in line.split("|")[:40]]
        while place < len(solid) and solid[place].start < end:
            column = line.count("|", 0, min(solid[place].start - start, 2000))
            if head and solid[place].start >= start and column < len(head):
                found[solid[place].start] = head[column]
            place += 1
        start = end + 1
    return found


def same_sentence(one: Context, other: Context) -> bool:
    """Whether two figures stand in one sentence."""
    return one.sentence == other.sentence
