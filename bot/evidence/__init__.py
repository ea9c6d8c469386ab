"""Checks the figures of an answer against the results that it was written from: a model may word, it may not invent."""

from bot.evidence.checking import Evidence, check
from bot.evidence.figure import Figure
from bot.evidence.marking import mark, remove

__all__ = ["Evidence", "Figure", "check", "mark", "remove"]
