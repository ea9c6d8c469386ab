"""How errors read: how many and what is new, the kinds, what rules and Gemma make of them, and what was looked at."""

from bot.operations.errors_result import Errors, Looked
from bot.operations.log_reading import LogKind
from bot.operations.logs_view import row
from bot.operations.operation import Context
from bot.operations.wording import count, duration
from bot.view import Button, Line, Shape, View, When, bold, line

SHOWN = 3
WORDS_MOST = 500
STEP_MOST = 240
NAMES = {LogKind.ENGINE: "engine", LogKind.SYSTEM: "system", LogKind.CLOUD: "Cloud Logging"}


def show(found: Errors, _context: Context) -> View:
    """Seven lines at most below the verdict: three kinds, what is known, Gemma's words, what was read."""
    rows = tuple((*_mark(found, one.fingerprint), *row(one), f" ({NAMES[one.log]})") for one in found.events)
    kinds = tuple(line(*one) for one in rows)
    return View(
        verdict=_verdict(found),
        shape=_shape(found),
        lines=(*kinds[:SHOWN], *_known(found), *_words(found), _looked(found)),
        details=(*kinds[SHOWN:], *_more(found)),
        buttons=_buttons(found),
    )


def _verdict(found: Errors) -> Line:
    span = duration((found.at - found.since).total_seconds())
    if all(one.read is None for one in found.looked):
        return line(bold(f"Errors of {found.deployment} are unknown"), ": no log could be read")
    if not found.total:
        return line(bold(f"0 errors at {found.deployment}"), f" in {span}")
    many = f" in {span}: {count(found.total, 'error')} of {count(found.kinds, 'kind')}"
    if found.new is None:
        return line(bold(f"{count(found.total, 'error')} at {found.deployment}"), f" in {span}, of {count(found.kinds, 'kind')}")
    if found.new:
        return line(bold(f"{count(len(found.new), 'new kind')} of error at {found.deployment}"), many)
    return line(bold(f"No new error at {found.deployment}"), many)


def _shape(found: Errors) -> Shape:
    if found.new or any(not one.over for one in found.known) or (found.total and found.new is None):
        return Shape.CONCERN
    return Shape.NONE if found.total or any(one.read is None for one in found.looked) else Shape.GOOD


def _mark(found: Errors, fingerprint: str) -> Line:
    return line(bold("New: ")) if found.new and fingerprint in found.new else ()


def _known(found: Errors) -> tuple[Line, ...]:
    """The first thing that rules recognise, and its next step."""
    current = [one for one in found.known if not one.over]
    if not current:
        return ()
    first = current[0]
    said = f"{first.title[:1].upper()}{first.title[1:]} ({first.matched}). "
    return (line(said, bold("Next: "), first.step[:STEP_MOST]),)


def _words(found: Errors) -> tuple[Line, ...]:
    if found.words:
        note = f" ({count(found.unsupported, 'figure')} of it in no log)" if found.unsupported else ""
        return (line(bold("Gemma: "), " ".join(found.words)[:WORDS_MOST], note),)
    return (line(f"Without Gemma's words: {found.wordless}."),) if found.wordless else ()


def _looked(found: Errors) -> Line:
    """What was read, what could not be, and which source does not exist: an empty answer says what it looked at."""
    parts = [_source(one) for one in found.looked]
    if found.container_logs_in_cloud is False:
        parts.append("Cloud Logging does not receive container logs")
    said = line("; ".join(parts))
    if found.before is not None:
        return line(*said, "; compared with the report of ", When(at=found.before, date=True))
    return said


def _source(one: Looked) -> str:
    name = NAMES[one.log]
    if one.read is None:
        why = (one.missing or "").rstrip(".")
        return why if why.startswith(name) else f"{name} log not read: {why}"
    what = ("entry", "entries") if one.log is LogKind.CLOUD else ("line", "lines")
    return f"{one.read:,} {name} {what[one.read != 1]} read"


def _more(found: Errors) -> tuple[Line, ...]:
    """What did not fit: further findings, the line behind each, limits of reading."""
    lines = [line(bold(one.title), f" ({one.matched}{', over since' if one.over else ''}): {one.step}") for one in found.known]
    lines += [line("To make sure: ", one.check) for one in found.known if not one.over]
    lines += [line(limit) for one in found.looked for limit in one.limits]
    if found.kinds > len(found.events):
        lines.append(line(f"and {found.kinds - len(found.events):,} more kinds"))
    return tuple(lines)


def _buttons(found: Errors) -> tuple[Button, ...]:
    logs = {one.log for one in found.events[:SHOWN]} or {LogKind.ENGINE}
    name = found.deployment
    seconds = round((found.at - found.since).total_seconds())
    words = [(kind, f"logs {kind} {name} since {_typed(seconds)}") for kind in LogKind if kind in logs]
    longer = (Button(label="Last 24 h", words=f"errors {name} since 24h"),) if seconds < 24 * 3600 else ()
    titles = {LogKind.ENGINE: "Engine log", LogKind.SYSTEM: "System log", LogKind.CLOUD: "Cloud log"}
    return (*(Button(label=titles[kind], words=said) for kind, said in words), *longer)


def _typed(seconds: int) -> str:
    """A span as people type it: `2h`, `90m`, `45s`."""
    if seconds % 3600 == 0:
        return f"{seconds // 3600}h"
    return f"{seconds // 60}m" if seconds % 60 == 0 else f"{seconds}s"
