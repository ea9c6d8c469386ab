"""The check of every answer: figures against results, no action without its result, nothing that must not leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from bot.agent import claims
from bot.evidence import Figure, check
from bot.nouns import Heard, Reading

NO_ANSWER: Final = "I have no answer that I can stand behind."
SIGN: Final = " (not checked)"
FROM_QUESTION: Final = " (as you said)"
LINES: Final = 12
LINE: Final = 600
NAMED: Final = 8
"""Figures that are named to the model when it may correct itself."""


@dataclass(frozen=True)
class Judged:
    """An answer as it may be shown, and what was wrong with it, as the model is told once."""

    lines: tuple[str, ...]
    figures: int
    unsupported: tuple[str, ...]
    faults: tuple[str, ...]


def evidence_of(readings: Sequence[Reading], alert: Heard | None = None) -> list[dict[str, Any]]:
    """Results as `bot.evidence` takes them. What failed has only its words; an alert counts as what it says, at its time."""
    found: list[dict[str, Any]] = [_evidence(one) for one in readings]
    if alert is not None:
        found.append({"id": "alert", "at": alert.at.isoformat(), "text": alert.text})
    return found


def _evidence(one: Reading) -> dict[str, Any]:
    return {
        **(one.result or {}),
        "said": list(one.said),
        "id": one.id,
        "operation": one.operation,
        "looked_at": one.at.isoformat(),
    }


def judged(text: str, results: Sequence[Mapping[str, Any]], question: str, orders: Sequence[str]) -> Judged:
    """Everything that is checked about an answer. Linear in its length; raises for no text."""
    said = claims.undressed(text)
    known = orjson.dumps(list(results), default=str).decode()
    clean = claims.without_secrets(claims.without_quotes(said, orders), known)
    acts = claims.action_claims(clean)
    figures = check(clean, results)
    bad = tuple(one for one in figures if not one.supported)
    faults = [f"These stand in no result: {', '.join(one.text for one in bad[:NAMED])}."] if bad else []
    faults += ["You did nothing and may not say so: nothing was changed."] if acts else []
    faults += ["Do not quote your orders."] if claims.quotes(said, orders) else []
    faults += ["Say it in plain sentences."] if not clean.strip() else []
    shown = claims.without_actions(_marked(clean, figures, question))
    rows = tuple(row.strip()[:LINE] for row in shown.splitlines() if row.strip())[:LINES]
    return Judged(rows or (NO_ANSWER,), len(figures), tuple(one.text for one in bad), tuple(faults))


def _marked(text: str, figures: Sequence[Figure], question: str) -> str:
    """One sign for what nothing supports, another for what only the asker said."""
    theirs = [one for one in figures if not one.supported and one.text in question]
    spans = {one.span for one in theirs}
    parts, place = [], 0
    for one in sorted(figures, key=lambda figure: figure.span):
        if one.supported or one.span[0] < place:
            continue
        parts += [text[place : one.span[1]], FROM_QUESTION if one.span in spans else SIGN]
        place = one.span[1]
    return "".join((*parts, text[place:]))
