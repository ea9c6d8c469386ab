"""How an incident reads: what is wrong since when, what bills, who sees to it; and at the end how long it took."""

from collections.abc import Callable
from datetime import datetime

from bot.nouns import Handling, Incident, ProvisioningModel, Watch
from bot.operations.incident_rules import lasted
from bot.operations.machine_words import rate
from bot.operations.planned import PLANNED
from bot.operations.wording import duration, money
from bot.view import Button, Line, Mention, Shape, Span, View, When, bold, line

SHAPES = {
    Watch.DOWN: Shape.BAD,
    Watch.LOST: Shape.BAD,
    Watch.LEASE: Shape.TIME,
    Watch.IDLE: Shape.CONCERN,
    Watch.ORPHAN: Shape.CONCERN,
}


def view(found: Handling, now: datetime, *, running: float | None = None) -> View:
    """As it stands now. `running` is how many requests run there, None where nobody knows."""
    one = found.incident
    if found.resolved_at is not None:
        return _resolved(found, found.resolved_at)
    lines = [*_BODIES[one.kind](one, running), *((line(found.fact),) if found.fact else ()), *_handled(found, now)]
    return View(
        verdict=_VERDICTS[one.kind](one, now),
        shape=SHAPES[one.kind],
        lines=tuple(lines),
        buttons=(*_acts(one), *_answers(found)),
    )


def reminder(found: Handling, now: datetime, oncall: str | None) -> View:
    """Said again below the first message, to somebody who may get up."""
    one = found.incident
    named: tuple[Span, ...] = (Mention(id=oncall), bold(" · ")) if oncall else ()
    return View(verdict=(*named, *_VERDICTS[one.kind](one, now)), lines=(line("Nobody said yet that they are on it."),))


def last_call(found: Handling, now: datetime, *, running: float | None) -> View:
    """A quarter of an hour before the end, below the first message."""
    one = found.incident
    owner: tuple[Span, ...] = (Mention(id=one.owner), bold(" · ")) if one.owner else ()
    return View(verdict=(*owner, *_lease(one, now)), shape=Shape.TIME, lines=_lease_lines(one, running), buttons=_acts(one))


def over(found: Handling) -> View:
    """Below the first message once it is over, for an edit notifies nobody."""
    shown = _resolved(found, found.resolved_at or found.incident.since)
    named: tuple[Span, ...] = (Mention(id=found.taken_by), bold(" · ")) if found.taken_by else ()
    return View(verdict=(*named, *shown.verdict), shape=Shape.GOOD)


def _resolved(found: Handling, at: datetime) -> View:
    one = found.incident
    took = f"after {lasted(one.since, at)}" if one.kind in {Watch.DOWN, Watch.LOST} else "over"
    what = _NAMES[one.kind](one)
    by: Line = (bold(" "),) if not found.taken_by else line(" · ", Mention(id=found.taken_by), " was on it")
    how = f": {found.how}" if found.how else ""
    return View(
        verdict=line(bold(f"Resolved {took}"), f" · {what}{how}"),
        shape=Shape.GOOD,
        lines=(line("From ", When(at=one.since, date=True), " to ", When(at=at, date=True), *(by if found.taken_by else ())),),
        buttons=_looks(one),
    )


def short(found: Handling, now: datetime) -> Line:
    """One line for lists: what, since when, and who is on it."""
    one = found.incident
    by: Line = line(" · ", Mention(id=found.taken_by), " is on it") if found.taken_by else ()
    return (*line(f"{SHAPES[one.kind].value} "), *_VERDICTS[one.kind](one, now), *by)


_NAMES: dict[Watch, Callable[[Incident], str]] = {
    Watch.DOWN: lambda one: f"{one.subject} did not answer",
    Watch.LOST: lambda one: f"machine {one.subject} was lost",
    Watch.LEASE: lambda one: f"the end of {one.subject}",
    Watch.IDLE: lambda one: f"{one.subject} was idle",
    Watch.ORPHAN: lambda one: f"{one.subject} belonged to nobody",
}


def _down(one: Incident, now: datetime) -> Line:
    return line(bold(f"{one.subject} does not answer"), " since ", When(at=one.since), f", {lasted(one.since, now)}")


def _lost(one: Incident, _now: datetime) -> Line:
    where = f" in {one.zone}" if one.zone else ""
    serves = f", so {one.deployment} is down" if one.deployment else ""
    return line(bold(f"Machine {one.subject} is lost"), f"{where} since ", When(at=one.since), serves)


def _lease(one: Incident, now: datetime) -> Line:
    if one.ends_at is None:
        return line(bold(f"{one.subject} ends, nobody knows when"))
    left = (one.ends_at - now).total_seconds()
    when = f", in {duration(left)}" if left > 0 else ""
    fixed = ", and cannot be extended" if one.provisioning is ProvisioningModel.FLEX_START else ""
    return line(bold(f"{one.subject} ends at "), When(at=one.ends_at), bold(f"{when}{fixed}"))


def _idle(one: Incident, _now: datetime) -> Line:
    return line(
        bold(f"{one.subject} runs without a request"), " since ", When(at=one.since), " or longer, ", rate(one.usd_per_hour)
    )


