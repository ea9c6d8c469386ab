"""What is done about a secret that somebody pasted, before anything is written down."""

import hashlib
import re
from urllib.parse import quote

from bot.diagnosis.secrets import Kind
from bot.requests import Request

KINDS_LIMIT = 12
"""Kinds that are told at once; more than that nobody revokes from a list."""

_SETUP_CODE = re.compile(r"\s*setup\s+([0-9a-f]{5}(?:-[0-9a-f]{5}){3})\s*", re.IGNORECASE)
"""The one-time code that `web` logs (`bot.store.roles`)."""


def pasted(kinds: tuple[Kind, ...]) -> str:
    """The words of the hidden operation that tells the author, in the place of what was said.

    They hold what the message shows and no more: the name, the public beginning with the last four characters, the issuer.
    """
    distinct = tuple(dict.fromkeys(kinds))[:KINDS_LIMIT]
    return "pasted found=" + ",".join(f"{quote(one.name)}:{quote(one.hint)}:{quote(one.issuer)}" for one in distinct)


def without(request: Request, kinds: tuple[Kind, ...]) -> Request:
    """The request to write down: when a secret was in it, none of its words are kept and nothing of it is run."""
    return request.model_copy(update={"words": pasted(kinds)}) if kinds else request


def sealed(words: str) -> str:
    """`setup CODE` with the code's digest in the code's place, so that the code itself is never stored."""
    found = _SETUP_CODE.fullmatch(words)
    return words if found is None else f"setup code={digest(found[1])}"


def digest(code: str) -> str:
    """The first half of SHA-256 in hex; a code has 80 random bits, so it cannot be found from this."""
    return hashlib.sha256(code.lower().encode()).hexdigest()[:32]
