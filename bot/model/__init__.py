"""The serving engine of a deployment (vLLM), asked over HTTP."""

from bot.model.vllm import TimeOuts, VllmEngine

__all__ = ["TimeOuts", "VllmEngine"]
