"""Results as the model gets them: without what it cannot use, and never larger than its share of the window."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from bot.diagnosis.secrets import redact
from bot.diagnosis.token_bound import token_bound
from bot.nouns import Reading

SERIES: Final = 12
"""Numbers in a row that are a curve, which the model is not given: what it says of a time stands in the figures beside it."""
KEPT_BYTES: Final = 24_000
"""Of one result that is stored: far more than any window takes, far less than hurts Redis."""
SHAPES: Final = ((30, 500), (14, 240), (7, 140), (4, 90), (2, 60))
"""(entries of a list, characters of a text), from generous to terse; the first that fits is taken."""
SAID_LINES: Final = 12
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(?:Z|\+00:00)")


def kept(result: Mapping[str, Any]) -> dict[str, Any]:
    """What is stored of a result, and figures are checked against: no curves, no secrets, bounded."""
    slim = _without_curves(dict(result))
    text = redact(orjson.dumps(slim).decode()).text
    try:
        clean = orjson.loads(text)
    except orjson.JSONDecodeError:
        clean = _redacted(slim)
    for entries, letters in (*SHAPES, (1, 40)):
        if len(orjson.dumps(clean)) <= KEPT_BYTES:
            break
        clean = _cut(clean, entries * 4, letters * 4)
    return dict(clean) if isinstance(clean, dict) else {}


def _redacted(value: Any) -> Any:
    """Each text alone, where hiding a secret in the whole would break the JSON."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, dict):
        return {key: _redacted(one) for key, one in value.items()}
    return [_redacted(one) for one in value] if isinstance(value, list) else value


def _without_curves(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_curves(one) for key, one in value.items() if not _curve(one)}
    return [_without_curves(one) for one in value if not _curve(one)] if isinstance(value, list | tuple) else value


def _curve(value: Any) -> bool:
    """A long list of numbers or of points."""
    return isinstance(value, list | tuple) and len(value) > SERIES and all(map(_point, value))


def _point(value: Any) -> bool:
    return value is None or isinstance(value, int | float) or (isinstance(value, list | tuple) and all(map(_point, value)))


def shown(reading: Reading, room: int, now: datetime) -> str:
    """The reading as text of at most `room` tokens: what a person would have seen, then as much of the result as fits."""
    head = f"{reading.id} {reading.words} ({reading.at:%H:%M} UTC)"
    said = "\n".join(reading.said[:SAID_LINES])
    if reading.result is not None:
        for entries, letters in SHAPES:
            body = orjson.dumps(compact(_cut(reading.result, entries, letters), now)).decode()
            text = f"{head}\n{said}\n{body}"
            if token_bound(text) <= room:
                return text
    return within(f"{head}\n{said}", room)


def alone(result: Mapping[str, Any], room: int, now: datetime) -> str:
    """A result that comes without words of its own."""
    for entries, letters in SHAPES:
        text = orjson.dumps(compact(_cut(kept(result), entries, letters), now)).decode()
        if token_bound(text) <= room:
            return text
    return within(text, room)


def brief(reading: Reading, room: int) -> str:
    """What is left of a reading when the window is full: what a person would have seen of it, its first lines."""
    return within(f"{reading.id} {reading.words}\n" + "\n".join(reading.said[:4]), room)


def within(text: str, room: int) -> str:
    """The text, or its beginning and its end: in logs the end matters most. An error as long as a book is cut as well."""
    while token_bound(text) > room and len(text) > 8:
        keep = max(4, int(len(text) * room / token_bound(text) * 0.9))
        half = keep // 3
        text = f"{text[:half]} … {text[-(keep - half) :]}" if keep > 24 else text[:keep]
    return text


def compact(value: Any, now: datetime) -> Any:
    """The same in fewer tokens: nothing empty, quantities as `0.98 s`, times as `02:38`, four digits that count."""
    if isinstance(value, dict):
        if {"value", "unit"} <= value.keys() and len(value) <= 4:
            return f"{_number(value['value'])} {value['unit']}"
        slim = {key: compact(one, now) for key, one in value.items()}
        return {key: one for key, one in slim.items() if one not in (None, "", [], {}, ())}
    if isinstance(value, list | tuple):
        return [compact(one, now) for one in value]
    if isinstance(value, str):
        return _ISO.sub(lambda found: f"{found[2]}" if found[1] == f"{now:%Y-%m-%d}" else f"{found[1]} {found[2]}", value)
    return _number(value)


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    return int(value) if value.is_integer() and abs(value) < 1e15 else float(f"{value:.4g}")


def _cut(value: Any, entries: int, letters: int) -> Any:
    if isinstance(value, dict):
        return {key: _cut(one, entries, letters) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return _cut_list(value, entries, letters)
    if isinstance(value, str) and len(value) > letters:
        return f"{value[: letters // 3]} … {value[-(letters - letters // 3) :]}"
    return value


def _cut_list(value: Sequence[Any], entries: int, letters: int) -> list[Any]:
    found = [_cut(one, entries, letters) for one in value[:entries]]
    return found if len(value) <= entries else [*found, f"and {len(value) - entries} more"]
