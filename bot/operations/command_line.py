"""From what somebody typed to an operation and its arguments; and from an operation to its usage."""

import difflib
import re
import shlex
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from bot.errors import UsageError
from bot.operations.operation import AnyOperation, Arguments, Registry
from bot.operations.planned import PLANNED, not_yet
from bot.operations.values import NAME, REST, SENTENCE, Form, Thing

LENGTH_LIMIT = 4000
"""Characters of a command that are read; Slack itself sends no more."""

_PHONE = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"',
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u200b": "", "\ufeff": "", "\u2011": "-", "\u2010": "-", "\u2212": "-",
})  # fmt: skip
_OPTION_DASH = re.compile(r"^[\u2013\u2014\u2015](?=[a-z])", re.I)
_RANGE_DASH = re.compile(r"[\u2013\u2014\u2015]")
_LONE = "-\u2013\u2014\u2015"
"""A dash that stands alone is punctuation, not a word."""
_DRESS = re.compile(r"^[*_~`]+|[*_~`]+$")


@dataclass(frozen=True)
class Parsed:
    """An operation with its validated arguments."""

    operation: AnyOperation
    arguments: Arguments


class MissingNameError(UsageError):
    """A name of something that is there was left out: which kind of thing is `thing`."""

    def __init__(self, operation: AnyOperation, failed: str, thing: Thing) -> None:
        """The usage, for where the names cannot be learnt."""
        super().__init__(failed, usage=usage(operation), next_step=f"For example: /gemma {operation.example}")
        self.operation = operation
        self.thing = thing


def normalise(typed: str) -> str:
    """Undo what phone keyboards and chat formatting make of plain words: dashes, curly quotes, bold, backticks."""
    bare = (_DRESS.sub("", word) for word in typed[:LENGTH_LIMIT].translate(_PHONE).split())
    return " ".join(_RANGE_DASH.sub("-", _OPTION_DASH.sub("--", word)) for word in bare if word.strip(_LONE))


def words_of(typed: str) -> list[str]:
    """The words, quoted ones together; a lone quote is only a character."""
    plain = normalise(typed)
    try:
        return shlex.split(plain)
    except ValueError:
        return plain.split()


def find(registry: Registry, words: list[str]) -> tuple[AnyOperation, list[str]] | None:
    """The operation with the longest path that the words begin with, and the words after it."""
    lowered = [word.lower() for word in words]
    for length in range(min(3, len(words)), 0, -1):
        path = ".".join(lowered[:length])
        for operation in registry:
            if operation.path == path:
                return operation, words[length:]
    if not words:
        return next(((operation, words) for operation in registry if operation.path == ""), None)
    return None


ALIKE, SURELY_ALIKE = 0.6, 0.75
"""Of `difflib`, 0 to 1: a lone word that may be a slip of the fingers, and one inside what reads like a sentence. Our choice:
"statsu" is 0.83 from "status", "what" 0.60 from "health"."""


def near(registry: Registry, word: str, cutoff: float = ALIKE) -> tuple[str, ...]:
    """Up to three words of the table that were meant perhaps: the same beginning first, then alike ones."""
    known = sorted({operation.words[0] for operation in registry if operation.path and not operation.hidden})
    low = word.lower()
    begins = [name for name in known if low and name.startswith(low)]
    alike = difflib.get_close_matches(low, known, n=3, cutoff=cutoff)
    return tuple(dict.fromkeys(begins + alike))[:3]


def is_question(words: list[str]) -> bool:
    """Three words or more, or a question mark: somebody asks in plain words."""
    return len(words) >= 3 or any("?" in word for word in words)


def parse(registry: Registry, typed: str) -> Parsed:
    """The operation and its arguments. Raises UsageError with near names or the usage when the words make none."""
    words = words_of(typed)
    found = find(registry, words)
    if found is None and words and words[0].lower() in PLANNED:
        raise not_yet(words[0].lower())
    found = found or _by_prefix(registry, words)
    if found is None:
        return _question(registry, typed, words)
    operation, rest = found
    if _sentence_of(operation) is not None:
        return _told(operation, " ".join(typed[:LENGTH_LIMIT].split()[len(operation.words) :]))
    return Parsed(operation, _arguments(operation, rest))


def _question(registry: Registry, typed: str, words: list[str]) -> Parsed:
    """What matches no word and reads like a question is one. Raises UsageError for everything else."""
    asks = next((one for one in registry if _sentence_of(one) is not None), None)
    close = near(registry, words[0][:40], SURELY_ALIKE if is_question(words) else ALIKE)
    if asks is None or close or not is_question(words):
        raise _unknown(registry, words)
    return _told(asks, typed[:LENGTH_LIMIT].strip())


def _sentence_of(operation: AnyOperation) -> str | None:
    """The name of the field that takes all that was typed behind the word, if there is one."""
    fields = operation.arguments.model_fields
    return next((name for name, field in fields.items() if form_of(field) is SENTENCE), None)


def _told(operation: AnyOperation, sentence: str) -> Parsed:
    """All of it is one value, as it was typed."""
    field = _sentence_of(operation) or ""
    return Parsed(operation, _validated(operation, {field: sentence} if sentence else {}))


