"""What a Web API method is here, and the facts of each (arguments, scopes, tier) from `data/methods.json`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from sandbox.slack.backend import Backend
from sandbox.slack.interaction import Interactions
from sandbox.slack.refusal import Json, Refused, invalid_arguments


@dataclass(slots=True)
class Call:
    """One call of a method: its arguments, already decoded, and what it may touch."""

    method: str
    args: Json
    backend: Backend
    interactions: Interactions

    def text(self, name: str) -> str | None:
        """A string argument; None when absent. Numbers are taken as their digits, as form bodies do."""
        value = self.args.get(name)
        return None if value is None else str(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean argument, in JSON or form spelling."""
        value = self.args.get(name, default)
        return value if isinstance(value, bool) else str(value).lower() in {"1", "true"}

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number within bounds. Refused("invalid_limit") otherwise."""
        try:
            value = int(self.args.get(name) or default)
        except (TypeError, ValueError):
            raise Refused("invalid_limit") from None
        if not low <= value <= high:
            raise Refused("invalid_limit")
        return value

    def structure(self, name: str, error: str) -> Any:
        """A JSON argument, given as JSON or as text that holds JSON. Refused(error) when it is neither."""
        value = self.args.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise Refused(error) from None

    def items(self, name: str, error: str) -> list[Json]:
        """A JSON list of objects; empty when absent. Refused(error) for anything else."""
        value = self.structure(name, error) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise Refused(error)
        return value


Handler = Callable[[Call], Json]


@dataclass(frozen=True, slots=True)
class Facts:
    """What Slack publishes of a method. `per_minute` is None for "special" limits."""

    args: frozenset[str]
    required: tuple[str, ...]
    scopes: tuple[str, ...]
    per_minute: int | None
    errors: frozenset[str]


@cache
def facts() -> dict[str, Facts]:
    """By method name; derived from Slack's method pages of May 2026."""
    raw = json.loads(resources.files("sandbox.slack").joinpath("data/methods.json").read_text())
    return {
        name: Facts(frozenset(m["args"]), tuple(m["required"]), tuple(m["scopes"]), m["per_minute"], frozenset(m["errors"]))
        for name, m in raw.items()
    }


OPTIONAL_AFTER_ALL = {
    ("chat.appendStream", "markdown_text"),  # chunks may stand for it
    ("assistant.threads.setSuggestedPrompts", "thread_ts"),  # not sent in the Messages tab of agent_view apps
}
MISSING = {
    ("usergroups.users.list", "usergroup"): "no_such_subteam",
    ("users.info", "user"): "user_not_found",
    ("files.getUploadURLExternal", "filename"): "missing_argument",
    ("files.getUploadURLExternal", "length"): "missing_argument",
}
"""Methods that answer a missing argument with a code of their own (from memory; the rest says invalid_arguments)."""


def check_required(method: str, args: Json) -> None:
    """Refuses a call that lacks an argument."""
    for name in facts()[method].required:
        if (method, name) in OPTIONAL_AFTER_ALL or args.get(name) not in (None, ""):
            continue
        if name == "status" and args.get(name) == "":
            continue
        own = MISSING.get((method, name))
        raise Refused(own) if own else invalid_arguments(f"missing required field: {name}")
