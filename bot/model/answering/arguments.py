"""Checks what the model wants to call, after putting right what vLLM's gemma4 parsers are known to leave wrong."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from bot.errors import ModelMovesNext
from bot.model.answering.control_tokens import without_control_tokens
from bot.model.answering.fitting import cleaned_names, fitted_to, resolved, types_of
from bot.nouns import Tool

_SHOWN = 80
"""Characters of a wrong value that are repeated to the model."""


def checked_arguments(name: str, arguments: object, tools: Sequence[Tool]) -> tuple[dict[str, Any], bool]:
    """The arguments, fit for the tool of this name, and whether anything had to be put right.

    Raises ModelMovesNext with the words that the model is told: no such tool, no object, or which argument does not fit and why.
    """
    tool = _tool(name, tools)
    if not isinstance(arguments, Mapping):
        raise ModelMovesNext(f"The arguments of {name} are not a JSON object. {_expected(tool)}")
    cleaned = cleaned_names(arguments)
    fitted = fitted_to(cleaned, tool.parameters, tool.parameters)
    error = best_match(Draft202012Validator(tool.parameters).iter_errors(fitted))
    if error is not None:
        raise ModelMovesNext(f"{name} was not called: {_wrong(error)}. {_expected(tool)}")
    return dict(fitted), fitted != dict(arguments)


def _tool(name: str, tools: Sequence[Tool]) -> Tool:
    """The tool of this name. Raises ModelMovesNext that names those there are."""
    for tool in tools:
        if tool.name == name:
            return tool
    names = [tool.name for tool in tools]
    near = get_close_matches(name, names, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    there = f"The tools are: {', '.join(names)}." if names else "There are no tools now: answer in words."
    raise ModelMovesNext(f"There is no tool {_short(name)}.{meant} {there}")


def _wrong(error: ValidationError) -> str:
    """Which argument does not fit and why, in one short sentence."""
    wanted: object = error.validator_value
    place = "/".join(str(step) for step in error.absolute_path)
    if error.validator == "type":
        kinds = wanted if isinstance(wanted, list) else [wanted]
        said = f"must be {' or '.join(map(str, kinds))}, not {_short(error.instance)}"
    elif error.validator == "enum" and isinstance(wanted, list):
        said = f"must be one of {', '.join(map(json.dumps, wanted))}, not {_short(error.instance)}"
    else:
        said = _short(error.message, 200)
    return f"{place} {said}" if place else said


def _short(value: object, most: int = _SHOWN) -> str:
    """The value as JSON text or the words themselves, cut and without control tokens."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    plain = " ".join(without_control_tokens(text).split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _expected(tool: Tool) -> str:
    """The arguments of a tool in one line: `limit (integer), namespace (string, required)`."""
    schema = tool.parameters
    needed = schema.get("required", ())
    each = [
        f"{name} ({_values(resolved(part, schema), schema)}{', required' if name in needed else ''})"
        for name, part in schema.get("properties", {}).items()
    ]
    return f"{tool.name} takes: {', '.join(each)}." if each else f"{tool.name} takes no arguments."


def _values(part: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """What an argument may be: its choices, else its types."""
    choices = part.get("enum")
    return " or ".join(map(str, choices) if isinstance(choices, list) else types_of(part, root)) or "any"
