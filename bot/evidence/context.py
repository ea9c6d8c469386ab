"""Which words of a sentence belong to which of its figures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.evidence.reading import Kind, Reading
from bot.evidence.words import THINGS, concepts, split_words

_BREAK = re.compile(
    r"(?P<sentence>\n|(?<![\s.]\w)[.!?](?=[\s*_)\"'”]|$))|(?P<colon>:(?=[\s*_]|$))"
    r"|(?P<clause>[;·•|(),]|\s[—–]\s|\b(?:and|but|while|whereas|versus|vs|against|instead of)\b)",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:in|of|on|at|per|from|for|with|to|by|since|until|within|after|before|as|is|are|was|were|out)\b", re.I
)
_CHAIN = re.compile(r"\s*(?:\W{0,4}|(?:(?:to|and|or|then|from)\b)\W{0,3})\s*", re.IGNORECASE)
_CODE = re.compile(r"\b(?:[A-Z]{2,8}|[Cc]ode|[Ss]tatus|[Pp]ort)\s$")
OF = re.compile(r"\s(?:out\s)?of\s")
_REACH = 160
"""Characters around a figure in which its words stand."""


@dataclass(frozen=True)
class Context:
    """The words around one figure.

    `near` stand in its own clause with no other figure in between, `far` anywhere in its sentence; `counts` are the things right
    behind it; `stage` is "before" after `from` and "after" after `to`. `sentence` numbers the sentence.
    """

    near: frozenset[str]
    far: frozenset[str]
    counts: frozenset[str]
    stage: str
    sentence: int


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
    inherited: frozenset[str] = frozenset()
    for index, reading in enumerate(solid):
        left, right = gaps[index], gaps[index + 1]
        near = frozenset(concepts(left.before_next))
        behind = right.behind_previous
        if not left.whole:
            near |= frozenset(concepts(behind))
        if right.whole and index + 2 < len(gaps):
            near |= frozenset(concepts(gaps[index + 2].behind_previous))
        if not near and left.chain:
            near = inherited
        inherited = near
        number, far = sentences[index]
        counts = frozenset[str]() if right.whole else _counted(right.behind_previous)
        by_start[reading.start] = Context(near, far, counts, _stage(left.before_next), number)
    return [by_start.get(reading.start) or _label(text, reading) for reading in readings]


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


def _stage(before: str) -> str:
    words = before.split()[-1:]
    return {"from": "before", "to": "after"}.get(words[0].lower(), "") if words else ""


def same_sentence(one: Context, other: Context) -> bool:
    """Whether two figures stand in one sentence."""
    return one.sentence == other.sentence
