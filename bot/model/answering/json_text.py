"""JSON that a model wrote, read without its surprises."""

import json
from typing import Any, NoReturn


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def read_json(text: str) -> Any:
    """The value. Line breaks inside strings are taken as they are. ValueError for anything else that is no JSON.

    That includes NaN and Infinity, which Python would take, and nesting that is too deep for it.
    """
    try:
        return json.loads(text, strict=False, parse_constant=_refused)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def same_json(value: object) -> str:
    """The value as text that is equal for equal values: names sorted, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def as_json(value: object) -> str:
    """The value as text, in its own order, the same each time."""
    return json.dumps(value, separators=(", ", ": "), ensure_ascii=False, default=str)
