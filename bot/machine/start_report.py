"""How far a start has come and, when it failed, why: from docker's status and the engine's log."""

from dataclasses import dataclass

from bot.diagnosis import Finding, Nature, diagnose
from bot.nouns import Container, ContainerState, ContainerStatus
from bot.ports import EngineControl, Host, LogPiece, LogSource
from bot.serving.startup import Startup, read

KILLED = 137
"""128 + SIGKILL: docker's exit code for what the kernel or somebody killed."""


@dataclass(frozen=True)
class Sight:
    """What was seen of an engine at once."""

    status: ContainerStatus
    log: LogPiece
    start: "StartReport"


@dataclass(frozen=True)
class StartReport:
    """`state`: absent, waiting (no line yet), a phase of `bot.serving.startup.PHASES`, ready, failed, stopped.

    `phases` have times where the log has them. `finding` says why it failed, None when nothing known matches and while it runs.
    """

    state: str
    startup: Startup
    finding: Finding | None

    @property
    def failed(self) -> bool:
        """Whether this start came to nothing."""
        return self.state == "failed"


async def look(engine: EngineControl, host: Host, wanted: Container | None = None, *, tail: int = 4_000) -> "Sight":
    """Ask for status and log of the current start and put them together.

    While it runs, only lines of this very start count: an earlier failure in the same log must not be told as today's.
    """
    status = await engine.status(host, wanted)
    alive = status.state in {ContainerState.RUNNING, ContainerState.RESTARTING}
    log = await engine.logs(host, LogSource.ENGINE, tail=tail, since=status.since if alive else None)
    return Sight(status, log, report(status, log))


def report(status: ContainerStatus, log: LogPiece) -> StartReport:
    """Put status and log together. The log should reach back to the last start; `docker logs` keeps earlier ones too."""
    startup = read(log.lines)
    state = _state(status, startup)
    return StartReport(state, startup, _cause(status, log) if state == "failed" else None)


def _cause(status: ContainerStatus, log: LogPiece) -> Finding | None:
    """The likeliest known failure that its lines show."""
    lines = [*log.lines, *_ending(status)]
    return next((one for one in diagnose(lines) if one.nature is Nature.FAILURE and not one.over), None)


def _state(status: ContainerStatus, startup: Startup) -> str:
    """Docker says whether it lives; the log says how far it is."""
    match status.state:
        case ContainerState.ABSENT:
            return "absent"
        case ContainerState.EXITED | ContainerState.DEAD | ContainerState.RESTARTING:
            return "stopped" if status.exit_code == 0 else "failed"
        case _:
            return startup.state or "waiting"


def _ending(status: ContainerStatus) -> list[str]:
    """What the log itself cannot hold: that somebody else ended it."""
    if status.exit_code == KILLED or status.out_of_memory:
        memory = " (OOMKilled: out of memory on the host)" if status.out_of_memory else ""
        return [f"container {status.name} exited with code {KILLED}{memory}"]
    return []
