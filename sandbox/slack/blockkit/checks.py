"""The words the rules are written in. A check takes a value and its JSON pointer and yields what is wrong, in Slack's manner."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Problem = tuple[str, str]
"""What is wrong, and the JSON pointer to where."""
Check = Callable[[Any, str], Iterator[Problem]]


def string(most: int, least: int = 1) -> Check:
    """Text of so many characters."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield "must be a string", at
        elif len(value) < least:
            yield f"must be more than {least - 1} characters", at
        elif len(value) > most:
            yield f"must be less than {most + 1} characters", at

    return check


def boolean(value: Any, at: str) -> Iterator[Problem]:
    """True or false."""
    if not isinstance(value, bool):
        yield "must be a boolean", at


def integer(low: int, high: int) -> Check:
    """A whole number within bounds."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield "must be an integer", at
        elif not low <= value <= high:
            yield f"must be between {low} and {high}", at

    return check


def choice(*allowed: str) -> Check:
    """One of some words."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if value not in allowed:
            yield f"must be one of {', '.join(allowed)}", at

    return check


def anything(value: Any, at: str) -> Iterator[Problem]:
    """Not looked into."""
    del value, at
    yield from ()


def items(check_item: Check, most: int, least: int = 1) -> Check:
    """A list of so many things."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield "must be an array", at
            return
        if len(value) < least:
            yield f"must have at least {least} items", at
        if len(value) > most:
            yield f"no more than {most} items allowed", at
        for index, item in enumerate(value[:most]):
            yield from check_item(item, f"{at}/{index}")

    return check


@dataclass(frozen=True, slots=True)
class Shape:
    """An object: the keys it must have, the keys it may have, and nothing else. `also` looks at the object as a whole."""

    required: dict[str, Check]
    optional: dict[str, Check] = field(default_factory=dict)
    also: Check | None = None
    ignored: frozenset[str] = frozenset()

    def __call__(self, value: Any, at: str) -> Iterator[Problem]:
        """What is wrong with it."""
        if not isinstance(value, dict):
            yield "must be an object", at
            return
        for key in self.required:
            if value.get(key) is None:
                yield f"missing required field: {key}", at
        for key, inner in value.items():
            check = self.required.get(key) or self.optional.get(key)
            if check is None and key not in self.ignored:
                yield f"invalid additional property: {key}", at
            elif check is not None and inner is not None:
                yield from check(inner, f"{at}/{key}")
        if self.also:
            yield from self.also(value, at)


def type_of(value: Any) -> str:
    """The `type` of an object; empty when it has none."""
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def by_type(shapes: "dict[str, Shape]", allowed: frozenset[str], what: str) -> Check:
    """An object whose `type` says which shape it has; only some types are allowed here."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        kind = type_of(value)
        if kind not in allowed or kind not in shapes:
            yield f"unsupported type: {kind} ({what})", at
            return
        yield from shapes[kind](value, at)

    return check


def at_least_one(*keys: str) -> Check:
    """An object that has one of these keys at the least."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if not any(value.get(key) for key in keys):
            yield f"missing required field: {' or '.join(keys)}", at

    return check


def exactly_one(*keys: str) -> Check:
    """An object that has one of these keys and no second."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if sum(value.get(key) is not None for key in keys) != 1:
            yield f"exactly one of {' and '.join(keys)} is needed", at

    return check