def _by_prefix(registry: Registry, words: list[str]) -> tuple[AnyOperation, list[str]] | None:
    """A first word of three letters or more that begins only one word of the table means that one."""
    first = words[0].lower() if words else ""
    candidates = {op.words[0] for op in registry if op.path and not op.hidden and op.words[0].startswith(first)}
    if len(first) < 3 or len(candidates) != 1 or (is_question(words) and len(words) > 3):
        return None
    return find(registry, [candidates.pop(), *words[1:]])


def _unknown(registry: Registry, words: list[str]) -> UsageError:
    first = words[0][:40]
    asks = is_question(words)
    close = near(registry, first, SURELY_ALIKE if asks else ALIKE)
    hint = f"Did you mean {' or '.join(close)}?" if close else "Type /gemma help to see what can be asked."
    return UsageError(f"I do not know the word “{first}”.", near=close, next_step=hint)


def form_of(field: FieldInfo) -> Form | None:
    """The form by which a field's values are known, if they are; also of a field that may be left out (`ZoneName | None`)."""
    inside = (meta for part in get_args(field.annotation) for meta in getattr(part, "__metadata__", ()))
    return next((meta for meta in (*field.metadata, *inside) if isinstance(meta, Form)), None)


def _arguments(operation: AnyOperation, words: list[str]) -> Arguments:
    given: dict[str, Any] = {}
    fields = operation.arguments.model_fields
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        key, value = _keyed(word, fields, waiting)
        if key is None:
            key = _by_form(operation, word, given)
            value = "true" if _is_switch(fields[key]) else word
        if key in given:
            raise _usage(operation, f"“{key}” is given twice.")
        given[key] = value
    return _validated(operation, given)


def _keyed(word: str, fields: dict[str, FieldInfo], waiting: list[str]) -> tuple[str | None, str]:
    """`key=value`, `--key value`, `--key=value`, and `key value` when the word is the name of a field."""
    dashed = word.startswith("--")
    name, eq, value = word.removeprefix("--").partition("=")
    key = name.lower().replace("-", "_")
    key = f"{key}_" if f"{key}_" in fields else key  # `for` is a word of Python's own
    if key not in fields or not (dashed or eq or form_of(fields[key]) is not NAME):
        return None, word
    if form_of(fields[key]) is REST:
        rest = " ".join([value, *waiting] if eq else waiting)
        waiting.clear()
        return key, rest
    if eq:
        return key, value
    if _is_switch(fields[key]) and not (waiting and waiting[0].lower() in {"true", "false", "yes", "no"}):
        return key, "true"
    return (key, waiting.pop(0)) if waiting else (key, "")


def _is_switch(field: FieldInfo) -> bool:
    return field.annotation is bool


def _by_form(operation: AnyOperation, word: str, given: dict[str, Any]) -> str:
    """The first free field whose form the word has; names last, for nearly everything looks like a name."""
    fields: dict[str, FieldInfo] = operation.arguments.model_fields
    if word.lower() in fields and _is_switch(fields[word.lower()]):
        return word.lower()
    free = [(key, form) for key, field in fields.items() if key not in given and (form := form_of(field)) is not None]
    for key, form in sorted(free, key=lambda pair: pair[1] is NAME):
        if form not in (REST, SENTENCE) and form.matches(word):
            return key
    raise _usage(operation, f"I do not know what “{word[:40]}” means for {' '.join(operation.words) or 'this'}.")


def _validated(operation: AnyOperation, given: dict[str, Any]) -> Arguments:
    fields = operation.arguments.model_fields
    read: dict[str, Any] = {}
    for key, value in given.items():
        form = form_of(fields[key])
        if form is not None and not value:
            raise _usage(operation, f"“{key}” needs a value, such as {form.example}.")
        if form is not None and not form.matches(value):
            raise _usage(operation, f"“{value[:40]}” is not a {form.name}, such as {form.example}.")
        try:
            read[key] = form.read(value) if form is not None else value
        except ValueError as error:
            raise _usage(operation, f"“{value[:40]}” is not a {form.name if form else key}.") from error
    try:
        arguments: Arguments = operation.arguments.model_validate(read)
    except ValidationError as error:
        first = error.errors()[0]
        where = str(first["loc"][0]) if first["loc"] else "value"
        thing = next((meta for meta in fields[where].metadata if isinstance(meta, Thing)), None) if where in fields else None
        if first["type"] == "missing" and thing is not None and len(error.errors()) == 1:
            raise MissingNameError(operation, f"“{where}” is missing.", thing) from error
        if first["type"] == "missing":
            raise _usage(operation, f"“{where}” is missing.") from error
        raise _usage(operation, f"“{str(given.get(where, ''))[:40]}” is not a valid {where}.") from error
    return arguments


def _usage(operation: AnyOperation, failed: str) -> UsageError:
    return UsageError(failed, usage=usage(operation), next_step=f"For example: /gemma {operation.example}")


def usage(operation: AnyOperation) -> str:
    """How it is typed: `/gemma memory [model] [slice]`, required values without brackets."""
    parts = ["/gemma", *operation.words]
    for name, field in operation.arguments.model_fields.items():
        shown = name.rstrip("_") if form_of(field) is not None else f"{name}=…"
        parts.append(shown if field.is_required() else f"[{shown}]")
    return " ".join(parts)
