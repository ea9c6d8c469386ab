"""What is most likely wrong, by rules over what was seen. Pure: the same sights give the same verdict, with the signs named."""

from dataclasses import dataclass

from bot.diagnosis import Finding, Nature
from bot.nouns import MachineState
from bot.operations.triage_seen import Seen
from bot.operations.triage_signs import (
    CONTAINER_ENDED,
    KILLED,
    REACHED,
    SILENT,
    STOPPED_BY,
    WELL,
    Mark,
    exited_with,
    has_ended,
    is_absent,
    is_being_made,
    is_full,
    is_starting,
    is_unwell,
    kept_restarting,
    log_names,
    machine_is,
    machine_is_gone,
    no_failure_named,
    ran_out_of_memory,
    runs,
    was_ready,
)

_PROCESS_ONLY = frozenset({"engine_died", "killed", "cause_not_in_log", "engine_hangs"})
"""Findings that say how the engine ended and not why."""


@dataclass(frozen=True)
class Rule:
    """One explanation. `must` has to be seen; `marks` support it. `act` is (label, words) that would help."""

    name: str
    title: str
    must: Mark
    marks: tuple[Mark, ...]
    step: str
    act: tuple[str, str] | None = None


@dataclass(frozen=True)
class Verdict:
    """What it most likely is. `signs` were seen, `unseen` were looked for and not found or could not be looked at.

    `act` is (label, words) with {deployment} and {machine} filled in. `finding` is the line of the log behind it, if one is.
    """

    name: str
    title: str
    signs: tuple[str, ...]
    unseen: tuple[str, ...]
    step: str
    act: tuple[str, str] | None = None
    finding: Finding | None = None

    @property
    def matched(self) -> str:
        """For instance "4 of 4 signs"."""
        total = len(self.signs) + len(self.unseen)
        return f"{len(self.signs)} of {total} sign{'s' * (total != 1)}"


def verdict(seen: Seen) -> Verdict:
    """The first rule that must be true; failures that the log names stand at their place among them."""
    for rule in BEFORE_THE_LOG:
        if rule.must.test(seen):
            return _of(rule, seen)
    named = _named_failure(seen)
    if named is not None:
        return _of_finding(named, seen)
    return next(_of(rule, seen) for rule in (*AFTER_THE_LOG, UNKNOWN) if rule.must.test(seen))


def _of(rule: Rule, seen: Seen) -> Verdict:
    signs = [rule.must.label, *(mark.label for mark in rule.marks if mark.test(seen))]
    unseen = [mark.label for mark in rule.marks if not mark.test(seen)]
    finding = next((one for one in (*seen.findings, *seen.machine_findings) if one.name == rule.name and not one.over), None)
    if finding is not None:
        signs += [sign for sign in finding.signs if sign not in signs]
    return Verdict(rule.name, rule.title, tuple(signs), tuple(unseen), rule.step, _filled(rule.act, seen), finding)


def _named_failure(seen: Seen) -> Finding | None:
    """The failure that the engine's log names, unless the engine is up by now or its container is gone."""
    if is_absent(seen) or seen.answers:
        return None
    failures = [one for one in seen.findings if one.nature is Nature.FAILURE and not one.over and one.name not in _PROCESS_ONLY]
    return next(iter(failures), None)


def _of_finding(finding: Finding, seen: Seen) -> Verdict:
    """A known failure: its own signs, and whether engine and container agree. No restart is offered: it would fail again."""
    marks = (SILENT, Mark("its container does not run", lambda s: has_ended(s) or kept_restarting(s)))
    signs = (*finding.signs, *(mark.label for mark in marks if mark.test(seen)))
    missing = finding.signs_total - len(finding.signs)
    unseen = (*(["another sign in the log"] * missing), *(mark.label for mark in marks if not mark.test(seen)))
    return Verdict(finding.name, finding.title, signs, unseen, finding.next_step, None, finding)


def _filled(act: tuple[str, str] | None, seen: Seen) -> tuple[str, str] | None:
    machine = seen.machine.name if seen.machine else None
    if act is None or ("{machine}" in "".join(act) and machine is None):
        return None
    label, words = (part.format(deployment=seen.deployment, machine=machine) for part in act)
    return label, words


RESTART = ("Restart engine", "engine restart {deployment}")
START = ("Start engine", "engine start {deployment}")

