"""How the start of an engine reads while it goes on: its phase, since when, and what is usual here."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import median

from bot.diagnosis import Finding
from bot.machine.start_report import KILLED, StartReport
from bot.nouns import ContainerState, ContainerStatus, Deployment, EngineStart
from bot.operations.wording import duration
from bot.view import Line, Shape, View, bold, line

WORDS = {
    "waiting": "waiting for its first line",
    "process": "starting its process",
    "weights": "loading weights",
    "kv-cache": "laying out its cache",
    "compile": "compiling",
    "server": "starting its server",
    "ready": "ready",
    "absent": "gone",
    "stopped": "stopped",
    "failed": "failed",
}
"""Phases of `bot.serving.startup` in words that go after "it is"."""
LAST = 3
"""Starts that are told one by one."""


def phase(start: StartReport, now: datetime) -> str:
    """Where it is and for how long, as far as its log has times: `compiling for 4 min`."""
    words = WORDS.get(start.state, start.state)
    known = start.startup.phase(start.state)
    if known is None or known.started_at is None or known.started_at > now:
        return words
    return f"{words} for {duration((now - known.started_at).total_seconds() // 10 * 10)}"


def view(work: str, place: Deployment, said: str, since: timedelta, starts: Sequence[EngineStart] = ()) -> View:
    """Progress. The whole time is told in minutes, so that it is not a new message every few seconds."""
    minutes = int(since.total_seconds() // 60)
    told = f", {minutes} min in all" if minutes else ""
    return View(
        verdict=line(bold(f"{work}: {place.name} starts"), f" on {place.machine or 'its machine'}: {said}{told}"),
        shape=Shape.TIME,
        lines=(usual(starts),),
    )


def usual(starts: Sequence[EngineStart]) -> Line:
    """What is usual, from the last starts here."""
    if not starts:
        return line("How long a start takes here is not known yet; elsewhere 10 to 30 min were seen.")
    return line(f"Usually {expected(starts)} here ({last_starts(starts)}).")


def expected(starts: Sequence[EngineStart]) -> str:
    """`about 11 min`: the middle of the last starts; `10 to 30 min` where none is known (public field notes, 2026)."""
    if not starts:
        return "10 to 30 min"
    return f"about {duration(minutes_s(median(one.seconds for one in starts[:LAST])))}"


def last_starts(starts: Sequence[EngineStart]) -> str:
    """`last 3 starts: 9, 11, 14 min`."""
    several = starts[:LAST]
    if min(one.seconds for one in several) < 60:
        told = ", ".join(duration(minutes_s(one.seconds)) for one in several)
    else:
        told = ", ".join(f"{round(one.seconds / 60)}" for one in several) + " min"
    return f"last start: {told}" if len(several) == 1 else f"last {len(several)} starts: {told}"


def minutes_s(seconds: float) -> float:
    """Whole minutes above one, in seconds: more exact than that no start is foreseen."""
    return round(seconds / 60) * 60 if seconds >= 60 else seconds


def ended(status: ContainerStatus, failure: str | None, findings: Sequence[Finding]) -> str:
    """Why it does not come up, in one sentence: what is known of it, else the cause in its log, else how its container ended."""
    if findings:
        return findings[0].title
    if failure:
        return failure[:200]
    match status.state:
        case ContainerState.ABSENT:
            return "its container is gone, somebody removed it"
        case ContainerState.EXITED | ContainerState.DEAD if status.exit_code == 0:
            return "its container was stopped before it was ready"
        case _ if status.exit_code == KILLED or status.out_of_memory:
            return f"its container was killed (code {KILLED}), often for want of the machine's own memory"
        case ContainerState.EXITED | ContainerState.DEAD:
            return f"its container ended with code {status.exit_code}, and its log does not say why"
    return "its container keeps ending and is started again by docker"
