"""Time between two moments: `ends at 04:20, in 6 h 20 min`, `answers since 19:47, 42 min later`."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.evidence.context import Context
from bot.evidence.facts import Fact
from bot.evidence.index import Index
from bot.evidence.judge import may_be
from bot.evidence.reading import Kind, Reading

_BEHIND = re.compile(r"\s?(?:later|after|before|earlier|ago|left|old|to go|remaining|until|from now|long)\b", re.IGNORECASE)
_AHEAD = re.compile(
    r"\b(?:in|after|for|within|left|up|another|old|took|lasted|ran)\s(?:(?:about|almost|nearly|roughly)\s|[~≈]\s?)?$", re.I
)
_FROM_NOW = re.compile(r"\s?(?:ago|left|to go|remaining|from now)\b", re.IGNORECASE)
_MOST = 400
_NEAR = 4
"""Figures before and behind a duration among which its moment stands."""


def elapsed(text: str, readings: Sequence[Reading], contexts: Sequence[Context], place: int, index: Index) -> str | None:
    """What two times of the results a duration lies between, one of them told beside it or the time of measuring."""
    reading = readings[place]
    ahead = _AHEAD.search(text, max(0, reading.start - 20), reading.start)
    if not reading.amounts or reading.amounts[0].dimension != "time" or not (ahead or _BEHIND.match(text, reading.end)):
        return None
    others = {f.instant for f in index.facts.moments[:_MOST] if f.instant and _allowed(contexts[place], f)}
    told = _told(readings, contexts, place, index)
    if not told and (_FROM_NOW.match(text, reading.end) or (ahead and ahead[0].startswith(("in", "In")))):
        told = {f.instant for f in index.measured() if f.instant}
    step = reading.amounts[0].step
    slack = step if step < 30 else step + 30
    for one, other in itertools.product(told, others):
        if one != other and abs(_seconds(one, other) - reading.amounts[0].value) <= slack:
            return f"time between {one:%H:%M} and {other:%H:%M}"
    return None


def _told(readings: Sequence[Reading], contexts: Sequence[Context], place: int, index: Index) -> set[datetime]:
    """The times of the results that are said beside the duration."""
    found: set[datetime] = set()
    for at in range(max(0, place - _NEAR), min(len(readings), place + _NEAR + 1)):
        reading = readings[at]
        if reading.kind is Kind.MOMENT and reading.moment and contexts[at].sentence == contexts[place].sentence:
            found |= {f.instant for f in index.moments_agreeing(reading.moment) if f.instant}
    return found


def _allowed(context: Context, fact: Fact) -> bool:
    return may_be(fact, replace(context, near=frozenset(), stage=""))


def _seconds(one: datetime, other: datetime) -> float:
    return abs((one - other).total_seconds())
