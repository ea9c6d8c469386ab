"""What somebody wanted an engine to be, as it is remembered."""

from datetime import datetime

from bot.nouns.base import Noun


class Wish(Noun):
    """One specification of a deployment's engine. The newest is what is wanted now; `rollback` goes to the one before.

    `specification` is the JSON of `bot.serving.specification.EngineSpecification`, which holds no secret, `fingerprint` its own.
    `work` is the id of the work that wished it, so that a repeat adds nothing; `why` its words as they were typed.
    """

    v: int = 1
    deployment: str
    specification: str
    fingerprint: str
    at: datetime
    by: str
    work: str
    why: str = ""


class EngineStart(Noun):
    """One start that came to an answer. `at` is when it answered, `seconds` the time from the container's start to that.

    `work` and `fingerprint` name the work and the specification, so that a repeat adds nothing.
    """

    v: int = 1
    at: datetime
    seconds: float
    work: str
    fingerprint: str
