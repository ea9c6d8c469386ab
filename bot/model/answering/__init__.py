"""Conversations with the served Gemma: what the agent needs of a model, over vLLM's OpenAI-compatible API."""

from bot.model.answering.client import VllmModel

__all__ = ["VllmModel"]
