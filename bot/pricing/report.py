"""What a deployment cost this month, as one result."""

from bot.errors import UsageError
from bot.nouns import Noun, Price, Quantity, Slice
from bot.pricing import cost


class CostReport(Noun):
    """A month so far. `heading_for` is None in its first hours; `idle` None when idle hours are not known (never 0 for unknown).

    Every figure carries the price's date and source. `unpriced` says why nothing could be priced; then all figures are None.
    """

    piece: Slice
    count: int
    hours: float
    price: Price | None
    unpriced: str | None
    per_hour: Quantity | None
    so_far: Quantity | None
    heading_for: Quantity | None
    idle_hours: float | None
    idle: Quantity | None
    idle_share: float | None
    per_million_tokens: Quantity | None


def report(
    piece: Slice,
    price: Price | None,
    *,
    hours: float,
    days_gone: float,
    days_in_month: int,
    idle_hours: float | None = None,
    tokens: float | None = None,
    count: int = 1,
    unpriced: str | None = None,
) -> CostReport:
    """The month of `count` slices that ran `hours` each. `tokens` made in those hours give the price of a million.

    `unpriced` is PriceBook.reason(...) when `price` is None. Raises UsageError for negative or contradicting figures.
    """
    if count < 1:
        raise UsageError("At least one slice", usage="4×v6e-1")
    share = None if idle_hours is None else cost.idle_share(idle_hours, hours)
    fields = {"piece": piece, "count": count, "hours": hours, "price": price, "idle_hours": idle_hours, "idle_share": share}
    if price is None:
        empty = dict.fromkeys(("per_hour", "so_far", "heading_for", "idle", "per_million_tokens"))
        return CostReport.model_validate(fields | empty | {"unpriced": unpriced or "no price is known"})
    so_far = times(cost.run(price, piece, hours), count)
    rate = tokens / (hours * 3600 * count) if tokens is not None and hours > 0 else None
    return CostReport(
        piece=piece,
        count=count,
        hours=hours,
        price=price,
        unpriced=None,
        per_hour=times(cost.hourly(price, piece), count),
        so_far=so_far,
        heading_for=cost.forecast(so_far, days_gone, days_in_month),
        idle_hours=idle_hours,
        idle=None if idle_hours is None else times(cost.idle(price, piece, idle_hours), count),
        idle_share=share,
        per_million_tokens=None if rate is None else cost.per_million_tokens(price, piece, rate),
    )


def times(figure: Quantity, count: int) -> Quantity:
    """The figure for `count` equal slices, the sum in its source."""
    if count == 1:
        return figure
    return figure.model_copy(update={"value": figure.value * count, "source": f"{count} slices x {figure.source}"})
