"""Reads Gemma's own way of writing a call: `call:NAME{key:<|"|>text<|"|>,n:3,list:[1,2],inner:{a:true}}`.

Written from the grammar that the chat template renders [verified by rendering, vLLM 0.32.0]; JSON inside it is understood too,
for the model mixes both.
"""

import json
import re
from typing import Any

from bot.model.answering.control_tokens import QUOTE

_HEAD = re.compile(r"call:\s*([A-Za-z0-9_.-]{1,64})\s*(?=\{)")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_BARE = re.compile(r"[^,{}\[\]]*")
_KEY = re.compile(r"\s*([^:,{}\[\]\s]{1,80})\s*:")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEPTH = 8
"""Objects and lists inside each other; our tools need two."""


class NotACall(ValueError):
    """The text is no call in Gemma's format, or a broken one."""


def read_call(text: str, at: int = 0) -> tuple[str, dict[str, Any], int]:
    """Name, arguments and the end (index) of the call that begins at `at`. Raises NotACall."""
    head = _HEAD.match(text, at)
    if head is None:
        raise NotACall("no call:NAME{")
    reader = _Reader(text, head.end())
    arguments = reader.object(0)
    return head[1], arguments, reader.at


class _Reader:
    """A position in the text that moves over values."""

    def __init__(self, text: str, at: int) -> None:
        """Begin at `at`."""
        self._text = text
        self.at = at

    def object(self, depth: int) -> dict[str, Any]:
        """`{key:value,…}`; keys may stand in quotes of either kind."""
        self._take("{")
        found: dict[str, Any] = {}
        while not self._took("}"):
            if found:
                self._take(",")
            key = self._key()
            found[key] = self._value(depth + 1)
        return found

    def _list(self, depth: int) -> list[Any]:
        """`[value,…]`."""
        self._take("[")
        found: list[Any] = []
        while not self._took("]"):
            if found:
                self._take(",")
            found.append(self._value(depth + 1))
        return found

    def _key(self) -> str:
        """A name before a colon."""
        self._blank()
        quoted = self._quoted()
        if quoted is not None:
            self._take(":")
            return quoted
        bare = _KEY.match(self._text, self.at)
        if bare is None:
            raise NotACall(f"no key at {self.at}")
        self.at = bare.end()
        return bare[1]

    def _value(self, depth: int) -> Any:
        """Text in quotes, an object, a list, a number, a word, or bare text up to the next sign."""
        if depth > _DEPTH:
            raise NotACall("too deep")
        self._blank()
        if self._text.startswith("{", self.at):
            return self.object(depth)
        if self._text.startswith("[", self.at):
            return self._list(depth)
        quoted = self._quoted()
        return self._bare() if quoted is None else quoted

    def _quoted(self) -> str | None:
        """Text between quote tokens, taken as it is, or a JSON string; None when neither begins here."""
        if self._text.startswith(QUOTE, self.at):
            start = self.at + len(QUOTE)
            end = self._text.find(QUOTE, start)
            if end < 0:
                raise NotACall("a quote is not closed")
            self.at = end + len(QUOTE)
            return self._text[start:end]
        if not self._text.startswith('"', self.at):
            return None
        try:
            text, self.at = json.JSONDecoder(strict=False).raw_decode(self._text, self.at)
        except ValueError as error:
            raise NotACall("a string is not closed") from error
        return str(text)

    def _bare(self) -> Any:
        """A number, true, false, null, or a word without quotes."""
        found = _BARE.match(self._text, self.at)
        word = found[0].strip() if found else ""
        if not word:
            raise NotACall(f"no value at {self.at}")
        self.at += len(found[0]) if found else 0
        if word in _WORDS:
            return _WORDS[word]
        return json.loads(word) if _NUMBER.fullmatch(word) else word

    def _blank(self) -> None:
        """Move over white space."""
        while self.at < len(self._text) and self._text[self.at].isspace():
            self.at += 1

    def _took(self, sign: str) -> bool:
        """Move over this sign if it is next."""
        self._blank()
        if not self._text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def _take(self, sign: str) -> None:
        """Move over this sign, which must be next."""
        if not self._took(sign):
            raise NotACall(f"{sign!r} is missing at {self.at}")
