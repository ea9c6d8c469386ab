"""How a status reads on a phone at three in the morning (messages.md, T2)."""

from collections.abc import Callable

from bot.nouns import MachineState, RequestState
from bot.operations.changes_words import told
from bot.operations.grade import SHAPES, Grade
from bot.operations.operation import Context
from bot.operations.status_result import Status
from bot.operations.wording import ago, count, duration, money, percent, seconds
from bot.view import Button, Line, Shape, Span, View, When, bold, line, text

_REQUESTED = frozenset(map(str, RequestState)) - frozenset(map(str, MachineState))
"""States that only a request for a machine has."""

CHANGE_MOST = 120
"""Characters of the last change; `changes` tells it whole."""


def show(status: Status, _context: Context) -> View:
    """The verdict first, then load and machine, then change, money and age, then what could not be learnt."""
    lines = [_load_and_machine(status), _rest(status), *(line(missing) for missing in status.missing)]
    return View(
        verdict=_VERDICTS[status.grade](status),
        shape=SHAPES[status.grade],
        lines=tuple(one for one in lines if one),
        buttons=(
            *why(status),
            Button(label="Look again", words=f"status {status.deployment}"),
            *what_changed(status),
            Button(label="Chart", words=f"metrics {status.deployment} since 6h"),
        ),
    )


def why(status: Status) -> tuple[Button, ...]:
    """Where something is wrong, the question that a person has next."""
    if SHAPES[status.grade] is Shape.GOOD:
        return ()
    return (Button(label="Ask why", words=f"ask why {status.deployment} is {status.grade.value}"),)


def what_changed(status: Status) -> tuple[Button, ...]:
    """The first question of every incident, where somebody watches."""
    if status.watched_since is None:
        return ()
    return (Button(label="What changed today", words=f"changes {status.deployment} since 24h"),)


def _named(status: Status, words: str) -> Span:
    return bold(f"{status.deployment} is {words}")


def _slow(status: Status) -> Line:
    parts: list[str | Span] = [_named(status, "slow, not down")]
    if status.first_token is not None:
        usual = f" (usual {seconds(status.first_token_usual.value)})" if status.first_token_usual else " (usual unknown yet)"
        parts.append(f": first token {seconds(status.first_token.value)}{usual}")
    if status.slow_since is not None:
        parts += [" since ", When(at=status.slow_since)]
    return line(*parts)


def _serves(status: Status) -> Line:
    what = status.model.rpartition("/")[2] if status.model else "model unknown"
    where = f" on {status.accelerator}" if status.accelerator else ""
    pace = ""
    if status.first_token is not None:
        pace = f" · first token {seconds(status.first_token.value)}"
        pace += f" (usual {seconds(status.first_token_usual.value)})" if status.first_token_usual else ""
    word = "ready, nobody asks it" if status.grade is Grade.IDLE else "ready"
    return line(_named(status, word), f" · {what}{where}{pace}")


def _full(status: Status) -> Line:
    waiting = f": {status.waiting.value:.0f} requests wait for room" if status.waiting else ""
    return line(_named(status, "full, not down"), waiting)


def _silent(status: Status) -> Line:
    why = ", though its machine runs" if status.machine_state == "ready" else ""
    return line(_named(status, "not answering"), why)


def _down(status: Status) -> Line:
    return line(_named(status, "down"), ": the engine says that it is not healthy")


def _no_machine(status: Status) -> Line:
    """A machine that is there but does not run may still bill."""
    if status.machine_state is None:
        return line(bold(f"{status.deployment} has no machine"), ": nothing runs and nothing bills")
    whose = "the request for its machine" if status.machine_state in _REQUESTED else "its machine"
    return line(
        _named(status, "not running"), f": {whose} {'' if status.machine_state == 'failed' else 'is '}{status.machine_state}"
    )


def _queued(status: Status) -> Line:
    return line(_named(status, "queued"), ": Google has no free capacity yet; waiting costs nothing")


_VERDICTS: dict[Grade, Callable[[Status], Line]] = {
    Grade.SLOW: _slow,
    Grade.READY: _serves,
    Grade.IDLE: _serves,
    Grade.FULL: _full,
    Grade.DOWN: _down,
    Grade.SILENT: _silent,
    Grade.QUEUED: _queued,
    Grade.BOOTING: lambda status: line(_named(status, "booting"), ": the machine is being made"),
    Grade.NO_MACHINE: _no_machine,
}


def _load_and_machine(status: Status) -> Line:
    load = []
    if status.running is not None:
        load.append(f"{status.running.value:.0f} running")
    if status.waiting is not None:
        load.append(f"{status.waiting.value:.0f} waiting")
    if status.requests_per_second is not None:
        load.append(f"{status.requests_per_second.value:.1f} requests/s")
    parts = [", ".join(load) if load else "Load unknown"]
    if status.cache is not None:
        parts.append(f"cache {percent(status.cache.value)} full")
    return line(" · ".join(parts) + ". ", _machine(status))


def _machine(status: Status) -> Span:
    if status.machine_state is None:
        return text("No machine." if status.grade is Grade.NO_MACHINE else "Machine unknown.")
    health = f" and {status.machine_health.lower()}" if status.machine_health else ""
    where = f", {status.zone}" if status.zone else ""
    if status.machine_state in _REQUESTED:
        return text(f"Machine {status.machine or '(no name)'} was asked for: {status.machine_state}{where}.")
    return text(f"Machine {status.machine or '(no name)'} {status.machine_state}{health}{where}.")


def _last_change(status: Status) -> Line:
    if status.last_change is not None:
        return line(f"{told(status.last_change)[:CHANGE_MOST]} ", When(at=status.last_change.at, date=True))
    if status.watched_since is not None:
        return line("none seen since ", When(at=status.watched_since, date=True))
    return line("unknown")


def _errors(status: Status) -> Line:
    """From the last look into the logs, with its time: reading them anew would take longer than a status may."""
    last = status.last_errors
    if last is None:
        return line("New errors: unknown")
    if last.errors and last.new is None:
        return line(f"Errors: {last.errors:,} (read ", When(at=last.at, date=True), ")")
    new = count(last.new, "kind") if last.new else "none"
    return line(f"New errors: {new} (read ", When(at=last.at, date=True), ")")


def _rest(status: Status) -> Line:
    parts: list[str | Span] = ["Last change: ", *_last_change(status), ". ", *_errors(status), ". "]
    if status.usd_per_hour is not None:
        price = status.usd_per_hour
        parts.append(f"{money(price.value)}/h (list price of {price.at.day} {price.at:%b}) · ")
    else:
        parts.append("Price unknown · ")
    if status.ends_at is None:
        parts.append("end unknown")
    else:
        left = (status.ends_at - status.at).total_seconds()
        parts += ["ends in " if left > 0 else "ended ", f"{duration(left)}{'' if left > 0 else ' ago'}"]
    parts.append(f" · engine seen {ago(status.seen, status.at)}" if status.seen else " · last sight of the engine unknown")
    return line(*parts)
