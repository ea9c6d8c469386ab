"""What `memory` finds: how many users, from which source, and what would serve more."""

from pydantic import BaseModel

from bot.nouns import ProvisioningModel, Quantity
from bot.serving.catalogue import Fit
from bot.serving.memory import MemoryAnswer


class Proposal(BaseModel):
    """A slice and cache type that would serve `users` requests of `context` tokens. Computed, so an estimate."""

    users: int
    context: int
    fit: Fit
    usd_per_hour: Quantity | None
    provisioning: ProvisioningModel | None
    zone: str | None


class Memory(BaseModel):
    """The answer for `context`, the length that was asked about. `deployment` is None when a combination was computed.

    `with_fp8` is how many users an fp8 cache on the same slice would serve (computed), None when it has one or cannot be told.
    """

    deployment: str | None
    context: int
    answer: MemoryAnswer
    with_fp8: Quantity | None
    proposal: Proposal | None
    wanted_users: int
    missing: tuple[str, ...] = ()
