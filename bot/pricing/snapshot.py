"""The dated fallback: prices noted by hand from public pages, for when the catalogue cannot be read."""

import json
from datetime import datetime
from importlib import resources

from bot.nouns import Noun, Price, ProvisioningModel
from bot.pricing.book import PriceBook, book


class Row(Noun):
    """One noted price. `at` is when it was true, as far as the note says; `from_memory` that nobody could confirm it."""

    generation: str
    regions: tuple[str, ...]
    provisioning: ProvisioningModel
    usd_per_chip_hour: float
    at: datetime
    source: str
    from_memory: bool = False


class Snapshot(Noun):
    """The whole note and the day it was put together."""

    noted_at: datetime
    rows: tuple[Row, ...]

    def as_book(self) -> PriceBook:
        """Every price marked as a snapshot in its source, with its own date."""
        return book(
            Price(
                generation=row.generation,
                region=region,
                provisioning=row.provisioning,
                usd_per_chip_hour=row.usd_per_chip_hour,
                at=row.at,
                source=_marked(row),
            )
            for row in self.rows
            for region in row.regions
        )


def _marked(row: Row) -> str:
    doubt = ", from memory, not confirmed" if row.from_memory else ""
    return f"snapshot of {row.at:%d %B %Y}, not a live price: {row.source}{doubt}"


def snapshot() -> Snapshot:
    """Read the note that ships with the package."""
    text = resources.files("bot.pricing").joinpath("data/list_prices_2026_08.json").read_text(encoding="utf-8")
    return Snapshot.model_validate(json.loads(text))
