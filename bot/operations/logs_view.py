"""How a log reads: how many errors of how many lines, then each kind of event with its count and times."""

from bot.operations.log_patterns import Event
from bot.operations.log_reading import LogKind
from bot.operations.logs_result import LogLook
from bot.operations.operation import Context
from bot.operations.wording import count, duration
from bot.view import Attachment, Button, Line, Shape, Span, View, When, bold, code, line, text

SHOWN = 5
WORDS_SHOWN = 30
NAMES = {LogKind.ENGINE: "engine log", LogKind.SYSTEM: "system log", LogKind.CLOUD: "cloud log"}


def show(found: LogLook, _context: Context) -> View:
    """The verdict; events or lines; what is not in it. The lines themselves follow as a file."""
    limits = tuple(line(one) for one in found.limits)
    rows = _rows(found)
    room = SHOWN + 2 - len(limits)
    return View(
        verdict=_verdict(found),
        shape=Shape.CONCERN if found.errors and found.asked_lines is None else Shape.NONE,
        lines=(*rows[:room], *limits),
        details=rows[room:],
        buttons=_buttons(found),
        attachment=_attachment(found),
    )


def _verdict(found: LogLook) -> Line:
    return line(bold(_said(found, f"{found.deployment}'s {NAMES[found.log]}")), f" · {_read(found)}")


def _said(found: LogLook, where: str) -> str:
    """What was asked for, and whether it is there."""
    if found.holding is not None:
        held = "No line" if not found.holding else count(found.holding, "line")
        return f"{held} of {where} hold{'s' * (found.holding < 2)} “{(found.words or '')[:WORDS_SHOWN]}”"
    if found.asked_lines is None:
        none = "No error" if found.read else "No line"
        return f"{count(found.errors, 'error') if found.errors else none} in {where}"
    shown = min(found.asked_lines, len(found.newest))
    if shown < 2:
        return f"The newest line of {where}" if shown else f"{where} is empty"
    return f"The newest {shown} lines of {where}"


def _read(found: LogLook) -> str:
    """How much was looked at, and of which time."""
    span = duration((found.until - found.since).total_seconds())
    between = f"{found.since:%H:%M} to {found.until:%H:%M} UTC"
    return f"{count(found.read, 'line')} read, {between if found.around else span}"


def _rows(found: LogLook) -> tuple[Line, ...]:
    """Lines where they were asked for, or few; else events."""
    if found.asked_lines is not None:
        return tuple(line(code(one)) for one in found.newest[-found.asked_lines :])
    if found.holding is not None and found.holding <= SHOWN:
        return tuple(line(code(one)) for one in found.newest)
    rows = tuple(row(one) for one in found.events)
    return (*rows, *((line(f"and {count(found.more_events, 'more kind')} of events"),) if found.more_events else ()))


def row(event: Event) -> Line:
    """`ERROR ×12, 02:38 to 02:59: EngineCore failed`."""
    return line(bold(f"{event.severity} ×{event.count:,}"), *times(event), ": ", code(event.example))


def times(event: Event) -> tuple[Span, ...]:
    """When it was first and last seen; nothing where the lines carry no time."""
    if event.first is None:
        return ()
    if event.count == 1 or event.last is None or event.last == event.first:
        return (text(" at "), When(at=event.first))
    return (text(" "), When(at=event.first), text(" to "), When(at=event.last))


def _buttons(found: LogLook) -> tuple[Button, ...]:
    others = [(NAMES[kind], kind) for kind in LogKind if kind is not found.log]
    newest = Button(label="Newest 12 lines", words=f"logs {found.log} {found.deployment} lines 12")
    errors = Button(label=f"Errors of {found.deployment}", words=f"errors {found.deployment}")
    return (
        errors if found.read or found.log is LogKind.CLOUD else newest,
        *(Button(label=name[:1].upper() + name[1:], words=f"logs {kind} {found.deployment}") for name, kind in others),
    )


def _attachment(found: LogLook) -> Attachment | None:
    """What users asked and were answered goes to the asker alone, whoever sees the message."""
    if not found.text:
        return None
    title = f"{found.deployment}: {NAMES[found.log]}, {found.since:%H:%M} to {found.until:%H:%M} UTC"
    return Attachment(name=f"{found.deployment}-{found.log}.log", title=title[:100], content=found.text, private=found.unmasked)
