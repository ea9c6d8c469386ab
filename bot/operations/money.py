"""Dollars per hour of a slice, with the date and the source of the price."""

from bot.nouns import ProvisioningModel, Quantity
from bot.ports import Prices


def hourly(prices: Prices, accelerator: str | None, zone: str | None, provisioning: ProvisioningModel | None) -> Quantity | None:
    """List price of a whole slice in USD per hour; None when slice, zone, provisioning or price is not known."""
    if accelerator is None or zone is None or provisioning is None:
        return None
    found = prices.price(accelerator, zone, provisioning)
    if found is None:
        return None
    price, chips = found
    return Quantity(value=price.usd_per_chip_hour * chips, unit="USD/h", at=price.at, source=price.source)
