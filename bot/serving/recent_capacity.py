"""What is remembered of asking for capacity, each kind of refusal for as long as it holds; and where to ask first. No clock."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.nouns import RefusalKind, Tried
from bot.serving.regions import distance_km

LIVES: Mapping[RefusalKind, timedelta] = {
    RefusalKind.UNSUPPORTED_ZONE: timedelta(weeks=4),
    RefusalKind.NO_SUCH_SLICE: timedelta(weeks=4),
    RefusalKind.MODEL_REFUSED: timedelta(weeks=3),
    RefusalKind.QUOTA: timedelta(hours=6),
    RefusalKind.PERMISSION: timedelta(hours=1),
    RefusalKind.STOCKOUT: timedelta(minutes=20),
    RefusalKind.OTHER: timedelta(minutes=20),
    RefusalKind.RATE: timedelta(minutes=1),
}
"""How long a refusal holds. Our choice: what Google must build takes weeks, a quota is raised within hours, capacity comes and
goes within minutes, rate quotas fill up within one (Service Usage, "rate quotas")."""

WORKED_LIFE = timedelta(days=14)
"""How long a zone that gave a machine is asked first. Our choice."""


@dataclass(frozen=True)
class Candidate:
    """A zone that may be asked, with its list price in USD per hour where that is known."""

    zone: str
    usd_per_hour: float | None = None


def closed_until(tried: Iterable[Tried], zone: str) -> datetime | None:
    """Until when what is remembered keeps this zone out; None when nothing does. A machine that came since voids a refusal."""
    here = [one for one in tried if one.zone == zone]
    worked = max((one.at for one in here if one.refusal is None), default=None)
    held = [one.at + LIVES[one.refusal] for one in here if one.refusal is not None and (worked is None or one.at > worked)]
    return max(held, default=None)


def holding(tried: Iterable[Tried], zone: str, now: datetime) -> Tried | None:
    """The refusal that keeps this zone out for longest from now; None when none does any more."""
    here = [one for one in tried if one.zone == zone]
    worked = max((one.at for one in here if one.refusal is None), default=None)
    ends = [
        (one.at + LIVES[one.refusal], one)
        for one in here
        if one.refusal is not None and (worked is None or one.at > worked) and one.at + LIVES[one.refusal] > now
    ]
    return max(ends, key=lambda pair: pair[0])[1] if ends else None


def worked(tried: Iterable[Tried], zone: str, now: datetime) -> Tried | None:
    """The newest machine that came from this zone, while that is worth something."""
    here = [one for one in tried if one.zone == zone and one.refusal is None and now - one.at < WORKED_LIFE]
    return max(here, key=lambda one: one.at, default=None)


def ranked(candidates: Iterable[Candidate], tried: Sequence[Tried], home: str | None, now: datetime) -> tuple[Candidate, ...]:
    """Where to ask first: where a machine came lately (the newest first), then the cheaper, then the nearer to `home` (a region);
    an unknown price or distance comes last among its likes. What a refusal keeps out comes after all, the soonest over first.
    """

    def key(one: Candidate) -> tuple[float, float, float, float, str]:
        held, came = closed_until(tried, one.zone), worked(tried, one.zone, now)
        out = held.timestamp() if held is not None and held > now else 0.0
        price = one.usd_per_hour if one.usd_per_hour is not None else float("inf")
        km = distance_km(home, one.zone.rpartition("-")[0]) if home is not None else None
        return out, -came.at.timestamp() if came else 0.0, price, float("inf") if km is None else km, one.zone

    return tuple(sorted(candidates, key=key))


def waits(tried: Iterable[Tried]) -> tuple[float, ...]:
    """How long those took that came to a machine, in seconds, shortest first."""
    return tuple(sorted(one.took_s for one in tried if one.refusal is None and one.took_s is not None))
