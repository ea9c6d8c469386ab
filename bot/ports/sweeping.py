"""What the search for capacity remembers, and how fast it may ask."""

from typing import Protocol

from bot.nouns import ProvisioningModel, Tried


class Tries(Protocol):
    """What came of asking for capacity: of each zone the newest of each kind."""

    async def remember(self, team_id: str, tried: Tried) -> None:
        """Keep this one in the place of the last of its zone and kind."""

    async def all(self, team_id: str, piece: str, provisioning: ProvisioningModel) -> tuple[Tried, ...]:
        """All that is kept of one slice bought in one way."""


class CreatePace(Protocol):
    """Google's limit on writes per minute, counted for all workers together."""

    async def places(self, wanted: int) -> int:
        """How many of so many creates may be sent now. Those are booked; the others ask again in a second."""
