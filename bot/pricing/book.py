"""The price book: which list price holds for a slice in a zone, and why there is none."""

from collections.abc import Iterable

from bot.nouns import Noun, Price, ProvisioningModel, Slice, Zone


class PriceBook(Noun):
    """Prices in order of trust: live ones before a snapshot's. Looking up never invents: no entry, no price."""

    prices: tuple[Price, ...]

    def price(self, piece: Slice, zone: Zone, provisioning: ProvisioningModel) -> Price | None:
        """USD per chip-hour for `piece` in `zone`, None when no source states it (see `reason`)."""
        return self._find(piece.generation, zone.region, provisioning)

    def reason(self, piece: Slice, zone: Zone, provisioning: ProvisioningModel) -> str | None:
        """Why `price` is None, in plain words; None when there is a price."""
        if self.price(piece, zone, provisioning) is not None:
            return None
        if not self.prices:
            return "no price list was read"
        same = [price for price in self.prices if price.generation == piece.generation]
        if not same:
            return f"the price list has no {piece.generation}"
        here = [price for price in same if price.region == zone.region]
        if not here:
            return f"the price list has no {piece.generation} in {zone.region}"
        known = ", ".join(sorted({price.provisioning.value for price in here}))
        return f"the price list has no {provisioning.value} price for {piece.generation} in {zone.region} (only {known})"

    def cheapest(self, piece: Slice, provisioning: ProvisioningModel | None = None) -> tuple[Price, ...]:
        """Known prices of this generation anywhere, cheapest first, one per region and kind."""
        best: dict[tuple[str, ProvisioningModel], Price] = {}
        for price in self.prices:
            if price.generation == piece.generation and provisioning in {None, price.provisioning}:
                best.setdefault((price.region, price.provisioning), price)
        return tuple(sorted(best.values(), key=lambda price: (price.usd_per_chip_hour, price.region)))

    def over(self, fallback: "PriceBook") -> "PriceBook":
        """This book, and `fallback` for whatever it does not state."""
        return PriceBook(prices=self.prices + fallback.prices)

    def _find(self, generation: str, region: str, provisioning: ProvisioningModel) -> Price | None:
        for price in self.prices:
            if (price.generation, price.region, price.provisioning) == (generation, region, provisioning):
                return price
        return None


def book(prices: Iterable[Price]) -> PriceBook:
    """A book from prices; where two state the same, the higher one holds, so that nobody is promised too little."""
    best: dict[tuple[str, str, ProvisioningModel], Price] = {}
    for price in prices:
        key = (price.generation, price.region, price.provisioning)
        held = best.get(key)
        if held is None or price.usd_per_chip_hour > held.usd_per_chip_hour:
            best[key] = price
    return PriceBook(prices=tuple(best.values()))
