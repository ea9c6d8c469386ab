"""Names that container, start-up script, SSH commands and `token` share."""

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

HF_TOKEN_SECRET = "gemma-hf-token"  # noqa: S105 the name of a secret, no token
"""In Secret Manager: the Hugging Face token, one for all deployments."""
API_KEY_SECRET = "gemma-api-key-{deployment}"  # noqa: S105 the name of a secret, no key
"""In Secret Manager: the key that a deployment's engine asks of its callers."""


def api_key_secret(deployment: str) -> str:
    """Under which name the key of this deployment's engine is kept."""
    return API_KEY_SECRET.format(deployment=deployment)


def secret_place(project: str, secret: str) -> str:
    """Where a secret is kept, as `EngineSpecification` names it."""
    return f"projects/{project}/secrets/{secret}"
