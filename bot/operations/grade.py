"""How a deployment stands, in one word, from what its machine and its engine say. Pure: the same signs give the same word."""

from dataclasses import dataclass
from enum import StrEnum

from bot.nouns import CapacityRequest, Delta, EngineSample, Machine, MachineState, RequestState, Usual
from bot.statistics.windows import quantile
from bot.view import Shape


class Grade(StrEnum):
    """The states of a deployment, worst first within what a person can do about them."""

    NO_MACHINE = "no machine"
    QUEUED = "queued"
    BOOTING = "booting"
    DOWN = "down"
    SILENT = "not answering"
    SLOW = "slow"
    FULL = "full"
    READY = "ready"
    IDLE = "idle"


SHAPES = {
    Grade.NO_MACHINE: Shape.BAD,
    Grade.QUEUED: Shape.CONCERN,
    Grade.BOOTING: Shape.CONCERN,
    Grade.DOWN: Shape.BAD,
    Grade.SILENT: Shape.BAD,
    Grade.SLOW: Shape.CONCERN,
    Grade.FULL: Shape.CONCERN,
    Grade.READY: Shape.GOOD,
    Grade.IDLE: Shape.GOOD,
}

SLOW_FACTOR = 3.0
"""Our choice: three times the usual is beyond what the ups and downs of a day make of a median."""

SLOW_FLOOR_S = 1.0
"""Our choice: below a second nobody waits, whatever is usual."""

SLOW_WITHOUT_USUAL_S = 2.0
"""Our choice where no usual is known yet."""

FULL_CACHE = 0.9
"""KV cache use above which waiting requests wait for room (`facts`: saturation is waiting > 0 and usage > 0.9)."""


@dataclass(frozen=True)
class Signs:
    """What is known at one moment; None is unknown. `answers` is whether the engine answered its health check."""

    answers: bool | None
    sample: EngineSample | None
    window: Delta | None
    usual: Usual | None
    machine: Machine | None
    request: CapacityRequest | None
    machine_known: bool


def first_token_s(window: Delta | None) -> float | None:
    """The median time to first token in the window, in seconds; the last bound when it lies above all bounds."""
    found = quantile(window, "ttft", 0.5) if window is not None else None
    if found is None:
        return None
    return found.value if found.value is not None else found.low


def slow_above_s(usual: Usual | None) -> float:
    """The median first token, in seconds, above which a deployment counts as slow."""
    return SLOW_WITHOUT_USUAL_S if usual is None else max(SLOW_FLOOR_S, SLOW_FACTOR * usual.first_token_s)


def grade(signs: Signs) -> Grade:
    """The one word. What the engine says counts more than what the cloud says of its machine."""
    if signs.answers:
        return _serving(signs)
    if signs.answers is False:
        return Grade.DOWN
    return _without_engine(signs)


def _serving(signs: Signs) -> Grade:
    first = first_token_s(signs.window)
    if first is not None and first > slow_above_s(signs.usual):
        return Grade.SLOW
    gauges = signs.sample.gauges if signs.sample is not None else {}
    if gauges.get("waiting", 0) > 0 and gauges.get("kv_cache_usage", 0) >= FULL_CACHE:
        return Grade.FULL
    nobody = gauges.get("running") == 0 and gauges.get("waiting") == 0 and first is None
    return Grade.IDLE if nobody else Grade.READY


def _without_engine(signs: Signs) -> Grade:
    """The engine is silent: say what its machine explains."""
    if not signs.machine_known:
        return Grade.SILENT
    if signs.machine is None:
        waiting = signs.request is not None and signs.request.state in {RequestState.CREATING, RequestState.WAITING}
        provisioning = signs.request is not None and signs.request.state is RequestState.PROVISIONING
        return Grade.QUEUED if waiting else Grade.BOOTING if provisioning else Grade.NO_MACHINE
    if signs.machine.state is MachineState.CREATING:
        return Grade.BOOTING
    return Grade.SILENT if signs.machine.state in {MachineState.READY, MachineState.UNKNOWN} else Grade.NO_MACHINE
