"""A recorded world: what a deployment is and says at one moment, what is asked about it, and what a good answer holds."""

from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from bot.nouns import ContainerState, Deployment, Happening, MachineState, Noun

WORLDS = Path(__file__).parent / "worlds"
RECORDED = Path(__file__).parent / "recorded"


class Phase(Noun):
    """What the engine did in each minute from `begins` to `ends` minutes before the world's moment.

    `requests` a minute, each with `prompt` and `output` tokens; the first tokens of nine in ten took `first_s` seconds, those of
    the tenth `slow_s`, and `gap_s` lie between two tokens. `running`, `waiting` and `cache` (a share) are gauges; `preempted` and
    `failed` are counted a minute.
    """

    begins: int
    ends: int
    requests: int
    prompt: int = 900
    output: int = 200
    first_s: float = 0.3
    slow_s: float = 0.45
    gap_s: float = 0.03
    running: float = 0
    waiting: float = 0
    cache: float = 0
    preempted: int = 0
    failed: int = 0


class LogPart(Noun):
    """A piece of a log, `minutes_ago` its moment: a recorded `file`, or `lines` that were made by hand."""

    minutes_ago: float = 60
    file: str | None = None
    lines: tuple[str, ...] = ()

    def read(self) -> tuple[str, ...]:
        """Its lines."""
        kept = (RECORDED / self.file).read_text(encoding="utf-8", errors="replace").splitlines() if self.file else ()
        return (*kept, *self.lines)


class Box(Noun):
    """The engine's container as docker tells of it, for `for_min` minutes in its state."""

    state: ContainerState = ContainerState.RUNNING
    for_min: float = 600
    exit_code: int | None = None
    out_of_memory: bool | None = None
    restarts: int | None = None


class Turn(Noun):
    """One question. `facts` are regular expressions of which each must be found in the answer, `forbidden` those that must not.

    `may_propose` are the operations that it may ask a person to allow. `calls` and `answer` are what a good colleague would look
    up and say: they prove that the world can be answered, and are never shown to a model.
    """

    question: str
    facts: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    may_propose: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    answer: tuple[str, ...]


class World(Noun):
    """One world. `origin` says where what it shows comes from; `window` bounds what the model may see, in tokens.

    `exposition` names two recorded scrapes, of ten minutes before and of now, in the place of `phases`. `container` None: the
    machine does not let us in. `triage` has the verdicts of the rules that are right where the engine is silent.
    """

    name: str
    kind: Literal["incident", "healthy", "unknowable", "numbers", "turns", "injection", "small window"]
    origin: Literal["recorded", "made"]
    about: str
    at: datetime
    deployment: Deployment
    window: int | None = None
    context: int | None = 65_536
    answers: bool = True
    silent_min: float | None = None
    started_min: float = 600
    machine: MachineState | None = MachineState.READY
    health: str | None = "HEALTHY"
    unreachable: str | None = None
    container: Box | None = Box()
    phases: tuple[Phase, ...] = ()
    exposition: tuple[str, str] | None = None
    cache: dict[str, str] = Field(default_factory=dict)
    usual_first_s: float | None = None
    happenings: tuple[Happening, ...] = ()
    engine_log: tuple[LogPart, ...] = ()
    system_log: tuple[LogPart, ...] = ()
    alert: str | None = None
    turns: tuple[Turn, ...]
    most_turns: int = 8
    most_tokens: int = 40_000
    triage: tuple[str, ...] = ()

    def ago(self, minutes: float) -> datetime:
        """So many minutes before its moment."""
        return self.at - timedelta(minutes=minutes)


@cache
def worlds() -> tuple[World, ...]:
    """All of them, by name."""
    found = [World.model_validate_json(path.read_bytes()) for path in WORLDS.glob("*.json")]
    return tuple(sorted(found, key=lambda one: one.name))
