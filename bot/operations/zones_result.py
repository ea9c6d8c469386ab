"""What `zones` finds: each zone with the first gate that keeps it out."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, Field

from bot.nouns import ProvisioningModel, Quantity, Quota, RefusalKind


class Gate(StrEnum):
    """What keeps a zone out, in the order in which it is looked at."""

    HARDWARE = "hardware"
    MODEL = "model"
    QUOTA = "quota"


class ZoneFound(BaseModel):
    """One zone. `out` is the first gate that surely is shut, `why` in words; None: nothing known speaks against it.

    `unknown` names what could not be looked up. `quotas` are the limits that a machine of this kind would spend.
    """

    name: str
    out: Gate | None
    why: str
    unknown: tuple[str, ...]
    quotas: tuple[Quota, ...]
    usd_per_hour: Quantity | None
    worked_at: datetime | None = None
    refused_at: datetime | None = None
    refused: RefusalKind | None = None
    """What is remembered of asking there: when a machine came last, and the refusal that still holds."""


class Zones(BaseModel):
    """All zones, those that can be asked first, cheapest first. `missing` says which look-up failed as a whole."""

    slice: str
    provisioning: ProvisioningModel
    zones: tuple[ZoneFound, ...]
    at: datetime
    missing: tuple[str, ...] = Field(default=())
