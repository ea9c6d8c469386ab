"""What changed at each deployment, as the clock saw it."""

from datetime import datetime
from typing import Protocol

from bot.nouns import Happening, Look, Watched


class Happenings(Protocol):
    """Changes of each deployment, kept for 90 days and at most 500 of them."""

    async def note(self, team_id: str, deployment: str, look: Look) -> tuple[Happening, ...]:
        """Compare a look with what was known, remember both, and return what changed. The same look again changes nothing."""

    async def since(self, team_id: str, deployment: str, since: datetime, most: int) -> tuple[Happening, ...]:
        """The newest `most` changes since then, the newest first."""

    async def watched(self, team_id: str, deployment: str) -> Watched | None:
        """What is known, with since when it is looked at; None before the first look."""
