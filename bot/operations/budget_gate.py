"""Whether a workspace can still afford something: what is known of this month, and what the limit makes of it."""

from dataclasses import dataclass
from datetime import datetime

from bot.errors import RefusedError
from bot.nouns import Quantity
from bot.operations.money import hourly
from bot.operations.operation import Consent, Context
from bot.operations.sources import attempt
from bot.operations.wording import money
from bot.ports import Limit


@dataclass(frozen=True)
class Month:
    """This calendar month (UTC) as far as it is known.

    `spent` in USD counts the machines that run now, since they were made or the month began: what ended before is not in it, so
    it is the least that was spent. `burn` in USD/h is what runs now. None: the cloud did not answer, or no price is known;
    `unpriced` counts machines without a known price; `missing` says why something is unknown.
    """

    since: datetime
    spent: Quantity | None
    burn: Quantity | None
    unpriced: int
    missing: str | None


async def month(context: Context) -> Month:
    """Ask the cloud what runs and add up its list prices."""
    since = context.now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    fleet = await attempt(context.services.cloud.fleet())
    if fleet.value is None:
        return Month(since, None, None, 0, fleet.missing)
    prices = context.services.prices
    machines = fleet.value.machines
    costs = [hourly(prices, one.accelerator, one.zone.name, one.provisioning) for one in machines]
    known = [(one, cost) for one, cost in zip(machines, costs, strict=True) if cost is not None]
    dated = [(one.created_at, cost) for one, cost in known if one.created_at is not None]
    spent = sum(cost.value * (context.now - max(made, since)).total_seconds() / 3600 for made, cost in dated)
    at, source = context.now, known[0][1].source if known else "nothing runs"
    return Month(
        since=since,
        spent=Quantity(value=spent, unit="USD", at=at, source=source) if dated or not machines else None,
        burn=Quantity(value=sum(cost.value for _, cost in known), unit="USD/h", at=at, source=source)
        if known or not machines
        else None,
        unpriced=len(machines) - len(known),
        missing=None if not fleet.value.unreachable else f"{len(fleet.value.unreachable)} zones did not answer",
    )


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
    if usd is None or so_far.spent is None or so_far.unpriced:
        return Consent.SECOND_PERSON
    left = bound.usd - so_far.spent.value
    if usd > left:
        raise RefusedError(
            f"This could cost {money(usd)}, and {money(max(left, 0))} of this month's {money(bound.usd)} is left.",
            next_step="Ask an admin for more: /gemma budget set, or end what runs.",
        )
    return Consent.CONFIRM
