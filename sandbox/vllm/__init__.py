"""A stand-in for vLLM 0.32.0: its paths, bodies, refusals and metrics, without a model."""

from sandbox.vllm.answers import Answer, Break, ToolCall
from sandbox.vllm.faults import Call, Fault
from sandbox.vllm.stand_in import VllmStandIn

__all__ = ["Answer", "Break", "Call", "Fault", "ToolCall", "VllmStandIn"]
