"""When something is wrong, and when it is over. Pure: what was seen and the time come in, the same gives the same.

Each rule answers with a `Judged`: it stands, it does not, or nobody can tell. What nobody can tell opens nothing and resolves
nothing.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.nouns import Delta, Incident, Sighting, Watch, Watched
from bot.operations.cost_look import had_requests
from bot.operations.wording import duration
from bot.ports import Lease

STALE = timedelta(minutes=5)
"""Our choice: what the clock saw of an engine longer ago than this says nothing of now."""

LOOKS = 2
"""A machine is lost when so many looks in a row did not find it running."""

COVERED = 0.9
"""Our choice: this share of the time must have been seen before a machine is called idle."""

FIRST = timedelta(minutes=60)
LAST = timedelta(minutes=15)
"""Of the end of a lease: told never later than the first before it, and once more the last before it (messages.md T4)."""

WAIT_S = 3600.0
START_S = 1800.0
"""Our choice while nothing was measured: how long a zone may take to give a machine, and an engine to answer on it."""

AFTERWARDS = timedelta(minutes=10)
"""Our choice: so long after its end a machine may take to go before it is told that it has not."""


@dataclass(frozen=True)
class Judged:
    """What became of one watch of one thing. `stands` None: nobody can tell now. `how` says how it ended."""

    kind: Watch
    subject: str
    stands: bool | None
    incident: Incident | None = None
    how: str = ""


@dataclass(frozen=True)
class EngineSeen:
    """What is known of one engine: the looks of the clock, when it fell silent after it had answered, a look just now (None:
    nobody looked), and whether work of ours stops or starts it."""

    known: Watched | None
    silent_at: datetime | None
    answers_now: bool | None
    ours_at_work: bool


def identified(kind: Watch, subject: str, since: datetime) -> str:
    """The name of an incident, from what it is and when it began."""
    raw = f"{kind} {subject} {since.timestamp():.0f}"
    return f"alert-{hashlib.sha256(raw.encode()).hexdigest()[:10]}"


def down(subject: str, seen: EngineSeen, now: datetime) -> Judged:
    """An engine that answered does not, by two looks of the clock and one just now. One that never did is not yet up."""
    known = seen.known
    if known is None or known.answering is None or now - known.at > STALE:
        return Judged(Watch.DOWN, subject, None)
    if known.answering:
        return Judged(Watch.DOWN, subject, stands=False, how="it answers again")
    if seen.silent_at is None or seen.ours_at_work or seen.answers_now is not False:
        return Judged(Watch.DOWN, subject, None)
    made = Incident(
        id=identified(Watch.DOWN, subject, seen.silent_at),
        kind=Watch.DOWN,
        subject=subject,
        since=seen.silent_at,
        deployment=subject,
    )
    return Judged(Watch.DOWN, subject, stands=True, incident=made)


def lost(seen: Sighting, *, ended: bool, engine: Watched | None) -> Judged:
    """A machine that ran is gone or was taken away; `ended` when its time was over or we ended it ourselves.

    While the deployment's engine answers, another machine serves: then nobody need get up.
    """
    if engine is not None and seen.missed_since is not None and _answers_after(engine, seen.missed_since):
        return Judged(Watch.LOST, seen.name, stands=False, how=f"{seen.deployment} answers again")
    if ended:
        return Judged(Watch.LOST, seen.name, stands=False, how="it was to end")
    if seen.missed_since is None:
        return Judged(Watch.LOST, seen.name, stands=False, how="it runs again")
    if seen.missed < LOOKS:
        return Judged(Watch.LOST, seen.name, None)
    made = Incident(
        id=identified(Watch.LOST, f"{seen.zone}/{seen.name}", seen.missed_since),
        kind=Watch.LOST,
        subject=seen.name,
        since=seen.missed_since,
        deployment=seen.deployment,
        machine=seen.name,
        zone=seen.zone,
        accelerator=seen.accelerator,
        provisioning=seen.provisioning,
        owner=seen.owner,
    )
    return Judged(Watch.LOST, seen.name, stands=True, incident=made)


def _answers_after(engine: Watched, moment: datetime) -> bool:
    return bool(engine.answering) and engine.contrary_at is None and engine.at > moment


def idle_since(windows: Sequence[Delta], now: datetime, idle_s: float) -> datetime | bool | None:
    """Since when no request ran, if that is `idle_s` or longer; False when requests ran; None when nobody can tell.

    Windows that tell nothing, and time that nobody saw, are not idle time.
    """
    begin = now - timedelta(seconds=idle_s)
    inside = [one for one in windows if one.until > begin]
    signs = [had_requests(one) for one in inside]
    if any(signs):
        return False
    seen = sum(
        one.seconds * min(1.0, (one.until - max(one.since, begin)) / (one.until - one.since))
        for one, sign in zip(inside, signs, strict=True)
        if sign is False
    )
    return begin if seen >= COVERED * idle_s else None


def act_by(ends_at: datetime, wait_s: float = WAIT_S, start_s: float = START_S) -> datetime:
    """When a replacement must be asked for, so that it answers before the end (T4): by what a wait and a start take at most nine
    times in ten, and a quarter of an hour; never later than an hour before the end."""
    return min(ends_at - timedelta(seconds=wait_s + start_s) - LAST, ends_at - FIRST)


def lease(one: Lease, *, standing: bool | None, now: datetime) -> Judged:
    """An end that comes near. `standing`: whether its machine is there; None when nobody can tell."""
    subject = one.machine
    if standing is False:
        return Judged(Watch.LEASE, subject, stands=False, how="the machine is gone")
    if now < act_by(one.ends_at):
        return Judged(Watch.LEASE, subject, stands=False, how="it ends later now")
    if standing is None:
        return Judged(Watch.LEASE, subject, None)
    made = Incident(
        id=identified(Watch.LEASE, f"{one.zone}/{subject}", one.ends_at),
        kind=Watch.LEASE,
        subject=subject,
        since=now,
        machine=subject,
        zone=one.zone,
        ends_at=one.ends_at,
        owner=one.owner,
    )
    return Judged(Watch.LEASE, subject, stands=True, incident=made)


def remembered(
    before: Sequence[Sighting], now_there: Sequence[Sighting], told: frozenset[str], now: datetime
) -> tuple[Sighting, ...]:
    """What is known after this look. `told` are the zones that answered; a machine in another zone is as it was.

    What is missed for longer than a day is forgotten.
    """
    there = {(one.zone, one.name): one for one in now_there}
    kept = [_missed(one, now) if one.zone in told else one for one in before if (one.zone, one.name) not in there]
    return (*there.values(), *(one for one in kept if one.missed_since is None or now - one.missed_since < timedelta(days=1)))


def _missed(one: Sighting, now: datetime) -> Sighting:
    """Looks at one moment are one look, of two clocks perhaps."""
    if one.missed_since is None:
        return one.model_copy(update={"missed_since": now, "missed": 1, "at": one.at})
    return one.model_copy(update={"missed": one.missed + 1}) if now > one.missed_since else one


def lasted(since: datetime, until: datetime) -> str:
    """How long it took, in words."""
    return duration((until - since).total_seconds())
