"""How triage reads on a phone while Gemma is down (messages.md T12)."""

from bot.operations.changes_words import told
from bot.operations.triage_result import Triage
from bot.operations.wording import ago, count
from bot.view import Button, Line, Shape, Span, View, When, bold, code, line, text

BY_RULES = "; this comes from rules, not from Gemma"
CHANGE_MOST = 120
LINE_MOST = 300
LOG_LINES = 12


def show(found: Triage, why: str = "") -> View:
    """The verdict with where it comes from, what matches, what to try; signs and the line of the log wait behind Details."""
    lines = [_state(found), _try(found), _change(found), *([_unknown(found)] if found.missing else [])]
    return View(
        verdict=_verdict(found),
        shape=Shape.CONCERN if found.answers else Shape.BAD,
        lines=tuple(lines),
        buttons=_buttons(found),
        details=_details(found, why),
    )


def _verdict(found: Triage) -> Line:
    if found.answers:
        return line(bold(f"Gemma is up but gave no answer{BY_RULES}"))
    if found.silent_since is None:
        return line(bold(f"Gemma does not answer{BY_RULES}"))
    return line(bold("Gemma has not answered since "), When(at=found.silent_since), bold(BY_RULES))


def _state(found: Triage) -> Line:
    parts: list[str | Span] = [_machine(found), *_container(found)]
    if found.name == "unknown":
        return line(*parts, "No rule matches what can be seen.")
    return line(*parts, f"Matches “{found.title}”: {found.matched}.")


def _machine(found: Triage) -> str:
    if found.machine_state is None:
        return "No machine was found. " if found.name == "machine_gone" else "Machine unknown. "
    healthy = f" and {found.machine_health.lower()}" if found.machine_health else ""
    return f"Machine {found.machine or '(no name)'} {found.machine_state}{healthy}. "


def _container(found: Triage) -> list[str | Span]:
    """Docker's word, and since when; an exit code that means something is said with it."""
    if found.container is None:
        return ["Engine container unknown. "]
    if found.container == "absent":
        return ["No engine container. "]
    parts: list[str | Span] = [f"Engine container {found.container}"]
    parts += [f" with {found.exit_code}"] if found.container != "running" and found.exit_code is not None else []
    parts += [" since ", When(at=found.container_since)] if found.container_since is not None else []
    return [*parts, ". "]


def _try(found: Triage) -> Line:
    return line(bold("Try: "), f"{found.step[:1].lower()}{found.step[1:].rstrip('.')}", _back(found), _loss(found), ".")


def _back(found: Triage) -> str:
    """How long a start takes here, where the engine would be started."""
    starts = found.act is not None and found.act[1].startswith("engine ")
    return f" ({found.back_in} here)" if starts and found.back_in else ""


def _loss(found: Triage) -> Span:
    """What a restart would cut off, as far as it is known. Behind a silent engine nothing runs that could still end well."""
    if found.act is None or not found.act[1].startswith("engine restart"):
        return text("")
    if found.container not in {None, "running"}:
        return text("; no request runs that it could cut off")
    if found.running is None or found.seen is None:
        return text("; whether requests run is unknown")
    return text(f"; {count(round(found.running), 'request')} ran when it was last seen, {ago(found.seen, found.at)}")


def _change(found: Triage) -> Line:
    if found.last_change is None:
        return line("Last change: none known.")
    return line(f"Last change: {told(found.last_change)[:CHANGE_MOST]} ", When(at=found.last_change.at, date=True), ".")


def _unknown(found: Triage) -> Line:
    sentences = " · ".join(one.rstrip(".") for one in found.missing)
    return line(f"Not looked at: {sentences}"[:LINE_MOST])


def _buttons(found: Triage) -> tuple[Button, ...]:
    act = (Button(label=found.act[0][:75], words=found.act[1], style="primary"),) if found.act else ()
    read = found.container not in {None, "absent"}
    log = Button(label=f"Log, {LOG_LINES} lines", words=f"logs engine {found.deployment} lines {LOG_LINES}")
    return (*act, *((log,) if read else ()))


def _details(found: Triage, why: str) -> tuple[Line, ...]:
    lines = [line(f"✓ {one}") for one in found.signs] + [line(f"– not seen: {one}") for one in found.unseen]
    lines += [line("In the log: ", code(found.line[:LINE_MOST]))] if found.line else []
    lines += [line("To make sure: ", found.check)] if found.check else []
    return (*lines, *((line(f"When Gemma was asked: {why}"[:LINE_MOST]),) if why else ()))
