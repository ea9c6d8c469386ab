"""`audit`: who did what, with whose yes, how it ended."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from pydantic import BaseModel

from bot.errors import NotConnectedError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import Seconds
from bot.operations.wording import count, duration
from bot.view import Line, Mention, Span, View, When, bold, code, line, text

SHOWN = 6
MOST = 60
"""Entries that one answer holds; the newest first."""


class AuditArguments(Arguments):
    """How far back to look, in seconds."""

    since: Seconds = 24 * 3600


class Entry(BaseModel):
    """One thing that somebody did. `yes_by` said yes to it; `because` is the reason of whoever broke the glass."""

    at: datetime
    who: str
    door: str
    operation: str
    said: str
    yes_by: str | None
    because: str | None
    ended: str


class Audited(BaseModel):
    """The newest entries first; `more` says that the list is cut."""

    entries: tuple[Entry, ...]
    seconds: int
    more: bool


async def run(context: Context, arguments: AuditArguments) -> Audited:
    """Read the trail."""
    house = context.services.house
    if house is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    since = context.now - timedelta(seconds=arguments.since)
    raw = await house.trail.since(context.services.team_id, since, MOST + 1)
    entries = tuple(_entry(one) for one in raw[:MOST])
    return Audited(entries=entries, seconds=arguments.since, more=len(raw) > MOST)


def _entry(raw: Mapping[str, str]) -> Entry:
    """Fields that an older version did not write are empty."""
    path = raw.get("operation", "")
    return Entry(
        at=datetime.fromisoformat(raw["at"]),
        who=raw.get("who", ""),
        door=raw.get("door", ""),
        operation=path,
        said=raw.get("said") or path.replace(".", " "),
        yes_by=raw.get("yes_by") or None,
        because=raw.get("because") or None,
        ended=raw.get("ended", ""),
    )


def show(found: Audited, _context: Context) -> View:
    """A line each."""
    span = "24 h" if found.seconds == AuditArguments().since else duration(found.seconds)
    if not found.entries:
        return View(verdict=line(bold(f"Nothing was changed, spent or destroyed in the last {span}")))
    lines = tuple(_line(one) for one in found.entries)
    least = "at least " if found.more else ""
    return View(
        verdict=line(bold(f"{least}{count(len(lines), 'entry', 'entries')} in the last {span}")),
        lines=lines[:SHOWN],
        details=lines[SHOWN:],
    )


def _line(one: Entry) -> Line:
    parts: list[Span] = [When(at=one.at, date=True), text(" "), _who(one.who), text(" "), code(one.said[:120])]
    if one.yes_by is not None:
        parts += [text(" · yes by "), _who(one.yes_by)]
    if one.because is not None:
        parts += [text(f" · glass broken: {one.because[:120]}")]
    return (*parts, text(f" · {one.door} · {one.ended[:120]}"))


def _who(user: str) -> Span:
    return Mention(id=user) if user[:1] in {"U", "W"} else text(user or "unknown")


AUDIT = Operation(
    path="audit",
    summary="who did what, with whose yes, how it ended",
    when_to_use="After the fact: who changed, spent or destroyed something.",
    example="audit since 24h",
    arguments=AuditArguments,
    effect=Effect.READS,
    role=Role.ADMIN,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    whisper=True,
)
