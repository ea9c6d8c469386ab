"""The plain words that every other part speaks in: frozen values, no behaviour beyond their own arithmetic."""

from bot.nouns.base import Noun
from bot.nouns.deployment import Deployment
from bot.nouns.engine import EngineSample, Histogram, ServedModel
from bot.nouns.machine import (
    CapacityRequest,
    Fleet,
    Machine,
    MachineState,
    RequestState,
    Slice,
    Zone,
)
from bot.nouns.order import CapacityOrder, CloudOperation, Exposure, Placement, owner_label
from bot.nouns.people import Actor, Effect, Role, SeenBy, Standing
from bot.nouns.price import Price, ProvisioningModel
from bot.nouns.quantity import Quantity
from bot.nouns.quota import Quota
from bot.nouns.refusal import Refusal, RefusalKind
from bot.nouns.window import Delta, Usual

__all__ = [
    "Actor",
    "CapacityOrder",
    "CapacityRequest",
    "CloudOperation",
    "Delta",
    "Deployment",
    "Effect",
    "EngineSample",
    "Exposure",
    "Fleet",
    "Histogram",
    "Machine",
    "MachineState",
    "Noun",
    "Placement",
    "Price",
    "ProvisioningModel",
    "Quantity",
    "Quota",
    "Refusal",
    "RefusalKind",
    "RequestState",
    "Role",
    "SeenBy",
    "ServedModel",
    "Slice",
    "Standing",
    "Usual",
    "Zone",
    "owner_label",
]
