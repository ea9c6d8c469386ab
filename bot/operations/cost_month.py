"""From counted machine time to the month's dollars. Pure."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.nouns import Price, Quantity, Slice
from bot.operations.cost_result import DeploymentCost, MonthSoFar, Part
from bot.ports import Counted, Month
from bot.pricing import cost

ENOUGH_S = 6 * 3600
"""Less than a quarter of a day looked at says nothing about a month: no forecast."""


def month_start(at: datetime) -> datetime:
    """The first moment of the calendar month (UTC) of `at`, which is in UTC."""
    return at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def month_end(at: datetime) -> datetime:
    """The first moment of the month after."""
    return month_start(at) + timedelta(days=monthrange(at.year, at.month)[1])


def so_far(month: Month, now: datetime, only: str | None = None) -> MonthSoFar:
    """The month by deployment, the dearest first; with `only` that deployment alone."""
    by_name: dict[str | None, list[Counted]] = {}
    for one in month.counted:
        if only is None or one.kind.deployment == only:
            by_name.setdefault(one.kind.deployment, []).append(one)
    deployments = [_deployment(name, counted) for name, counted in by_name.items()]
    deployments.sort(key=lambda one: (-(one.usd.value if one.usd else 0), -one.hours))
    usd = total([one.usd for one in deployments])
    return MonthSoFar(
        since=month.since,
        until=month.until,
        late=month.since > month_start(now),
        deployments=tuple(deployments),
        usd=usd,
        unpriced_hours=sum(one.unpriced_hours for one in deployments),
        heading_for=forecast(usd, month, now),
        gap_hours=gap_s(month, now) / 3600,
        unseen_hours={zone: seconds / 3600 for zone, seconds in month.unseen.items()},
        over_hours=month.over_s / 3600,
    )


def gap_s(month: Month, now: datetime) -> float:
    """Seconds since the counting began that were not looked at; the running slot, up to twenty minutes, is not one yet."""
    after = (now - month.until).total_seconds()
    inside = (month.until - month.since).total_seconds() - month.seen_s
    return inside + (after if after > 1200 else 0.0)


def forecast(usd: Quantity | None, month: Month, now: datetime) -> Quantity | None:
    """USD at the month's end if the rest goes on as the time that was looked at; None when that is too short to say.

    Formula: so far + so far / time looked at x time from now to the end of the month. Gaps are not filled.
    """
    if usd is None or month.seen_s < ENOUGH_S:
        return None
    rest = (month_end(now) - now).total_seconds()
    how = f"so far + so far / {month.seen_s / 3600:.1f} h looked at x {rest / 3600:.1f} h to come"
    return usd.model_copy(update={"value": usd.value * (1 + rest / month.seen_s), "source": f"forecast: {how}; {usd.source}"})


def total(figures: Sequence[Quantity | None]) -> Quantity | None:
    """The sum of the known ones, with the oldest date and every source; None when none is known."""
    known = [one for one in figures if one is not None]
    if not known:
        return None
    sources = "; ".join(dict.fromkeys(one.source for one in known))
    return Quantity(value=sum(one.value for one in known), unit=known[0].unit, at=min(one.at for one in known), source=sources)


def _deployment(name: str | None, counted: Sequence[Counted]) -> DeploymentCost:
    parts = tuple(_part(one) for one in sorted(counted, key=lambda one: -one.run_s))
    run, busy, idle = (sum(getattr(one, what) for one in counted) for what in ("run_s", "busy_s", "idle_s"))
    known = busy + idle
    return DeploymentCost(
        deployment=name,
        hours=run / 3600,
        parts=parts,
        usd=total([part.usd for part in parts]),
        unpriced_hours=sum(part.hours for part in parts if part.usd is None),
        idle_hours=idle / 3600 if known else None,
        idle_share=cost.idle_share(idle, known) if known else None,
        idle_usd=_idle_usd(counted) if known else None,
        unknown_hours=(run - known) / 3600,
        per_million_tokens=_per_million(counted),
    )


def _slice(one: Counted) -> tuple[Price, Slice] | None:
    kind = one.kind
    if kind.price is None or kind.chips is None or kind.accelerator is None:
        return None
    return kind.price, Slice(name=kind.accelerator, generation=kind.price.generation, chips=kind.chips)


def _part(one: Counted) -> Part:
    priced = _slice(one)
    return Part(
        accelerator=one.kind.accelerator,
        provisioning=one.kind.provisioning,
        zone=one.kind.zone,
        hours=one.run_s / 3600,
        price=one.kind.price,
        usd_per_hour=cost.hourly(*priced) if priced else None,
        usd=cost.run(*priced, one.run_s / 3600) if priced else None,
    )


def _idle_usd(counted: Sequence[Counted]) -> Quantity | None:
    """None when a part with idle time has no price: a part of the sum would look like all of it."""
    if any(one.idle_s and _slice(one) is None for one in counted):
        return None
    return total([cost.idle(*priced, one.idle_s / 3600) for one in counted if (priced := _slice(one))])


def _per_million(counted: Sequence[Counted]) -> Quantity | None:
    """USD per million output tokens over the time in which tokens were seen, idle or not; None without tokens or a price.

    Formula: sum of (USD/h x hours seen) / tokens x 1e6.
    """
    seen = [one for one in counted if one.tokens_s]
    tokens = sum(one.output_tokens for one in seen)
    costs = [cost.run(*priced, one.tokens_s / 3600) for one in seen if (priced := _slice(one))]
    spent = total(costs)
    if spent is None or tokens == 0 or len(costs) < len(seen):
        return None
    how = f"${spent.value:.2f} / {tokens:,} output tokens, idle time included"
    return Quantity(value=spent.value / tokens * 1e6, unit="USD/million tokens", at=spent.at, source=f"{how}; {spent.source}")
