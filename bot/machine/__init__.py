"""Machines over SSH, and the engine's container on them. Nothing is opened when this is imported."""
