"""Signs that triage looks for in what was seen: each is true, false, or unknown. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.diagnosis import Nature
from bot.nouns import ContainerState, MachineState, RequestState
from bot.operations.grade import FULL_CACHE
from bot.operations.triage_seen import Seen
from bot.serving.startup import Startup, read

Test = Callable[[Seen], bool | None]
_ENDED = frozenset({ContainerState.EXITED, ContainerState.DEAD, ContainerState.RESTARTING})
_REQUEST_ENDED = frozenset({RequestState.FAILED, RequestState.SUSPENDED, RequestState.SUSPENDING, RequestState.DELETING})
STOPPED_BY = frozenset({0, 130, 143})
"""Exit codes of a container that was told to stop: an orderly end, SIGINT, SIGTERM."""
KILLED = 137


@dataclass(frozen=True)
class Mark:
    """One sign: a label for people, and a test that gives None where nothing is known."""

    label: str
    test: Test


def is_silent(seen: Seen) -> bool:
    """No good answer to the health check."""
    return seen.answers is not True


def machine_is_gone(seen: Seen) -> bool:
    """Ended, lost, or nowhere in a fleet that was seen whole."""
    if not seen.machine_known:
        return False
    if seen.machine is not None:
        return seen.machine.state in {MachineState.LOST, MachineState.ENDING}
    return seen.request is None or seen.request.state in _REQUEST_ENDED


def is_being_made(seen: Seen) -> bool:
    """A machine, or a request for one, on its way."""
    if seen.machine is not None:
        return seen.machine.state is MachineState.CREATING
    return seen.request is not None and seen.request.state not in _REQUEST_ENDED


def machine_is(*states: MachineState) -> Test:
    """Whether the cloud says one of these states."""
    return lambda seen: None if seen.machine is None else seen.machine.state in states


def is_unwell(seen: Seen) -> bool:
    """Under repair, or with a health that is not good."""
    machine = seen.machine
    if machine is None:
        return False
    return machine.state is MachineState.REPAIRING or (machine.health or "HEALTHY").upper() != "HEALTHY"


def is_well(seen: Seen) -> bool | None:
    """Ready, and not unwell."""
    return None if seen.machine is None else seen.machine.state is MachineState.READY and not is_unwell(seen)


def log_names(*names: str) -> Test:
    """Whether a log shows one of these findings, not overcome since."""

    def test(seen: Seen) -> bool | None:
        if seen.engine is None and seen.system is None:
            return None
        return any(one.name in names and not one.over for one in (*seen.findings, *seen.machine_findings))

    return test


def container_is(*states: ContainerState) -> Test:
    """Whether docker says one of these states."""
    return lambda seen: None if seen.container is None else seen.container.state in states


def is_absent(seen: Seen) -> bool:
    """Docker was asked and knows no such container."""
    return seen.container is not None and seen.container.state is ContainerState.ABSENT


def has_ended(seen: Seen) -> bool | None:
    """Ended, also where docker starts it again and again."""
    return None if seen.container is None else seen.container.state in _ENDED


def kept_restarting(seen: Seen) -> bool:
    """Docker started it again more than once."""
    return seen.container is not None and (seen.container.restarts or 0) > 1


def exited_with(*codes: int) -> Test:
    """Whether it ended with one of these codes."""
    return lambda seen: None if seen.container is None or seen.container.exit_code is None else seen.container.exit_code in codes


def ran_out_of_memory(seen: Seen) -> bool:
    """Docker says so, or the kernel does and the container ended."""
    told = seen.container is not None and bool(seen.container.out_of_memory)
    kernel = any(one.name == "host_memory" and not one.over for one in (*seen.findings, *seen.machine_findings))
    return told or (kernel and bool(has_ended(seen) or kept_restarting(seen)))


def last_start(seen: Seen) -> Startup | None:
    """What the newest start in the log says of itself."""
    return read(seen.engine.lines) if seen.engine is not None and seen.engine.lines else None


def is_starting(seen: Seen) -> bool:
    """The container runs and its newest start is neither up nor failed."""
    start = last_start(seen)
    up = seen.container is not None and seen.container.state is ContainerState.RUNNING
    return up and start is not None and start.state not in {None, "ready", "failed"}


def was_ready(seen: Seen) -> bool | None:
    """Whether the newest start came up."""
    start = last_start(seen)
    return None if start is None else start.state == "ready"


def is_full(seen: Seen) -> bool:
    """Requests wait while the cache is full."""
    gauges = seen.sample.gauges if seen.sample is not None else {}
    return seen.answers is True and gauges.get("waiting", 0) > 0 and gauges.get("kv_cache_usage", 0) >= FULL_CACHE


def runs(seen: Seen) -> bool:
    """Docker says that it runs."""
    return seen.container is not None and seen.container.state is ContainerState.RUNNING


def no_failure_named(seen: Seen) -> bool | None:
    """Whether the log was read and shows no known failure."""
    return None if seen.engine is None else not any(one.nature is Nature.FAILURE and not one.over for one in seen.findings)


SILENT = Mark("the engine does not answer", is_silent)
WELL = Mark("its machine is ready and healthy", is_well)
REACHED = Mark("the machine answers over SSH", lambda seen: seen.reached)
CONTAINER_ENDED = Mark("its container ended", has_ended)
