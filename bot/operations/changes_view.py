"""How changes read: how many and the newest first, then a line each."""

from datetime import timedelta

from bot.operations.changes_result import Change, Changes
from bot.operations.operation import Context
from bot.operations.wording import ago, count, duration
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Button, Line, Mention, Span, View, When, bold, line, plain, text

SHOWN = 6
QUIET = timedelta(minutes=5)
"""A clock that has not looked for so long does not look: what changed since then is unknown."""

WHAT_MOST = 240


def show(found: Changes, _context: Context) -> View:
    """The verdict, a line for each change, then what the answer does not cover."""
    lines, limits = tuple(_line(one) for one in found.changes), _limits(found)
    shown = min(SHOWN, LINES_LIMIT - 1 - len(limits))
    return View(
        verdict=_verdict(found),
        lines=(*lines[:shown], *limits),
        details=lines[shown:],
        buttons=(
            Button(label=f"Status of {found.deployment}", words=f"status {found.deployment}"),
            Button(label="Last 7 days", words=f"changes {found.deployment} since 7d"),
        ),
    )


def _verdict(found: Changes) -> Line:
    if not found.changes:
        known = "seen" if found.watched_since is not None else "known"
        return line(bold(f"No change {known} in {_span(found)}"), f" · {found.deployment}")
    newest = found.changes[0]
    least = "at least " if found.more else ""
    first = bold(f"{least}{count(len(found.changes), 'change')} in {_span(found)}")
    when = When(at=newest.at, date=True)
    room = VERDICT_LIMIT - len(plain(line(first, ":  ", when)))
    return line(first, f": {_cut(newest.what, room)} ", when)


def _span(found: Changes) -> str:
    """A day is told as people type it."""
    return "24 h" if found.seconds == 24 * 3600 else duration(found.seconds)


def _line(one: Change) -> Line:
    parts: list[Span] = [When(at=one.at, date=True), text(" ")]
    if one.who is not None:
        parts += [_who(one.who), text(" ")]
    parts.append(text(_cut(one.what, WHAT_MOST)))
    if one.yes_by is not None:
        parts += [text(" · yes by "), _who(one.yes_by)]
    return (*parts, text(f" · {one.ended or one.source}"))


def _limits(found: Changes) -> tuple[Line, ...]:
    """What a person would take for covered and is not: the time before the first look, and since the last one."""
    if found.watched_since is None:
        return (line("The engine was never looked at; only what people did through me is told."),)
    lines: list[Line] = []
    if found.watched_since > found.at - timedelta(seconds=found.seconds):
        lines.append(line("The engine is watched since ", When(at=found.watched_since, date=True), "; before that is unknown."))
    if found.looked_at is not None and found.at - found.looked_at > QUIET:
        lines.append(line(f"The engine was last looked at {ago(found.looked_at, found.at)}; since then is unknown."))
    return tuple(lines)


def _who(user: str) -> Span:
    return Mention(id=user) if user[:1] in {"U", "W"} else text(user)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"
