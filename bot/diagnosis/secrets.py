"""Finding and hiding secrets in text that people paste and programs log, before it is stored or shown anywhere."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bot.diagnosis.secret_kinds import (
    ASSIGNMENT,
    AWS_SECRET,
    KEY_BODY,
    LONGEST_KEY,
    OPTION,
    PRIVATE_KEY_BEGIN,
    PRIVATE_KEY_END,
    SHAPES,
    Shape,
)
from bot.diagnosis.tokens import word_set


@dataclass(frozen=True)
class Kind:
    """One secret that was found: what it is, a hint for its author ("hf_…a1b2"), who can revoke it ("" = unknown)."""

    name: str
    hint: str
    issuer: str = ""


@dataclass(frozen=True)
class Redacted:
    """A text without its secrets, and what was found in it, in the order of the rules."""

    text: str
    found: tuple[Kind, ...]


_ROUNDS = 4
"""Hiding one secret can uncover the border of the next; more rounds than this were never needed in tests with random text."""
_HINTED = 12
"""Characters a secret must have before its last four are shown: four of eight would help a guesser."""
_REPEATED, _REMEMBERED = 8, 20
"""Characters from which a secret is hidden wherever else it stands in the text, and how many secrets that is done for."""
_NOT_SECRET = word_set(
    "none null nil true false undefined unset empty missing required optional redacted hidden invalid expired unknown "
    "string bytes bearer basic yes no not set and the is was for from with your"
)
_PLACEHOLDER = re.compile(
    r"\[hidden:|[<$%{*(]|x{3,}|\.{3}|…|(?:os|process|env|self|config|settings|args|var|data|secrets)[.\[(]", re.IGNORECASE
)
_NAMES = ("pass", "pwd", "secret", "token", "key", "credential")
"""One of these stands in every name that ASSIGNMENT knows: a cheap test before a dear one."""
_NUMERIC = re.compile(r"[\d.,:_/\-]+%?")


class _Found:
    """The kinds found so far, and the first few secrets themselves, to hide them where they stand once more."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.repeated: dict[str, str] = {}

    def add(self, name: str, secret: str, shown: int = 0, issuer: str = "") -> str:
        """Note a secret and return what stands in its place."""
        hint = f"{secret[:shown]}…{secret[-4:]}" if len(secret) >= _HINTED else "…"
        self.kinds.append(Kind(name, hint, issuer))
        has_digit = any(c.isdigit() for c in secret)  # a plain word may stand anywhere, and in our own "[hidden: password]"
        if has_digit and len(secret) >= _REPEATED and len(self.repeated) < _REMEMBERED:
            self.repeated[secret] = _hidden(name)
        return _hidden(name)

    def hide_repeats(self, text: str) -> str:
        for secret, hidden in self.repeated.items():
            text = text.replace(secret, hidden)
        return text


def _hidden(name: str) -> str:
    return f"[hidden: {name}]"


def _with(match: re.Match[str], group: str | int, hidden: str) -> str:
    start, end = match.span(group)
    whole = match.group()
    return whole[: start - match.start()] + hidden + whole[end - match.start() :]


def _by_shape(text: str, shape: Shape, found: _Found) -> str:
    def hide(match: re.Match[str]) -> str:
        named = [name for name in ("secret", "bare") if match.groupdict().get(name)]
        group: str | int = named[0] if named else 0
        return _with(match, group, found.add(shape.name, match[group], shape.shown, shape.issuer))

    return shape.expression.sub(hide, text)


def _is_secret_value(key: str, by: str, quoted: bool, value: str) -> bool:
    """Whether the right side of an assignment is a secret rather than a number, a placeholder or a word of a sentence."""
    if len(value) < 4 or _NUMERIC.fullmatch(value) or _PLACEHOLDER.match(value) or value.lower().rstrip(".!?") in _NOT_SECRET:
        return False
    if "=" in by or quoted:
        return True
    if key.startswith(("pass", "pwd")):
        return len(value) >= 6
    has_digit = any(c.isdigit() for c in value)
    return len(value) >= 8 and (has_digit or len(value) >= 20) and "://" not in value


def _by_assignment(text: str, expression: re.Pattern[str], found: _Found) -> str:
    def hide(match: re.Match[str]) -> str:
        group = next(name for name in ("double", "single", "plain") if match[name] is not None)
        quoted = bool(match["quote"]) or group != "plain"
        key = match["key"].lower()
        if not _is_secret_value(key, match["by"], quoted, match[group]):
            return match.group()
        name = "password" if key.startswith(("pass", "pwd")) else f"value of {key}"
        return _with(match, group, found.add(name, match[group]))

    return expression.sub(hide, text)


def _private_keys(text: str, found: _Found) -> str:
    """Hide private keys, also across lines, with `\\n` written out (service accounts), and when the end was cut off."""
    out: list[str] = []
    at = 0
    google = "service_account" in text or '"private_key"' in text
    while (begin := PRIVATE_KEY_BEGIN.search(text, at)) is not None:
        limit = begin.end() + LONGEST_KEY
        another = text.find("-----BEGIN", begin.end(), limit)
        end = PRIVATE_KEY_END.search(text, begin.end(), limit if another < 0 else another)
        body = KEY_BODY.match(text, begin.end())
        stop = end.end() if end else (body.end() if body else begin.end())
        out.extend((text[at : begin.start()], _hidden("private key")))
        found.kinds.append(Kind("private key", "-----BEGIN…", "Google Cloud" if google else ""))
        at = stop
    return "".join(out) + text[at:]


def _one_round(text: str, found: _Found) -> str:
    if "PRIVATE KEY" in text:
        text = _private_keys(text, found)
    lower = text.lower()
    for shape in SHAPES:
        if any(trigger in lower for trigger in shape.trigger):
            text = _by_shape(text, shape, found)
    if any(kind.name == "AWS access key" for kind in found.kinds):
        text = _by_shape(text, Shape("AWS secret key", "AWS", (), AWS_SECRET), found)
    if not any(name in lower for name in _NAMES):
        return text
    text = _by_assignment(text, ASSIGNMENT, found)
    return _by_assignment(text, OPTION, found) if "-" in text else text


def redact(text: str) -> Redacted:
    """Hide every secret in a text: `hf_…` becomes `[hidden: Hugging Face token]`. Linear time; a second time changes nothing.

    Commit hashes, UUIDs, image digests and plain words stay. What has no known shape and no telling name beside it
    (a bare password in a sentence) cannot be recognised.
    """
    found = _Found()
    for _ in range(_ROUNDS):
        hidden = found.hide_repeats(_one_round(text, found))
        if hidden == text:
            break
        text = hidden
    return Redacted(text, tuple(found.kinds))


_KEY_LINES = 200
"""Lines after which a private key without an end is taken as cut off."""


def _ignore(_: Kind) -> None:
    """Report to nobody."""


def redact_lines(lines: Iterable[str], report: Callable[[Kind], None] = _ignore) -> Iterator[str]:
    """Redact line by line, remembering an open private key: each line of its body is hidden as well. Bounded memory.

    `report` is called with each kind that was found. The number of lines stays the same.
    """
    left = 0
    for line in lines:
        if left:
            left = 0 if PRIVATE_KEY_END.search(line) else left - 1
            yield _hidden("private key")
            continue
        redacted = redact(line)
        if PRIVATE_KEY_BEGIN.search(line) and not PRIVATE_KEY_END.search(line):
            left = _KEY_LINES
        for kind in redacted.found:
            report(kind)
        yield redacted.text
