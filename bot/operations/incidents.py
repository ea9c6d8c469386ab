"""`incidents`, `incident take` and `incident snooze`: what is wrong now, and who sees to it."""

from datetime import timedelta

from pydantic import BaseModel, Field

from bot.errors import NotConnectedError, UsageError
from bot.nouns import Effect, Handling, Role, SeenBy, Watch
from bot.operations.incident_view import short
from bot.operations.operation import Arguments, Context, NoArguments, Operation
from bot.operations.values import IncidentName, Seconds
from bot.operations.wording import count
from bot.ports import Alerting
from bot.view import LINES_LIMIT, Mention, Shape, View, When, bold, line

LONGEST_S = 86400
"""Our choice: who puts something off for longer than a day has forgotten it."""


class TakeArguments(Arguments):
    """The incident by its id, as its buttons say it."""

    name: IncidentName


class SnoozeArguments(Arguments):
    """The incident, and for how long nobody is to be asked again, in seconds."""

    name: IncidentName
    for_: Seconds = Field(default=900, ge=60, le=LONGEST_S)


class Standing(BaseModel):
    """All that is wrong now, the oldest first."""

    incidents: tuple[Handling, ...]


class Taken(BaseModel):
    """An incident after somebody said something to it. `first`: nobody was on it before."""

    handling: Handling
    first: bool = True


async def run(context: Context, _arguments: NoArguments) -> Standing:
    """All that stand. Raises NotConnectedError without Redis."""
    return Standing(incidents=await _alerting(context).incidents.standing(context.services.team_id))


def show(found: Standing, context: Context) -> View:
    """A line for each."""
    if not found.incidents:
        return View(verdict=line(bold("Nothing is wrong that I watch"), " · what that is: watch list"), shape=Shape.GOOD)
    lines = tuple(short(one, context.now) for one in found.incidents)
    return View(
        verdict=line(bold(count(len(lines), "incident"))),
        shape=Shape.BAD,
        lines=lines[: LINES_LIMIT - 1],
        details=lines[LINES_LIMIT - 1 :],
    )


async def take(context: Context, arguments: TakeArguments) -> Taken:
    """Be named as who is on it; the first who says so is. Raises UsageError when it is over or unknown."""
    store, team = _alerting(context).incidents, context.services.team_id
    known = await _open(context, arguments.name)
    first = await store.take(team, known.incident.id, context.actor.user_id, context.now)
    found = await store.get(team, known.incident.id) or known
    return Taken(handling=found, first=first or found.taken_by == context.actor.user_id)


async def snooze(context: Context, arguments: SnoozeArguments) -> Taken:
    """Have nobody asked again for a while. Raises UsageError when it is over or unknown."""
    store, team = _alerting(context).incidents, context.services.team_id
    known = await _open(context, arguments.name)
    until = context.now + timedelta(seconds=arguments.for_)
    await store.snooze(team, known.incident.id, context.actor.user_id, until)
    return Taken(handling=await store.get(team, known.incident.id) or known)


def show_taken(found: Taken, _context: Context) -> View:
    """To whoever pressed; the alert itself names them within half a minute."""
    subject = found.handling.incident.subject
    if not found.first and found.handling.taken_by is not None:
        return View(verdict=line(bold("Somebody is on it already: "), Mention(id=found.handling.taken_by)))
    return View(verdict=line(bold(f"You are on it: {subject}"), ". Nobody else is asked; the alert names you."), shape=Shape.GOOD)


def show_snoozed(found: Taken, _context: Context) -> View:
    """Until when."""
    if found.handling.incident.kind is Watch.LEASE:
        return View(verdict=line(bold(f"{found.handling.incident.subject} ends as planned"), ": nobody is asked again"))
    until = found.handling.snoozed_until or found.handling.incident.since
    return View(verdict=line(bold(f"{found.handling.incident.subject}: nobody is asked again until "), When(at=until, date=True)))


async def _open(context: Context, name: str) -> Handling:
    found = await _alerting(context).incidents.get(context.services.team_id, name)
    if found is None or found.resolved_at is not None:
        gone = "is over" if found is not None else "is not known"
        raise UsageError(f"The incident {name} {gone}.", near=("incidents",), next_step="What stands now:")
    return found


def _alerting(context: Context) -> Alerting:
    if context.services.alerting is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    return context.services.alerting


INCIDENTS = Operation(
    path="incidents",
    summary="what is wrong now, and who is on it",
    when_to_use="To see all alerts that stand, whoever was told.",
    example="incidents",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    show=show,
)

INCIDENT_TAKE = Operation(
    path="incident.take",
    summary="be named as who sees to an alert",
    when_to_use="When you look after it: nobody else is asked again. The button of the alert says it.",
    example="incident take alert-1f2e3d4c5b",
    arguments=TakeArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.YOU,
    run=take,
    show=show_taken,
)

INCIDENT_SNOOZE = Operation(
    path="incident.snooze",
    summary="ask nobody again about an alert for a while",
    when_to_use="When it can wait. The buttons of the alert say it.",
    example="incident snooze alert-1f2e3d4c5b 15m",
    arguments=SnoozeArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.YOU,
    run=snooze,
    show=show_snoozed,
)
