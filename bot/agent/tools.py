"""The operations as tools: what the model is shown of them, and its calls as a person would have typed them."""

import shlex
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic.fields import FieldInfo

from bot.errors import ModelMovesNext, UsageError
from bot.nouns import Effect, Tool, ToolCall
from bot.operations import command_line
from bot.operations.operation import AnyOperation, Registry
from bot.operations.values import REST

SMALL_WINDOW: Final = 16_384
"""Tokens below which only the small set is shown (design: ten tools or fewer)."""

SMALL_SET: Final = (
    *("status", "metrics", "changes", "logs", "errors"),
    *("machine", "memory", "hardware", "cost", "engine.restart"),
)
"""What incidents need most. Those that do not exist yet are left out."""

LARGE_SET: Final = (
    *("status", "metrics", "changes", "logs", "errors", "health", "machine", "machines", "memory", "hardware"),
    *("model", "cost", "zones", "engine.status", "engine.restart", "change", "rollback", "machine.start", "machine.destroy"),
)
"""What a question may need. It is a choice and not the whole table: every tool stands in the prompt of every call."""

VALUE_LIMIT: Final = 300
"""Characters of one value of a call."""


def toolset(registry: Registry, window: int) -> tuple[Tool, ...]:
    """The tools for a window of so many tokens, always the same ones in the same order for one registry.

    Only operations that are marked as tools. What changes something is among them only if it asks a person first.
    """
    wanted = SMALL_SET if window < SMALL_WINDOW else LARGE_SET
    by_path = {one.path: one for one in registry if one.tool and (one.effect is Effect.READS or one.preview is not None)}
    return tuple(_tool(by_path[path]) for path in wanted if path in by_path)


def name_of(operation: AnyOperation) -> str:
    """`machine.create` as a model may call it: `machine_create`."""
    return operation.path.replace(".", "_")


def operation_of(registry: Registry, name: str) -> AnyOperation:
    """The operation behind a tool. Raises ModelMovesNext when there is none that a model may use."""
    for operation in registry:
        if operation.tool and name_of(operation) == name:
            return operation
    raise ModelMovesNext(f"There is no tool {name[:64]}.")


def _tool(operation: AnyOperation) -> Tool:
    asks = "" if operation.effect is Effect.READS else " Asks a person for a yes first."
    properties = {name.rstrip("_"): _property(field) for name, field in operation.arguments.model_fields.items()}
    required = [name.rstrip("_") for name, field in operation.arguments.model_fields.items() if field.is_required()]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return Tool(name=name_of(operation), description=operation.summary + asks, parameters=schema)


def _property(field: FieldInfo) -> dict[str, Any]:
    """A value in the form in which people type it: `4h`, not seconds. Flat, for nested arguments are what parsers lose."""
    form = command_line.form_of(field)
    if form is not None:
        return {"type": "string", "description": f"{form.name}, as {form.example}"}
    if field.annotation is bool:
        return {"type": "boolean"}
    choices = [one for part in (field.annotation, *get_args(field.annotation)) for one in _choices(part)]
    return {"type": "string", "enum": choices} if choices else {"type": "string"}


def _choices(kind: object) -> list[str]:
    """The words of a Literal or an enumeration."""
    members = getattr(kind, "__members__", None)
    if isinstance(members, Mapping):
        return [str(member.value) for member in members.values()]
    return [str(one) for one in get_args(kind) if isinstance(one, str)]


def typed(registry: Registry, call: ToolCall) -> str:
    """The call in the words that a person would type, so that it goes through the same gate.

    Raises ModelMovesNext when the words would not mean what was called.
    """
    operation = operation_of(registry, call.name)
    fields = operation.arguments.model_fields
    named: list[str] = []
    bare: list[str] = []
    last: list[str] = []
    for given, value in (call.arguments or {}).items():
        name = given if given in fields else f"{given}_"
        if name not in fields or value is None or value is False or value == "":
            continue
        said = shlex.quote(f"--{given}" if value is True else f"--{given}={str(value)[:VALUE_LIMIT]}")
        (last if command_line.form_of(fields[name]) is REST else named).append(said)
        bare.append(given if value is True else shlex.quote(str(value)[:VALUE_LIMIT]))
    exact = " ".join((*operation.words, *named, *last))
    found = command_line.find(registry, command_line.words_of(exact))
    if found is None or found[0].path != operation.path:
        raise ModelMovesNext(f"These arguments of {call.name} cannot be said. Use plain values.")
    short = " ".join((*operation.words, *bare))
    return short if not last and _means_the_same(registry, short, exact) else exact


def _means_the_same(registry: Registry, one: str, other: str) -> bool:
    """Whether people may be shown the shorter way to say it."""
    try:
        return same_call(registry, one) == same_call(registry, other)
    except UsageError:
        return False


def same_call(registry: Registry, line: str) -> str:
    """What a call means, the same for all ways to write it: to refuse it the second time. Raises UsageError."""
    parsed = command_line.parse(registry, line)
    return f"{parsed.operation.path} {parsed.arguments.model_dump_json()}"
