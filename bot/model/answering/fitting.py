"""Puts right what vLLM's gemma4 parsers are known to leave wrong in arguments: quotes in names, numbers as text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.model.answering.control_tokens import has_control_token, without_control_tokens
from bot.model.answering.json_text import read_json

Schema = Mapping[str, Any]
_QUOTES = "\"'`"
_DEPTH = 16
"""Objects and lists inside each other that are looked into."""


def cleaned_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object without quotes and control tokens inside its names, at all depths.

    vLLM's parser makes `{"\\"namespace\\"": "\\"default\\""}` of a call in JSON style [recorded]: where a name had quotes, its
    value loses them too. Of two names that become one the first counts.
    """
    return _cleaned(arguments, 0)


def _cleaned(arguments: Mapping[str, Any], depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in arguments.items():
        name = without_control_tokens(str(key)).strip().strip(_QUOTES).strip()
        found.setdefault(name, _cleaned_value(value, quoted=name != key, depth=depth + 1))
    return found


def _cleaned_value(value: Any, *, quoted: bool, depth: int) -> Any:
    """A value without leaked tokens, and without quotes around it if its name had them."""
    if depth > _DEPTH:
        return value
    if isinstance(value, Mapping):
        return _cleaned(value, depth)
    if isinstance(value, list):
        return [_cleaned_value(one, quoted=quoted, depth=depth + 1) for one in value]
    if not isinstance(value, str):
        return value
    leaked = has_control_token(value)
    plain = without_control_tokens(value) if leaked else value
    around = len(plain) >= 2 and plain[0] == plain[-1] and plain[0] in _QUOTES
    return plain[1:-1] if around and (quoted or leaked) else plain


def fitted_to(value: Any, schema: Schema, root: Schema) -> Any:
    """The value in the type that the schema asks for, where it says the same: "5" as 5, "true" as true, 5 as "5".

    What fits already is not touched, and what cannot be read as the type stays, for the check to name it.
    """
    schema = resolved(schema, root)
    if isinstance(value, Mapping) and "object" in types_of(schema, root):
        properties = _properties(schema, root)
        rest = schema.get("additionalProperties")
        others = rest if isinstance(rest, Mapping) else {}
        return {key: fitted_to(one, properties.get(key, others), root) for key, one in value.items()}
    if isinstance(value, list) and "array" in types_of(schema, root):
        items = _items(schema, root)
        return [fitted_to(one, items, root) for one in value]
    types = types_of(schema, root)
    if not types or _is_of(value, types):
        return value
    for kind in types:
        found, read = _read_as(kind, value)
        if found:
            return fitted_to(read, schema, root) if kind in ("object", "array") else read
    return value


def resolved(schema: Schema, root: Schema) -> Schema:
    """The schema behind `#/$defs/NAME`, as pydantic writes enums and models."""
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        found = root.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {})
        return found if isinstance(found, Mapping) else {}
    return schema


def _ways(schema: Schema, root: Schema) -> Iterator[Schema]:
    """The schema itself and its alternatives."""
    yield schema
    for key in ("anyOf", "oneOf"):
        for way in schema.get(key, ()):
            yield resolved(way, root)


def types_of(schema: Schema, root: Schema) -> list[str]:
    """The types that are allowed, in the schema's order; none when it does not say."""
    found: list[str] = []
    for way in _ways(schema, root):
        said = way.get("type")
        found += [said] if isinstance(said, str) else [str(one) for one in said or ()]
    return found


def _properties(schema: Schema, root: Schema) -> dict[str, Schema]:
    """Name -> schema over all alternatives."""
    return {name: part for way in _ways(schema, root) for name, part in way.get("properties", {}).items()}


def _items(schema: Schema, root: Schema) -> Schema:
    """The schema of a list's entries."""
    return next((way["items"] for way in _ways(schema, root) if isinstance(way.get("items"), Mapping)), {})


_PYTHON = {"string": str, "boolean": bool, "object": Mapping, "array": list, "null": type(None)}


def _is_of(value: Any, types: Sequence[str]) -> bool:
    """Whether it has one of these types already. A boolean is no number, 5.0 is an integer only after reading."""
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int):
        return "integer" in types or "number" in types
    if isinstance(value, float):
        return "number" in types
    return any(isinstance(value, _PYTHON[kind]) for kind in types if kind in _PYTHON)


def _read_as(kind: str, value: Any) -> tuple[bool, Any]:
    """(whether it can be read as this type, the reading)."""
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return True, int(value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return True, json.dumps(value)
    if not isinstance(value, str) or kind == "string":
        return False, None
    return _read_text_as(kind, value.strip())


def _read_text_as(kind: str, text: str) -> tuple[bool, Any]:
    """Text that says a number, a word of JSON, an object or a list."""
    if kind == "null":
        return text.lower() in ("null", "none"), None
    if kind == "boolean":
        return text.lower() in ("true", "false"), text.lower() == "true"
    try:
        read = read_json(text)
    except ValueError:
        return False, None
    if kind == "integer" and isinstance(read, float) and read.is_integer():
        return True, int(read)
    return _is_of(read, [kind]), read
