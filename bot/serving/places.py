"""Names that container, start-up script and SSH commands share."""

CONTAINER = "gemma-engine"
"""One machine serves one engine, so its container needs one name."""
SECRETS = "/run/gemma-engine"
"""On the machine and in the container: a tmpfs, gone at power-off, never on disk."""
HF_TOKEN_FILE = "hf-token"  # noqa: S105 the name of a file, no token
API_KEY_FILE = "api-key"
STATE = "/var/lib/gemma-engine"
"""On the machine: the fingerprint of the specification that the start-up script brought up last."""
CACHE = "/var/lib/gemma-engine/vllm-cache"
"""Compiled programs: with them a restart of E2B took 497 instead of 857 s (public field notes, 2026-08)."""
PHASE_NAMESPACE, PHASE_KEY = "gemma", "phase"
"""The guest attribute that the start-up script writes: a word and a Unix time in seconds."""
