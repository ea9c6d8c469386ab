"""Plain data as YAML, for manifests that people read: only what every reader of YAML takes the same way."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z/][A-Za-z0-9./_-]*")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
"""Words that some readers take for something else than text."""


def yaml_text(value: Mapping[str, Any]) -> str:
    """One document. Text that is not surely text stands in double quotes, as JSON writes it; YAML reads those the same."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [line for key, inner in value.items() for line in _entry(f"{_scalar(str(key))}:", inner)]
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return [line for inner in value for line in _item(inner)]
    return [_scalar(value)]


def _entry(head: str, inner: Any) -> list[str]:
    if isinstance(inner, str | int | float | bool) or inner is None or not inner:
        return [f"{head} {_scalar(inner)}"]
    return [head, *(f"  {line}" for line in _lines(inner))]


def _item(inner: Any) -> list[str]:
    first, *rest = _lines(inner)
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return "".join(map(_seen, json.dumps(value, ensure_ascii=False)))


def _seen(char: str) -> str:
    """What is no visible character by its number: YAML takes some of them for the end of a line."""
    return char if char.isprintable() else f"\\U{ord(char):08X}"
