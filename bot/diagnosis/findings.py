"""What a diagnosis says, and what a failure signature is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum


class Nature(IntEnum):
    """What a finding means for the person on call. The order is the order of urgency."""

    FAILURE = 0
    SLOW = 1
    CALLER = 2


@dataclass(frozen=True)
class Evidence:
    """A line of the log: its number from 1, the time it carries, its text without header, secrets and conversations."""

    line_number: int
    text: str
    time: str | None = None


@dataclass(frozen=True)
class Finding:
    """One thing that the log shows.

    `title` says it in plain words, `cause` is the line that shows it; `signs` are the signs that were found out of `signs_total`.
    `check` is how to make sure, `next_step` what to do. `source` is the recorded log or public issue the signature comes from.
    `figures` are numbers as the log writes them ("wanted": "384.11M"). `over` is True when the engine has started again since.
    """

    name: str
    title: str
    nature: Nature
    cause: Evidence
    signs: tuple[str, ...]
    signs_total: int
    check: str
    next_step: str
    source: str
    figures: Mapping[str, str] = field(default_factory=dict)
    over: bool = False

    @property
    def signs_matched(self) -> str:
        """For instance "3 of 4 signs"."""
        return f"{len(self.signs)} of {self.signs_total} sign{'s' * (self.signs_total != 1)}"


@dataclass(frozen=True)
class Sign:
    """One thing to look for: a label for people and an expression for the message of a line (case does not matter)."""

    label: str
    expression: re.Pattern[str]


def sign(label: str, expression: str) -> Sign:
    """Make a sign. The expression must have no nested repetition: it meets hostile lines."""
    return Sign(label, re.compile(expression, re.IGNORECASE))


START_FAILED = sign(
    "the engine gave up starting",
    r"Engine core initialization failed|EngineCore failed to start|Engine process failed to start|Failed core proc",
)
"""The wrapper that vLLM prints around every failed start. Never a cause, only a sign."""
ENGINE_DIED = sign(
    "the engine process died",
    r"EngineCore encountered (?:a fatal error|an issue)|EngineDeadError"
    r"|(?:Engine core|Worker) proc \S+ died unexpectedly|engine process (?:died|is dead)",
)
SERVING = sign("it had been serving", r"Application startup complete|HTTP/[\d.]+\" 200 OK|Avg prompt throughput")
READY = sign("the server was up", r"Application startup complete")
LOADING = sign(
    "weights were being loaded",
    r"Loading safetensors|Starting to load model|Loading (?:model )?weights(?! took)"
    r"|load_weights|Loading model with|Filesystem type for checkpoints",
)
LOADED = sign("weights were loaded", r"Loading weights took|Init model \||Model loading took")
COMPILING = sign(
    "it happened while compiling", r"Precompile|Compilation of|Compiling |warm[ -]?up|capture_model|compile_or_warm_up"
)


@dataclass(frozen=True)
class Signature:
    """One known way to fail.

    `must` has to be found, in an error or a trace unless `any_level`; `signs` support it. `after` must have been seen before
    it, `not_after` must not since then; where `unless` is found as well, another signature is right.
    `figures` are named groups looked for in the lines around the cause (5 before to 60 after).
    `generic` signatures come last: they say that something broke, not why. `fatal` ones end the engine by themselves; others
    count for nothing when the server came up afterwards. `at_least` is how often `must` has to be found.
    """

    name: str
    title: str
    must: Sign
    check: str
    next_step: str
    source: str
    signs: tuple[Sign, ...] = ()
    figures: tuple[re.Pattern[str], ...] = ()
    nature: Nature = Nature.FAILURE
    after: Sign | None = None
    not_after: Sign | None = None
    unless: Sign | None = None
    any_level: bool = False
    fatal: bool = False
    generic: bool = False
    at_least: int = 1


def figure(expression: str) -> re.Pattern[str]:
    """Make an expression whose named groups are figures."""
    return re.compile(expression, re.IGNORECASE)
