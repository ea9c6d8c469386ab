"""Cloud Logging's query language, as much of it as the product may use, and nothing that the real one would refuse.

NOT binds closest, then OR, then AND; strings compare without case; a lone string is looked for in every field.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sandbox.google import refusals

LONGEST = 20_000
SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY")
Entry = Mapping[str, Any]
Test = Callable[[Entry], bool]

_TOKEN = re.compile(
    r'\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<op>>=|<=|!=|=~|!~|=|>|<|:)|(?P<mark>[()])|(?P<word>[A-Za-z_][\w.\-/]*|-?\d[\w.\-]*))'
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ROOTS = frozenset({"timestamp", "severity", "logName", "insertId", "resource", "labels"})
_PAYLOADS = frozenset({"textPayload", "jsonPayload", "protoPayload"})
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True)
class Token:
    """A piece of a filter: `kind` is string, op, mark or word; a string is without quotes and escapes."""

    kind: str
    text: str


def parse(written: str) -> Test:
    """The filter as a test of entries. Raises Refusal (INVALID_ARGUMENT) for what is none; an empty filter takes everything."""
    if len(written) > LONGEST:
        raise refusals.invalid(f"Filter is too long: at most {LONGEST} characters are allowed")
    if not written.strip():
        return lambda entry: True
    reader = _Reader(list(_tokens(written)))
    test = reader.conjunction()
    if reader.peek() is not None:
        raise _unparseable(f"syntax error near '{reader.peek()}'")
    return test


def _tokens(written: str) -> Iterator[Token]:
    at = 0
    while written[at:].strip():
        found = _TOKEN.match(written, at)
        if found is None:
            raise _unparseable(f"syntax error at line 1, column {at + 1}, token '{written[at : at + 20].strip()}'")
        kind = str(found.lastgroup)
        yield Token(kind, _unescaped(found[kind][1:-1]) if kind == "string" else found[kind])
        at = found.end()


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise _unparseable(f"unknown escape sequence '\\{match[1]}'")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", one, text)


class _Reader:
    """Recursive descent over tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> Token:
        token = self.peek()
        if token is None:
            raise _unparseable("unexpected end of the filter")
        self._at += 1
        return token

    def _takes(self, kind: str, text: str) -> bool:
        if self.peek() == Token(kind, text):
            self._at += 1
            return True
        return False

    def conjunction(self) -> Test:
        """Terms beside each other mean AND as well."""
        tests = [self._disjunction()]
        while self.peek() not in {None, Token("mark", ")")}:
            self._takes("word", "AND")
            tests.append(self._disjunction())
        return lambda entry: all(test(entry) for test in tests)

    def _disjunction(self) -> Test:
        tests = [self._negation()]
        while self._takes("word", "OR"):
            tests.append(self._negation())
        return lambda entry: any(test(entry) for test in tests)

    def _negation(self) -> Test:
        if self._takes("word", "NOT"):
            inner = self._negation()
            return lambda entry: not inner(entry)
        return self._term()

    def _term(self) -> Test:
        if self._takes("mark", "("):
            inner = self.conjunction()
            self._close()
            return inner
        token = self._next()
        if token.kind == "string":
            return lambda entry: token.text.lower() in "\n".join(_values(entry)).lower()
        if token.kind != "word" or token.text in {"AND", "OR", "NOT"}:
            raise _unparseable(f"syntax error near '{token.text}'")
        following = self.peek()
        if following is None or following.kind != "op":
            raise _unparseable(f"the word '{token.text}' stands alone; quote it to search for it")
        self._at += 1
        return self._compared(token.text, following.text)

    def _compared(self, field: str, op: str) -> Test:
        if not self._takes("mark", "("):
            return comparison(field, op, self._value())
        tests = [comparison(field, op, self._value())]
        while self._takes("word", "OR"):
            tests.append(comparison(field, op, self._value()))
        self._close()
        return lambda entry: any(test(entry) for test in tests)

    def _value(self) -> str:
        token = self._next()
        if token.kind not in {"string", "word"}:
            raise _unparseable(f"a value was expected, not '{token.text}'")
        return token.text

    def _close(self) -> None:
        if not self._takes("mark", ")"):
            raise _unparseable("a ')' is missing")


def comparison(field: str, op: str, value: str) -> Test:
    """One field against one value. Raises Refusal for a field that entries do not have and a value that the field cannot hold."""
    root = field.split(".", 1)[0]
    if root not in _ROOTS | _PAYLOADS:
        raise _unparseable(f"Field not found: '{field}'")
    if root == "timestamp":
        return _ordered(op, lambda entry: _time(entry["timestamp"]), _time(value))
    if root == "severity":
        return _ordered(op, lambda entry: SEVERITIES.index(entry.get("severity", "DEFAULT")), _severity(value))
    if op in {"=~", "!~"}:
        expression = _expression(value)
        return lambda entry: (expression.search(_at(entry, field)) is not None) is (op == "=~")
    if op == ":":
        return lambda entry: value.lower() in _at(entry, field).lower()
    if op in {"=", "!="}:
        return lambda entry: (_at(entry, field).lower() == value.lower()) is (op == "=")
    raise _unparseable(f"'{op}' cannot compare '{field}'")


def _ordered(op: str, of: Callable[[Entry], Any], value: Any) -> Test:
    tests: dict[str, Test] = {
        ">=": lambda entry: of(entry) >= value,
        "<=": lambda entry: of(entry) <= value,
        ">": lambda entry: of(entry) > value,
        "<": lambda entry: of(entry) < value,
        "=": lambda entry: of(entry) == value,
        "!=": lambda entry: of(entry) != value,
    }
    if op not in tests:
        raise _unparseable(f"'{op}' cannot compare a time or a severity")
    return tests[op]


def _time(value: str) -> datetime:
    """RFC 3339 and nothing else: the relative times that some tools write are refused by the real service too."""
    if not _RFC3339.fullmatch(value):
        raise _unparseable(f"Invalid timestamp: '{value[:60]}'")
    return datetime.fromisoformat(value)


def _severity(value: str) -> int:
    if value.upper() not in SEVERITIES:
        raise _unparseable(f"Unknown severity: '{value[:60]}'")
    return SEVERITIES.index(value.upper())


def _expression(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except re.error:
        raise _unparseable(f"Invalid regular expression: '{value[:60]}'") from None


def _at(entry: Entry, field: str) -> str:
    found: Any = entry
    for part in field.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return "" if found is None else str(found)


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one)
    else:
        yield str(value)


def _unparseable(why: str) -> refusals.Refusal:
    return refusals.invalid(f"Unparseable filter: {why}")
