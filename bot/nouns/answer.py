"""A question in plain words and what was answered, with everything that the answer was written from."""

from datetime import datetime
from typing import Any

from bot.nouns.base import Noun


class Heard(Noun):
    """The first message of a thread, where another program wrote it: an alert, for instance. `at` is when it was posted."""

    text: str
    by: str
    at: datetime


class Reading(Noun):
    """One thing that was looked up: what was asked in the words of a person, and what came.

    `id` is how an answer refers to it ("r1"). `result` is the operation's own result without long series, None when it failed or
    only asked for a yes; `said` what a person would have seen, line by line. `operation` is its path, `at` when it was looked up.
    """

    id: str
    operation: str
    words: str
    at: datetime
    said: tuple[str, ...]
    result: dict[str, Any] | None = None
    failed: bool = False


class Exchange(Noun):
    """One question of a thread with its answer, as later questions of the thread need it. `id` is that of its work."""

    v: int = 1
    id: str
    question: str
    asked_by: str
    at: datetime
    answer: str
    readings: tuple[Reading, ...] = ()


class Measured(Noun):
    """How an answer was made: tokens as the server counted them (`usage`), times by our own clock in seconds.

    `first_token_s` is of the turn that gave the answer; None: not measured, or the server did not count.
    """

    turns: int
    prompt_tokens: int | None
    completion_tokens: int | None
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    total_s: float | None = None


class Proposal(Noun):
    """What Gemma asks a person to say yes to: the id of the stored question, what was shown, and the words of its buttons."""

    question: str
    shown: tuple[str, ...]
    label: str


class Answer(Noun):
    """A checked answer: `lines` of plain prose, in which what nothing supports is marked.

    `figures` were checked, `unsupported` are those that stand in no result, `quoted` those that stand in a text only (an
    alert, a log line). `limit` names what cut it short, if anything did. `read_again`: it answers
    a doubt about the answer before. `sources` are short names ("metrics", "alert").
    """

    lines: tuple[str, ...]
    readings: tuple[Reading, ...] = ()
    sources: tuple[str, ...] = ()
    figures: int = 0
    unsupported: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    proposal: Proposal | None = None
    limit: str | None = None
    read_again: bool = False
    measured: Measured | None = None
    model: str | None = None
