"""What was seen to change at an engine, and what has to be remembered to see it."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from bot.nouns.base import Noun


class Happened(StrEnum):
    """What kind of change it was."""

    RESTARTED = "restarted"
    VERSION = "version"
    MODEL = "model"
    WINDOW = "window"
    SETTINGS = "settings"
    SILENT = "silent"
    ANSWERS = "answers"


class Move(Noun):
    """One thing that had another value before, as the server writes both. `what` is its name: a label, a model id, "vLLM"."""

    what: str
    before: str
    after: str


class Happening(Noun):
    """One change. `at` is when it happened, or was first seen where nothing tells more; `source` says what told it."""

    v: int = 1
    at: datetime
    kind: Happened
    moves: tuple[Move, ...] = ()
    source: str


class Look(Noun):
    """What one look at an engine found. None and what is absent are unknown.

    `answers` is False when nothing came back, None when something did that tells neither (it wants another key).
    `windows` are the served ids, each with its window in tokens; `settings` the labels of its cache configuration, as text.
    """

    at: datetime
    answers: bool | None
    started_at: datetime | None = None
    version: str | None = None
    windows: dict[str, int | None] | None = None
    settings: dict[str, str] = Field(default_factory=dict)


class Watched(Noun):
    """What is known of an engine from all looks together: the newest known value of each thing.

    `since` and `at` are the first and the last look. `contrary_at` is the first of the looks that did not find it `answering`
    as it was known to be, while that is not sure yet.
    """

    v: int = 1
    since: datetime
    at: datetime
    answering: bool | None = None
    contrary_at: datetime | None = None
    started_at: datetime | None = None
    version: str | None = None
    windows: dict[str, int | None] | None = None
    settings: dict[str, str] = Field(default_factory=dict)
