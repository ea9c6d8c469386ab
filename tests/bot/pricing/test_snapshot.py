"""The dated fallback."""

from datetime import UTC, datetime

import pytest

from bot.nouns import ProvisioningModel, Slice, Zone
from bot.pricing.snapshot import snapshot


@pytest.mark.parametrize(
    ("generation", "chips", "zone", "how", "usd"),
    [
        ("v6e", 4, "us-east5-a", ProvisioningModel.FLEX_START, 1.35),
        ("v6e", 4, "us-east5-a", ProvisioningModel.ON_DEMAND, 2.70),
        ("v6e", 1, "europe-west4-a", ProvisioningModel.ON_DEMAND, 2.97),
        ("v5e", 8, "us-west4-a", ProvisioningModel.FLEX_START, 0.60),
        ("v5p", 4, "us-east5-a", ProvisioningModel.ON_DEMAND, 4.20),
        ("v7x", 4, "us-central1-c", ProvisioningModel.ON_DEMAND, 12.0),
    ],
)
def test_noted_prices_are_found_with_their_date(
    generation: str, chips: int, zone: str, how: ProvisioningModel, usd: float
) -> None:
    piece = Slice(name=f"{generation}-{chips}", generation=generation, chips=chips)
    found = snapshot().as_book().price(piece, Zone(name=zone), how)
    assert found is not None
    assert found.usd_per_chip_hour == usd
    assert found.at < datetime(2026, 9, 1, tzinfo=UTC)
    assert found.source.startswith("snapshot of ")
    assert "not a live price" in found.source


def test_what_nobody_confirmed_says_so() -> None:
    piece = Slice(name="v5p-8", generation="v5p", chips=4)
    found = snapshot().as_book().price(piece, Zone(name="us-east5-a"), ProvisioningModel.FLEX_START)
    assert found is not None
    assert "from memory, not confirmed" in found.source


def test_what_was_not_noted_is_unknown() -> None:
    piece = Slice(name="tpu7x-4", generation="v7x", chips=4)
    assert snapshot().as_book().price(piece, Zone(name="us-central1-c"), ProvisioningModel.FLEX_START) is None


def test_every_row_is_dated_before_the_note_and_above_zero() -> None:
    note = snapshot()
    assert all(row.at <= note.noted_at and row.usd_per_chip_hour > 0 and row.regions and row.source for row in note.rows)
