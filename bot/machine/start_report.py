"""How far a start has come and, when it failed, why: from docker's status and the engine's log. Pure."""

from dataclasses import dataclass

from bot.diagnosis import Finding, Nature, diagnose
from bot.nouns import ContainerState, ContainerStatus
from bot.ports import LogPiece
from bot.serving.startup import Startup, read

KILLED = 137
"""128 + SIGKILL: docker's exit code for what the kernel or somebody killed."""


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


def report(status: ContainerStatus, log: LogPiece) -> StartReport:
    """Put status and log together. The log should reach back to the last start; `docker logs` keeps earlier ones too."""
    lines = [*log.lines, *_ending(status)]
    startup = read(log.lines)
    findings = [one for one in diagnose(lines) if one.nature is Nature.FAILURE and not one.over]
    state = _state(status, startup)
    return StartReport(state, startup, findings[0] if findings and state == "failed" else None)


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
