"""“Are you sure?”: everything is read again, and each figure of the last answer is told as measured, dated or not checked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.agent.checked import FROM_QUESTION, QUOTED, SIGN, known_of
from bot.agent.lookups import LookUps
from bot.evidence import Figure, check
from bot.nouns import Answer, Exchange, Reading
from bot.ports import Inquiry

_IT = r"(?: (?:about|of)? ?(?:that|this|it))?"
_AGAIN = rf"(?:double[- ]?check|check again|verify){_IT}"
_SURE = re.compile(
    rf"\W*(?:(?:are|r) (?:you|u) (?:really |absolutely |quite )?(?:sure|certain){_IT}|really|sure|you sure{_IT}"
    rf"|is that (?:right|true|correct)|did you check{_IT}|(?:please )?{_AGAIN}(?:,? please)?)\W*",
    re.IGNORECASE,
)
DATED: Final = frozenset({"hardware", "memory", "cost", "zones", "budget"})
"""Operations whose figures come from tables and price lists with a date, not from something measured just now."""
FIGURES: Final = 10


def asks_if_sure(question: str) -> bool:
    """Whether somebody doubts the answer before, and asks nothing else."""
    return len(question) < 80 and _SURE.fullmatch(question) is not None


async def sure(look_ups: LookUps, inquiry: Inquiry) -> Answer:
    """Needs no model: the last answer of this thread is held against what is read now."""
    last = inquiry.earlier[-1]
    said = last.answer.replace(SIGN, "").replace(FROM_QUESTION, "").replace(QUOTED, "")
    again = [await look_ups.again(inquiry, one) for one in last.readings if one.result is not None]
    then, now = check(said, known_of(last.readings, inquiry.root).measured), check(said, known_of(again).measured)
    holds = {one.span for one in now if one.supported}
    rows = list(_rows(then, holds, last, again))
    unsupported = tuple(one.text for one in then if not one.supported)
    lost = [one for one in then if one.supported and one.span not in holds]
    failed = {one.id for one in again if one.failed}
    unread = sum((found := _reading(one, last.readings)) is not None and found.id in failed for one in lost)
    lines = (_verdict(len(then), len(lost) - unread, unread, len(unsupported)), *rows[:FIGURES])
    sources = tuple(dict.fromkeys(one.operation.split(".")[0] for one in again if not one.failed))
    return Answer(
        lines=lines,
        readings=tuple(again),
        sources=sources,
        figures=len(then),
        unsupported=unsupported,
        read_again=True,
        model=inquiry.deployment.name,
    )


def _verdict(figures: int, changed: int, unread: int, unsupported: int) -> str:
    if not figures:
        return "I read everything again; there was no figure in that answer to check."
    hold = figures - changed - unread - unsupported
    parts = [f"{hold} of {figures} figures hold"]
    parts += [f"{changed} changed since"] if changed else []
    parts += [f"{unread} could not be read again"] if unread else []
    parts += [f"{unsupported} stood in no result: do not rely on them"] if unsupported else []
    return f"I read everything again: {', '.join(parts)}."


def _rows(then: Sequence[Figure], holds: set[tuple[int, int]], last: Exchange, again: Sequence[Reading]) -> Iterator[str]:
    """One line for each figure, each figure once."""
    read_at = {one.operation: one.at for one in again if not one.failed}
    told: set[str] = set()
    for figure in sorted(then, key=lambda one: _rank(one, one.span in holds, last)):
        if figure.text in told:
            continue
        told.add(figure.text)
        yield f"{figure.text}: {_standing(figure, figure.span in holds, last, read_at)}"


def _rank(figure: Figure, holds: bool, last: Exchange) -> int:
    """What is wrong first, then what was measured, and names last."""
    if not (figure.supported and holds):
        return 0
    return 1 if _reading(figure, last.readings) is not None else 2


def _standing(figure: Figure, holds: bool, last: Exchange, read_at: Mapping[str, datetime]) -> str:
    if not figure.supported:
        return "not checked: no field of a result says it"
    source = _reading(figure, last.readings)
    if source is None:
        where = "the alert" if (figure.by or "").startswith("alert") else "computed or named in the results"
        return f"{where}{'' if holds else ', by now no longer so'}"
    when = read_at.get(source.operation)
    later = (
        "; could not be read again" if when is None else f"; read again at {when:%H:%M} UTC: {'the same' if holds else 'changed'}"
    )
    if source.operation.split(".")[0] in DATED:
        return f"from a dated source ({_source_of(figure, source) or source.operation}){later}"
    return f"measured ({source.operation}, {source.at:%H:%M} UTC){later}"


def _reading(figure: Figure, readings: Sequence[Reading]) -> Reading | None:
    head = (figure.by or "").partition(".")[0]
    return next((one for one in readings if one.id == head), None)


def _source_of(figure: Figure, reading: Reading) -> str | None:
    """What the quantity itself says of where it comes from."""
    place: Any = reading.result
    found = None
    for key in (figure.by or "").split(".")[1:]:
        if isinstance(place, dict):
            found = place.get("source", found)
            place = place.get(key)
        elif isinstance(place, list) and key.isdigit() and int(key) < len(place):
            place = place[int(key)]
        else:
            break
    found = place.get("source", found) if isinstance(place, dict) else found
    return found if isinstance(found, str) else None
