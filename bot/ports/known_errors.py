"""Which kinds of error were reported before."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.nouns import Noun


class Compared(Noun):
    """Kinds of error that were never reported before, and when the report before this one was; None: this is the first."""

    new: tuple[str, ...]
    before: datetime | None


class LastReport(Noun):
    """The newest report: when, how many errors in all, and how many kinds were new in it; None: nothing was there to compare."""

    at: datetime
    errors: int
    new: int | None


class KnownErrors(Protocol):
    """Kinds of error of each deployment by their fingerprints, forgotten 30 days after they were last reported."""

    async def report(
        self, team_id: str, deployment: str, report_id: str, at: datetime, errors: int, fingerprints: Sequence[str]
    ) -> Compared:
        """Compare with all reports before and remember. The same report again gives the same answer."""

    async def last(self, team_id: str, deployment: str) -> LastReport | None:
        """The newest report; None when there is none."""
