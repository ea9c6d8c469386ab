"""What came of asking for capacity once."""

from datetime import datetime

from bot.nouns.base import Noun
from bot.nouns.price import ProvisioningModel
from bot.nouns.refusal import RefusalKind


class Tried(Noun):
    """One zone was asked for one slice, bought in one way. `refusal` None: a machine came, `took_s` seconds later."""

    v: int = 1
    zone: str
    slice: str
    provisioning: ProvisioningModel
    at: datetime
    refusal: RefusalKind | None = None
    took_s: float | None = None