BEFORE_THE_LOG = (
    Rule(
        "being_made",
        "its machine is still being made",
        Mark("the cloud is making or looking for it", is_being_made),
        (SILENT,),
        "Wait: a machine takes minutes once a zone has room, and hours until then.",
    ),
    Rule(
        "machine_gone",
        "its machine is gone",
        Mark("the cloud has no such machine, or is ending it", machine_is_gone),
        (SILENT, Mark("no answer over SSH", lambda seen: seen.reached is not True)),
        "Find a new machine: nothing can be restarted on one that is gone.",
        ("Find a machine", "find {deployment}"),
    ),
    Rule(
        "machine_stopped",
        "its machine is stopped",
        Mark("the cloud says that it is stopped", machine_is(MachineState.STOPPED)),
        (SILENT,),
        "Start the machine; the engine comes up with it.",
        ("Start {machine}", "machine start {machine}"),
    ),
    Rule(
        "machine_unwell",
        "its machine is not healthy",
        Mark("the cloud says that it is not healthy", is_unwell),
        (SILENT, Mark("no answer over SSH", lambda seen: seen.reached is not True)),
        "Google repairs it by itself, or not: if it is not back in ten minutes, replace it.",
        ("Look at {machine}", "machine {machine}"),
    ),
    Rule(
        "host_memory",
        "the machine's own memory ran out and the engine was killed",
        Mark("docker or the kernel says so", ran_out_of_memory),
        (CONTAINER_ENDED, Mark("exit code 137", exited_with(KILLED)), SILENT),
        "Free memory first (old weights in /dev/shm) or take a machine with more; then start the engine again.",
        RESTART,
    ),
)
"""What the cloud and docker say for certain; it explains whatever the log says."""

AFTER_THE_LOG = (
    Rule(
        "engine_died",
        "engine core died",
        Mark("the log says that the engine core died", log_names("engine_died")),
        (CONTAINER_ENDED, SILENT, WELL),
        "Restart it; if it dies again within the hour, go back to the last image or flags that worked.",
        RESTART,
    ),
    Rule(
        "engine_hangs",
        "the engine hangs: it runs but makes no progress",
        Mark("the log says that nothing moves", log_names("engine_hangs")),
        (SILENT, Mark("its container runs", runs), WELL),
        "Wait three minutes; if nothing moves, restart it.",
        RESTART,
    ),
    Rule(
        "absent",
        "there is no engine on its machine",
        Mark("docker knows no engine container", is_absent),
        (SILENT, WELL),
        "Start it.",
        START,
    ),
    Rule(
        "stopped",
        "somebody or something stopped the engine",
        Mark("its container ended as one that was told to", lambda s: bool(has_ended(s) and exited_with(*STOPPED_BY)(s))),
        (SILENT, WELL, Mark("no failure in its log", no_failure_named)),
        "See in changes who stopped it, then start it.",
        START,
    ),
    Rule(
        "killed",
        "something killed the engine from outside",
        Mark("it ended with 137", lambda s: bool(has_ended(s) and (exited_with(KILLED)(s) or log_names("killed")(s)))),
        (SILENT, WELL, Mark("no failure in its log", no_failure_named)),
        "Most often that is memory: look at the system's log, then restart.",
        RESTART,
    ),
    Rule(
        "ended",
        "the engine ended, and no rule knows why",
        Mark("its container ended", lambda s: bool(has_ended(s))),
        (SILENT, WELL),
        "Read the end of its log, then restart.",
        RESTART,
    ),
    Rule(
        "starting",
        "the engine is still starting",
        Mark("its log shows a start that is under way", is_starting),
        (SILENT, Mark("its container runs", runs), WELL),
        "Wait: a start with its compile cache takes about ten minutes, a first one up to forty.",
    ),
    Rule(
        "full",
        "it is up but full: requests wait for room in the cache",
        Mark("requests wait and the cache is full", is_full),
        (Mark("it answers its health check", lambda s: s.answers),),
        "Find who sends the long prompts, or wait; a restart would only cut the requests that run.",
        ("What is running", "metrics {deployment} since 1h"),
    ),
    Rule(
        "recovered",
        "it answers its health check again",
        Mark("it answers its health check", lambda s: s.answers is True),
        (Mark("its container runs", runs), WELL),
        "Ask again; if no answer comes, the model is slow rather than gone.",
        ("Check its answers", "health {deployment}"),
    ),
    Rule(
        "unreachable_engine",
        "the engine runs, but the bot cannot reach it",
        Mark("its container runs and its log shows it up", lambda s: bool(runs(s) and was_ready(s))),
        (SILENT, REACHED, Mark("no failure in its log", no_failure_named), WELL),
        "Look at the way between: address and port, firewall, tunnel. If it does not answer on its own machine either, it hangs.",
        ("Check the connections", "doctor"),
    ),
    Rule(
        "unreachable_machine",
        "its machine runs, but the bot cannot look into it",
        Mark(
            "the cloud says ready, SSH says nothing", lambda s: bool(machine_is(MachineState.READY)(s)) and s.reached is not True
        ),
        (SILENT, WELL),
        "Check key, address and firewall; the cloud's own state is above.",
        ("Check the connections", "doctor"),
    ),
)

UNKNOWN = Rule(
    "unknown",
    "no rule matches what can be seen",
    Mark("the engine does not answer", lambda _: True),
    (),
    "See what could not be looked at, and connect it; then look again.",
    ("Check the connections", "doctor"),
)
