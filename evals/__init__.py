"""Recorded worlds in which the real agent, gate and operations are asked questions, and how well that went: deterministic."""
