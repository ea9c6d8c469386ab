"""What a model server was seen to do right, looked at with a few small calls."""

from datetime import datetime
from enum import StrEnum

from bot.nouns.base import Noun


class Verdict(StrEnum):
    """What a check came to. Unknown: it could not be seen, such as when the server did not answer."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class ConformanceCheck(Noun):
    """One check: its name, what it came to, what was seen in words, and when it was looked at (aware)."""

    name: str
    verdict: Verdict
    seen: str
    at: datetime


class Conformance(Noun):
    """All checks of one server. `version` and `model_id` are what it said then; None: it did not say."""

    deployment: str
    model_id: str | None
    version: str | None
    checks: tuple[ConformanceCheck, ...]
