"""Whether a workspace can still afford something: what is known of this month, and what the limit makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.errors import RefusedError
from bot.nouns import Machine, Quantity
from bot.operations import cost_month
from bot.operations.budget_promised import Priced, Promised, promised
from bot.operations.money import hourly
from bot.operations.operation import Consent, Context
from bot.operations.sources import attempt
from bot.operations.wording import count, money
from bot.ports import Limit, Question
from bot.ports import Month as Counting
from bot.requests import Request


@dataclass(frozen=True)
class Month:
    """This calendar month (UTC) as far as it is known.

    `spent` in USD is what the ledger counted since `counted_since`, and of the machines that run now also the time before and
    after that. Without a ledger it is those machines alone, since they were made or the month began. What ended before the
    counting began is not in it, nor are the `gap_s` seconds in which nobody looked: it is the least that was spent.
    `burn` in USD/h is what runs now. None: the cloud did not answer, or no price is known; `unpriced` counts machines without a
    known price, `unpriced_s` is counted machine time without one; `missing` says why something is unknown.
    """

    since: datetime
    spent: Quantity | None
    burn: Quantity | None
    unpriced: int
    missing: str | None
    counted_since: datetime | None = None
    gap_s: float = 0.0
    unpriced_s: float = 0.0
    priced: tuple[Priced, ...] = ()


async def month(context: Context) -> Month:
    """Add up what was counted, and ask the cloud what runs and add its list prices."""
    since = cost_month.month_start(context.now)
    ledger = context.services.ledger
    counted = await ledger.month(context.services.team_id, context.now) if ledger else None
    fleet = await attempt(context.services.cloud.fleet())
    machines = fleet.value.machines if fleet.value else ()
    priced = _priced(context, machines)
    known = bool(priced or (fleet.value and not machines))
    unreachable = len(fleet.value.unreachable) if fleet.value else 0
    return Month(
        since=since,
        spent=_spent(context, counted, priced, known=known),
        burn=_usd(context, priced, sum(cost.value for _, cost in priced), "USD/h") if known else None,
        unpriced=len(machines) - len(priced),
        missing=f"{count(unreachable, 'zone')} did not answer" if unreachable else fleet.missing,
        counted_since=counted.since if counted else None,
        gap_s=cost_month.gap_s(counted, context.now) if counted else 0.0,
        unpriced_s=cost_month.so_far(counted, context.now).unpriced_hours * 3600 if counted else 0.0,
        priced=tuple(priced),
    )


def _priced(context: Context, machines: Sequence[Machine]) -> list[Priced]:
    prices = context.services.prices
    costs = [hourly(prices, one.accelerator, one.zone.name, one.provisioning) for one in machines]
    return [(one, cost) for one, cost in zip(machines, costs, strict=True) if cost is not None]


def _usd(context: Context, priced: Sequence[Priced], value: float, unit: str) -> Quantity:
    return Quantity(value=value, unit=unit, at=context.now, source=priced[0][1].source if priced else "nothing runs")


def _spent(context: Context, counted: Counting | None, priced: Sequence[Priced], *, known: bool) -> Quantity | None:
    """None when neither the ledger nor the cloud tells of anything that has a price."""
    dated = [(one.created_at, cost) for one, cost in priced if one.created_at is not None]
    now = sum(cost.value * _uncounted_s(made, context.now, counted) / 3600 for made, cost in dated)
    running = _usd(context, priced, now, "USD") if known and (dated or not priced) else None
    return cost_month.total([cost_month.so_far(counted, context.now).usd if counted else None, running])


def _uncounted_s(made: datetime, now: datetime, counted: Counting | None) -> float:
    """Seconds of this month in which a machine that runs now was there while nobody counted yet, or since the last count."""
    begun = max(made, cost_month.month_start(now))
    if counted is None:
        return (now - begun).total_seconds()
    before = (counted.since - begun).total_seconds()
    after = (now - max(begun, counted.until)).total_seconds()
    return max(0.0, before) + max(0.0, after)


async def limit(context: Context) -> Limit | None:
    """The workspace's limit, or None when there is none."""
    house = context.services.house
    return None if house is None else await house.budget.limit(context.services.team_id)


async def consent(context: Context, usd: float | None) -> Consent:
    """Who must say yes to spending up to `usd` dollars: the asker once more, or a second person where it cannot be worked out.

    Raises RefusedError when it surely goes over the month's limit. Spending operations ask this in their preview.
    """
    bound = await limit(context)
    if bound is None:
        return Consent.CONFIRM
    so_far = await month(context)
    if usd is None or so_far.spent is None or so_far.burn is None or so_far.unpriced or so_far.unpriced_s:
        return Consent.SECOND_PERSON
    coming = await promised(context, so_far.priced)
    _must_fit(usd, bound.usd, so_far.spent.value, coming)
    return Consent.SECOND_PERSON if coming.unknown else Consent.CONFIRM


async def still_affordable(context: Context, request: Request, question: Question) -> None:
    """Look once more when a yes is carried out: others may have been said yes to since it was asked.

    Raises RefusedError when it surely goes over the limit by now. What cannot be worked out was the business of whoever said
    yes; what has begun already goes on.
    """
    bound = await limit(context) if question.spends and question.usd is not None else None
    if bound is None or question.usd is None or await _has_begun(context, request, question):
        return
    so_far = await month(context)
    if so_far.spent is not None:
        _must_fit(question.usd, bound.usd, so_far.spent.value, await promised(context, so_far.priced, question.id))


async def _has_begun(context: Context, request: Request, question: Question) -> bool:
    long_work = context.services.long_work
    return long_work is not None and await long_work.begun(request, question.operation) is not None


def _must_fit(usd: float, bound: float, spent: float, coming: Promised) -> None:
    left = bound - spent - coming.usd
    if usd <= left:
        return
    taken = f", for {money(coming.usd)} is promised to what runs or is on its way" if coming.usd > 0 else ""
    raise RefusedError(
        f"This could cost {money(usd)}, and {money(max(left, 0))} of this month's {money(bound)} is left{taken}.",
        next_step="Ask an admin for more: /gemma budget set, or end what runs.",
    )
