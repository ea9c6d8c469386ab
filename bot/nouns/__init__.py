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
from bot.nouns.people import Actor, Effect, Role, SeenBy, Standing
from bot.nouns.price import Price, ProvisioningModel
from bot.nouns.quantity import Quantity
from bot.nouns.window import Delta, Usual

__all__ = [
    "Actor",
    "CapacityRequest",
    "Delta",
    "Deployment",
    "Effect",
    "EngineSample",
    "Fleet",
    "Histogram",
    "Machine",
    "MachineState",
    "Noun",
    "Price",
    "ProvisioningModel",
    "Quantity",
    "RequestState",
    "Role",
    "SeenBy",
    "ServedModel",
    "Slice",
    "Standing",
    "Usual",
    "Zone",
]
