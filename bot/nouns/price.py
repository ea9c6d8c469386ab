"""What an hour of one chip costs."""

from datetime import datetime
from enum import StrEnum

from bot.nouns.base import Noun


class ProvisioningModel(StrEnum):
    """How capacity is bought. The words are Google's."""

    ON_DEMAND = "on-demand"
    FLEX_START = "flex-start"
    SPOT = "spot"
    RESERVED = "reserved"


class Price(Noun):
    """List price in USD per chip and hour of one TPU generation in one region, with the time it was read and its source."""

    generation: str
    region: str
    provisioning: ProvisioningModel
    usd_per_chip_hour: float
    at: datetime
    source: str
