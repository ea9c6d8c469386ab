"""Money: each figure with the price's date and source, and the sum it comes from."""

from bot.errors import UsageError
from bot.nouns import Price, Quantity, Slice

HOURS_PER_MONTH = 730.0
"""Hours of an average month, as Google's price pages count it (365 x 24 / 12)."""


def _usd(value: float, unit: str, price: Price, how: str) -> Quantity:
    return Quantity(value=value, unit=unit, at=price.at, source=f"{how}; {price.source}; your invoice may differ")


def _positive(value: float, name: str) -> float:
    """`value` when it is a number of at least 0. Raises UsageError, so that no wrong sum is shown."""
    if not 0 <= value < 1e12:
        raise UsageError(f"{name} must be 0 or more")
    return value


def hourly(price: Price, piece: Slice) -> Quantity:
    """USD per hour of the whole slice: chips x price. v5p-8 is 4 chips. The host is included (from memory, unconfirmed)."""
    return _usd(price.usd_per_chip_hour * piece.chips, "USD/h", price, f"{piece.chips} x ${price.usd_per_chip_hour:g}/h")


def run(price: Price, piece: Slice, hours: float) -> Quantity:
    """USD of `hours` of machine time, from READY to deleted. Disk, addresses and traffic come on top. Raises UsageError."""
    each = hourly(price, piece).value
    return _usd(each * _positive(hours, "Hours"), "USD", price, f"{hours:g} h x ${each:.2f}/h ({piece.name})")


def at_most(price: Price, piece: Slice, max_run_hours: float) -> Quantity:
    """The worst case of a flex-start request in USD: it runs until its longest duration. Raises UsageError."""
    cost = run(price, piece, max_run_hours)
    return cost.model_copy(update={"source": f"at most, if it runs all {max_run_hours:g} h: {cost.source}"})


def month(price: Price, piece: Slice) -> Quantity:
    """USD of a whole average month, never ending."""
    return run(price, piece, HOURS_PER_MONTH)


def idle(price: Price, piece: Slice, idle_hours: float) -> Quantity:
    """USD spent on hours without a request. Raises UsageError."""
    return run(price, piece, idle_hours)


def idle_share(idle_hours: float, hours: float) -> float | None:
    """Share 0..1 of machine time without a request; None when nothing ran. Raises UsageError when idle exceeds run."""
    if _positive(idle_hours, "Idle hours") > _positive(hours, "Hours"):
        raise UsageError("More idle hours than hours run")
    return idle_hours / hours if hours > 0 else None


def forecast(so_far: Quantity, days_gone: float, days_in_month: int) -> Quantity | None:
    """USD at the month's end if it goes on as it went: so far / days gone x days. None in the first hours, when it says nothing.

    Raises UsageError when the days do not fit into the month.
    """
    if days_gone > days_in_month or days_gone < 0:
        raise UsageError("Days gone lie outside the month")
    if days_gone < 0.25:
        return None
    source = f"so far / {days_gone:g} days x {days_in_month} days; {so_far.source}"
    return so_far.model_copy(update={"value": so_far.value / days_gone * days_in_month, "source": source})


def per_million_tokens(price: Price, piece: Slice, tokens_per_second: float) -> Quantity | None:
    """USD per million tokens at a steady load of `tokens_per_second`; None without load. Raises UsageError.

    Formula: USD/h / (tokens/s x 3600) x 1e6. Holds for that load only: half the load costs twice as much a token.
    """
    if _positive(tokens_per_second, "Tokens per second") == 0:
        return None
    each = hourly(price, piece).value
    how = f"${each:.2f}/h at {tokens_per_second:g} tokens/s"
    return _usd(each / (tokens_per_second * 3600) * 1e6, "USD/million tokens", price, how)
