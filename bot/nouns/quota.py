"""How much of one kind of capacity a project may hold in one place."""

from datetime import datetime

from bot.nouns.base import Noun


class Quota(Noun):
    """One limit. `place` is a zone or a region; `unit` is what is counted ("chips", or "cores" for v5p).

    `limit` None means unknown unless `unlimited`; `used` None means unknown. `at` is when it was read, `source` from where.
    """

    quota_id: str
    place: str
    unit: str
    limit: int | None
    unlimited: bool = False
    used: int | None = None
    at: datetime
    source: str

    def rules_out(self, units: int) -> bool:
        """Whether so many units more surely do not fit. Unknown rules nothing out."""
        return not self.unlimited and self.limit is not None and units > self.limit - (self.used or 0)
