"""The plain words that every other part speaks in: frozen values, no behaviour beyond their own arithmetic."""

from bot.nouns.answer import Answer, Exchange, Heard, Measured, Proposal, Reading
from bot.nouns.base import Noun
from bot.nouns.conformance import Conformance, ConformanceCheck, Verdict
from bot.nouns.container import Container, ContainerState, ContainerStatus, Drift, Preparation
from bot.nouns.deployment import Deployment
from bot.nouns.dialogue import (
    AnswerLimits,
    Finish,
    Message,
    Repair,
    SystemMessage,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    UserMessage,
)
from bot.nouns.engine import EngineSample, Histogram, ServedModel
from bot.nouns.happening import Happened, Happening, Look, Move, Watched
from bot.nouns.incident import Handling, Incident, Sighting, Watch
from bot.nouns.log_entry import LogEntry, LogsFound
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
from bot.nouns.tried import Tried
from bot.nouns.window import Delta, Usual
from bot.nouns.wish import EngineStart, Wish

__all__ = [
    "Actor",
    "Answer",
    "AnswerLimits",
    "CapacityOrder",
    "CapacityRequest",
    "CloudOperation",
    "Conformance",
    "ConformanceCheck",
    "Container",
    "ContainerState",
    "ContainerStatus",
    "Delta",
    "Deployment",
    "Drift",
    "Effect",
    "EngineSample",
    "EngineStart",
    "Exchange",
    "Exposure",
    "Finish",
    "Fleet",
    "Handling",
    "Happened",
    "Happening",
    "Heard",
    "Histogram",
    "Incident",
    "LogEntry",
    "LogsFound",
    "Look",
    "Machine",
    "MachineState",
    "Measured",
    "Message",
    "Move",
    "Noun",
    "Placement",
    "Preparation",
    "Price",
    "Proposal",
    "ProvisioningModel",
    "Quantity",
    "Quota",
    "Reading",
    "Refusal",
    "RefusalKind",
    "Repair",
    "RequestState",
    "Role",
    "SeenBy",
    "ServedModel",
    "Sighting",
    "Slice",
    "Standing",
    "SystemMessage",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Tried",
    "Turn",
    "Usage",
    "UserMessage",
    "Usual",
    "Verdict",
    "Watch",
    "Watched",
    "Wish",
    "Zone",
    "owner_label",
]
