"""Which kind of refusal an answer of the TPU API is, by its code and its words together: quota and stockout share a code. Pure.

The sentences were seen in practice between 2025 and August 2026 (field notes of xbill9/gemma4-dev; issues 1612 and 6198 of
marin-community/marin, 4579 of skypilot-org/skypilot).
"""

import re
from collections.abc import Sequence

from google.rpc import code_pb2

from bot.cloud.refusals import plain
from bot.nouns import Refusal, RefusalKind

_INVALID = frozenset({code_pb2.INVALID_ARGUMENT, code_pb2.NOT_FOUND, code_pb2.FAILED_PRECONDITION})
_SPENT = frozenset({code_pb2.RESOURCE_EXHAUSTED, code_pb2.UNAVAILABLE})
_FORBIDDEN = frozenset({code_pb2.PERMISSION_DENIED, code_pb2.UNAUTHENTICATED})

_RULES: Sequence[tuple[RefusalKind, frozenset[int], re.Pattern[str]]] = (
    (RefusalKind.UNSUPPORTED_ZONE, _INVALID, re.compile(r"requested zone .{0,80}is not supported", re.IGNORECASE)),
    (RefusalKind.NO_SUCH_SLICE, _INVALID, re.compile(r"could not be found in the zonal accelerator", re.IGNORECASE)),
    (RefusalKind.MODEL_REFUSED, _INVALID, re.compile(r"provisioning model is not supported for", re.IGNORECASE)),
    (RefusalKind.RATE, _SPENT, re.compile(r"per[ _]?minute|per[ _]?second|\bqps\b|rate limit|e\.g\. check quota", re.IGNORECASE)),
    (RefusalKind.STOCKOUT, _SPENT, re.compile(r"capacity|stockout|RESOURCE_POOL_EXHAUSTED", re.IGNORECASE)),
    (RefusalKind.QUOTA, _SPENT, re.compile(r"quota", re.IGNORECASE)),
)
"""In order: a rate speaks of quota too ("Quota exceeded for quota metric … per minute"), and "Resource has been exhausted (e.g.
check quota)." is what Google's front says of rates (from memory); a missed rate costs a minute, a wrong quota an hour."""
_SUPPORT = re.compile(r"\[EID:? ?(0x[0-9a-fA-F]{1,32})\]")


def refusal_of(code: int, text: str) -> Refusal:
    """The refusal behind a google.rpc code and its message. What is not known is OTHER, never the nearest kind."""
    support = _SUPPORT.search(text)
    return Refusal(kind=_kind(code, text), text=plain(text), eid=support[1] if support else None)


def _kind(code: int, text: str) -> RefusalKind:
    if code in _FORBIDDEN:
        return RefusalKind.PERMISSION
    return next((kind for kind, codes, words in _RULES if code in codes and words.search(text)), RefusalKind.OTHER)
