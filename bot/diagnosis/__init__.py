"""What an engine's log says: patterns with exact counts, known failures, what must not be shown. Pure."""

from bot.diagnosis.condensed import Condensed, condense
from bot.diagnosis.condenser import Condenser, Pattern
from bot.diagnosis.findings import Evidence, Finding, Nature
from bot.diagnosis.lines import Severity
from bot.diagnosis.masking import hide_conversations
from bot.diagnosis.secrets import Kind, Redacted, redact
from bot.diagnosis.triage import diagnose

__all__ = [
    "Condensed",
    "Condenser",
    "Evidence",
    "Finding",
    "Kind",
    "Nature",
    "Pattern",
    "Redacted",
    "Severity",
    "condense",
    "diagnose",
    "hide_conversations",
    "redact",
]
