"""What machines ran and cost, as the clock counted it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import Field

from bot.nouns import Noun, Price, ProvisioningModel


class Kind(Noun):
    """What is counted together: machine time of one deployment, slice, way of buying and zone, at one price.

    `price` is that of a chip hour when the time was counted; None: no source stated one then. `deployment` None: of none.
    """

    deployment: str | None
    accelerator: str | None
    provisioning: ProvisioningModel | None
    zone: str
    chips: int | None
    price: Price | None


class Counted(Noun):
    """Machine time of one kind in seconds. `busy_s` with requests, `idle_s` without any; for the rest of `run_s` nobody knows.

    `output_tokens` were made in the `tokens_s` seconds of machine time for which that is known.
    """

    kind: Kind
    run_s: int
    busy_s: int = 0
    idle_s: int = 0
    output_tokens: int = 0
    tokens_s: int = 0


class Month(Noun):
    """One calendar month (UTC) of the ledger.

    `since` is the beginning of the first time that was looked at, `until` the end of the last; `seen_s` of that was looked at,
    the rest is a gap. `unseen` has seconds by zone that did not answer while others did. `over_s` is machine time that found no
    room: more kinds in a month than the ledger keeps.
    """

    since: datetime
    until: datetime
    seen_s: int
    counted: tuple[Counted, ...]
    unseen: dict[str, int] = Field(default_factory=dict)
    over_s: int = 0


class Ledger(Protocol):
    """Machine time by the month."""

    async def add(
        self, team_id: str, since: datetime, until: datetime, counted: Sequence[Counted], unseen: Mapping[str, int]
    ) -> bool:
        """Add what ran between two moments of one month. False, and nothing is added, when that time was counted already."""

    async def month(self, team_id: str, at: datetime) -> Month | None:
        """The month that `at` lies in; None when nothing was ever looked at in it."""
