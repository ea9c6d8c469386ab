"""How the state of an engine reads."""

from typing import TYPE_CHECKING

from bot.nouns import Drift
from bot.operations import engine_progress
from bot.operations.operation import Context
from bot.operations.wording import count, duration
from bot.serving.specification import EngineExposure
from bot.view import Button, Line, Mention, Shape, View, When, bold, code, line, text

if TYPE_CHECKING:
    from bot.operations.engine_status import EngineStatus

DRIFT_LINES = 3
"""Differences in front; the rest waits behind Details."""
_EXPOSED = {
    EngineExposure.PRIVATE: "answers on its private network, with an API key",
    EngineExposure.LOOPBACK: "answers on its machine alone, through a tunnel",
}
_STARTS = {"waiting", "process", "weights", "kv-cache", "compile", "server"}


def show(found: "EngineStatus", _context: Context) -> View:
    """The verdict, then the container, the start, what was wanted, and each difference."""
    drift = found.container.drift if found.container is not None else ()
    differences = [_difference(one) for one in drift]
    lines = (*_container(found), *_start(found), *_wanted(found), *differences[:DRIFT_LINES], *_missing(found))
    return View(
        verdict=_verdict(found),
        shape=_shape(found),
        lines=lines,
        details=(*differences[DRIFT_LINES:], *_arguments(found)),
        buttons=_buttons(found),
    )


def _verdict(found: "EngineStatus") -> Line:
    name, on = f"{found.deployment}'s engine", f" on {found.machine}" if found.machine else ""
    container = found.container
    since = (" since ", When(at=container.since, date=True)) if container is not None and container.since is not None else ()
    if found.state is None or container is None:
        said = "answers" if found.answers else "does not answer" if found.answers is False else "is unknown"
        return line(bold(f"{found.deployment} {said}"), "; its container cannot be looked at")
    if found.state == "ready":
        if container.drift:
            return line(bold(f"{name} runs, but not as wanted"), f": {count(len(container.drift), 'difference')}", *since)
        if found.answers is False:
            return line(bold(f"{name} runs and does not answer"), on, *since)
        return line(bold(f"{name} runs{' as wanted' if found.wish is not None else ''}"), on, *since)
    if found.state in _STARTS:
        return line(bold(f"{name} starts"), f"{on}: {engine_progress.WORDS[found.state]}", *since)
    if found.state == "absent":
        return line(bold(f"{found.deployment} has no engine container"), on)
    if found.state == "failed":
        return line(bold(f"{name} failed"), f"{on}: {(found.why or 'its log does not say why')[:60]}")
    return line(bold(f"{name} is {found.state}"), on, *since)


def _shape(found: "EngineStatus") -> Shape:
    if found.state is None:
        return Shape.CONCERN if found.answers else Shape.BAD
    if found.state in _STARTS:
        return Shape.TIME
    if found.state == "ready":
        fine = found.answers is not False and not (found.container is not None and found.container.drift)
        return Shape.GOOD if fine else Shape.CONCERN
    return Shape.BAD


def _container(found: "EngineStatus") -> tuple[Line, ...]:
    container = found.container
    if container is None or container.image is None:
        return ()
    parts = [f"container {container.state}"]
    if container.restarts:
        parts.append(f"started again by docker {count(container.restarts, 'time')}")
    if container.exit_code is not None:
        parts.append(f"ended with code {container.exit_code}")
    if container.out_of_memory:
        parts.append("the machine ran out of memory")
    if container.in_the_way:
        parts.append(f"beside it runs {', '.join(container.in_the_way)[:60]}, which may hold the TPU")
    if not container.ours:
        parts.append("not made by me")
    exposed = f" · {_EXPOSED[found.exposure]}" if found.exposure is not None else ""
    return (line("Image ", code(container.image), f" · {' · '.join(parts)}{exposed}"),)


def _start(found: "EngineStatus") -> tuple[Line, ...]:
    """Phases with their times, as far as the log still holds them; what is usual."""
    told = [f"{one.name} {duration(one.seconds)}" for one in found.phases if one.seconds is not None and one.seconds >= 1]
    if found.state in _STARTS:
        return (line(f"So far: {' · '.join(told) or 'nothing'}."), engine_progress.usual(found.starts))
    return (line(f"Its start: {' · '.join(told)}."),) if told else ()


def _wanted(found: "EngineStatus") -> tuple[Line, ...]:
    if found.wish is None:
        nobody = "I did not start this engine, so I do not know what it should be and cannot restart it"
        return (line(f"{nobody}; what I deploy I can."),)
    by = found.wish.by
    who = Mention(id=by) if by[:1] in {"U", "W"} else text(by)
    why = (", by ", code(found.wish.why[:80])) if found.wish.why else ()
    return (line("Wanted so since ", When(at=found.wish.at, date=True), *why, " of ", who, "."),)


def _difference(one: Drift) -> Line:
    is_now = ("is not set",) if one.found is None else ("is ", code(one.found[:120]))
    wanted = (", and nobody wanted it",) if one.wanted is None else (", wanted ", code(one.wanted[:120]))
    return line(code(one.what[:60]), " ", *is_now, *wanted)


def _missing(found: "EngineStatus") -> tuple[Line, ...]:
    return (line(found.missing),) if found.missing else ()


def _arguments(found: "EngineStatus") -> tuple[Line, ...]:
    """What the engine was given, secrets hidden before."""
    given = found.container.arguments if found.container is not None else ()
    return (line("Started with ", code(" ".join(given)[:1500])),) if given else ()


def _buttons(found: "EngineStatus") -> tuple[Button, ...]:
    name = found.deployment
    again = Button(label="Look again", words=f"engine status {name}")
    if found.wish is None or found.state is None:
        return (again, Button(label=f"Status of {name}"[:75], words=f"status {name}"))
    if found.state in {"absent", "stopped"}:
        return (again, Button(label=f"Start {name}"[:75], words=f"engine start {name}"))
    if found.state in _STARTS:
        return (again, Button(label=f"Stop {name}"[:75], words=f"engine stop {name}"))
    return (again, Button(label=f"Restart {name}"[:75], words=f"engine restart {name}"))
