"""Gemma with the operations as its tools: one loop, its transcript, its budget, and the check of what it says."""

from bot.agent.loop import Agent

__all__ = ["Agent"]