def _orphan(one: Incident, _now: datetime) -> Line:
    return line(bold(f"{one.subject} belongs to nobody and bills {rate(one.usd_per_hour)}"), f" in {one.zone}")


_VERDICTS: dict[Watch, Callable[[Incident, datetime], Line]] = {
    Watch.DOWN: _down,
    Watch.LOST: _lost,
    Watch.LEASE: _lease,
    Watch.IDLE: _idle,
    Watch.ORPHAN: _orphan,
}


def _down_lines(one: Incident, _running: float | None) -> tuple[Line, ...]:
    return (line(one.because or "Seen by two looks of the clock and one more just before this. I changed nothing."),)


def _lost_lines(one: Incident, _running: float | None) -> tuple[Line, ...]:
    spot = one.provisioning is ProvisioningModel.SPOT
    why = "Google may take spot machines away at any time." if spot else "I did not end it, and its time was not over."
    return (line(f"{why} Two looks did not find it running. What it held is gone; a machine that is gone bills nothing."),)


def _lease_lines(one: Incident, running: float | None) -> tuple[Line, ...]:
    how = {ProvisioningModel.FLEX_START: "flex-start: Google deletes it then.", None: "How it was bought is unknown."}
    ends = how.get(one.provisioning, f"{one.provisioning}: I delete it then.")
    known = "how many run now is unknown" if running is None else f"{running:.0f} run now"
    lines = [line(f"{ends} Requests still open then are cut off; {known}.")]
    if one.provisioning is ProvisioningModel.FLEX_START:
        lines.append(line("I count on up to 60 min until a zone says yes and 30 min to start: assumed, not measured here."))
    return tuple(lines)


def _idle_lines(one: Incident, _running: float | None) -> tuple[Line, ...]:
    return (line(f"{one.deployment} answers, and nobody asks it. It bills all the same."),)


def _orphan_lines(_one: Incident, _running: float | None) -> tuple[Line, ...]:
    return (line("I made it, its labels say; no deployment and no lease knows it."),)


_BODIES: dict[Watch, Callable[[Incident, float | None], tuple[Line, ...]]] = {
    Watch.DOWN: _down_lines,
    Watch.LOST: _lost_lines,
    Watch.LEASE: _lease_lines,
    Watch.IDLE: _idle_lines,
    Watch.ORPHAN: _orphan_lines,
}


def _handled(found: Handling, now: datetime) -> tuple[Line, ...]:
    if found.taken_by is not None:
        at: tuple[Span, ...] = (line(" since ", When(at=found.taken_at))) if found.taken_at else ()
        return (line(Mention(id=found.taken_by), " is on it", *at),)
    if found.snoozed_by is not None and found.snoozed_until is not None and found.snoozed_until > now:
        if found.incident.kind is Watch.LEASE:
            return (line(Mention(id=found.snoozed_by), " lets it end"),)
        return (line("Snoozed by ", Mention(id=found.snoozed_by), " until ", When(at=found.snoozed_until)),)
    return ()


def _acts(one: Incident) -> tuple[Button, ...]:
    """What can be done about it, as words that a person could type; only words that exist."""
    if one.kind is Watch.LEASE and one.provisioning in {ProvisioningModel.SPOT, ProvisioningModel.ON_DEMAND}:
        price = "" if one.usd_per_hour is None else f", {money(one.usd_per_hour.value * 2)}"
        return (Button(label=f"Extend {one.subject} 2 h{price}"[:75], words=f"machine extend {one.subject} 2h"), *_looks(one))
    replaced = one.kind in {Watch.LEASE, Watch.LOST} and one.deployment is not None and "replace" not in PLANNED
    if replaced:
        price = "" if one.usd_per_hour is None else f", {rate(one.usd_per_hour)}"
        return (Button(label=f"Start replacement{price}", words=f"replace {one.deployment}"), *_looks(one))
    if one.kind is Watch.IDLE:
        return (
            Button(label=f"End {one.subject} when idle 40 min"[:75], words=f"machine end {one.subject} idle 40m"),
            *_looks(one),
        )
    if one.kind is Watch.ORPHAN:
        return (Button(label=f"Destroy {one.subject}"[:75], words=f"machine destroy {one.subject}", style="danger"), *_looks(one))
    return _looks(one)


def _looks(one: Incident) -> tuple[Button, ...]:
    if one.kind is Watch.DOWN:
        return (
            Button(label=f"Status of {one.subject}"[:75], words=f"status {one.subject}"),
            Button(label="What changed", words=f"changes {one.subject} since 24h"),
        )
    return (Button(label=f"Look at {one.subject}"[:75], words=f"machine {one.subject}"),)


def _answers(found: Handling) -> tuple[Button, ...]:
    name = found.incident.id
    if found.incident.kind is Watch.LEASE:
        return (Button(label="Let it end", words=f"incident snooze {name} 1d"),)
    mine = () if found.taken_by else (Button(label="I'm on it", words=f"incident take {name}", style="primary"),)
    return (
        *mine,
        Button(label="Snooze 15 min", words=f"incident snooze {name} 15m"),
        Button(label="Snooze 1 h", words=f"incident snooze {name} 1h"),
    )
