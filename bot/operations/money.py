"""Dollars per hour of a slice, with the date and the source of the price."""

from bot.errors import BotError
from bot.nouns import Price, ProvisioningModel, Quantity, Zone
from bot.ports import Prices
from bot.pricing.book import PriceBook
from bot.serving import slices


def hourly(prices: Prices, accelerator: str | None, zone: str | None, provisioning: ProvisioningModel | None) -> Quantity | None:
    """List price of a whole slice in USD per hour; None when slice, zone, provisioning or price is not known."""
    if accelerator is None or zone is None or provisioning is None:
        return None
    found = prices.price(accelerator, zone, provisioning)
    if found is None:
        return None
    price, chips = found
    return Quantity(value=price.usd_per_chip_hour * chips, unit="USD/h", at=price.at, source=price.source)


class BookPrices:
    """Implements `bot.ports.Prices` from a price book."""

    def __init__(self, book: PriceBook) -> None:
        """`book` says of each price when and where it was read."""
        self._book = book

    def price(self, accelerator: str, zone: str, provisioning: ProvisioningModel) -> tuple[Price, int] | None:
        """The price of one chip hour and the chips of the slice; None for an unknown slice or price."""
        try:
            piece = slices.parse(accelerator)
        except BotError:
            return None
        found = self._book.price(piece, Zone(name=zone), provisioning)
        return None if found is None else (found, piece.chips)
