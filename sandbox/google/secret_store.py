"""Secret Manager: secrets, their versions, and how long Google takes until everybody may read them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sandbox.clock import Clock
from sandbox.google import names, refusals

LARGEST_PAYLOAD = 65_536
"""64 KiB, the real limit for one version."""
PROJECT_NUMBER = "123456789012"
"""Answers name the project by its number, whatever the question did."""


@dataclass
class Secret:
    """One secret. `versions` are payloads, the first is version 1; `readable_at` is when its permissions are known everywhere."""

    name: str
    labels: dict[str, str]
    created: datetime
    readable_at: datetime
    versions: list[bytes] = field(default_factory=list)


class SecretStore:
    """All secrets of one project.

    `lag_s` is how long after its making a new secret is answered with "permission denied"; `damaged` lets payloads arrive with a
    checksum that is not theirs.
    """

    def __init__(self, project: str, clock: Clock, *, lag_s: float = 0.0) -> None:
        """Start with none."""
        self.lag_s = lag_s
        self.damaged = False
        self.secrets: dict[str, Secret] = {}
        self._project = project
        self._clock = clock

    def create(self, project: str, secret_id: str, fields: dict[str, Any]) -> Secret:
        """A secret without versions. Raises Refusal for a bad id or body, or a name that is taken."""
        self._check(project, "create")
        if not secret_id or len(secret_id) > 255 or not secret_id.replace("-", "").replace("_", "").isalnum():
            raise refusals.invalid("The provided Secret ID does not match the expected format [[a-zA-Z_0-9]+]")
        if set(fields) - {"replication", "labels", "annotations"} or "automatic" not in fields.get("replication", {}):
            raise refusals.invalid("Secret.replication must be provided, and no unknown fields")
        labels = dict(fields.get("labels", {}))
        names.check_words(labels, [], {})
        if secret_id in self.secrets:
            raise refusals.already_exists(f"projects/{PROJECT_NUMBER}/secrets/{secret_id}")
        now = self._clock.now()
        self.secrets[secret_id] = Secret(secret_id, labels, now, now + timedelta(seconds=self.lag_s))
        return self.secrets[secret_id]

    def get(self, project: str, secret_id: str) -> Secret:
        """One secret. Raises Refusal NOT_FOUND."""
        self._check(project, "get")
        if secret_id not in self.secrets:
            raise refusals.not_found(f"projects/{PROJECT_NUMBER}/secrets/{secret_id}")
        return self.secrets[secret_id]

    def add(self, project: str, secret_id: str, payload: bytes) -> int:
        """Add a version; its number. Raises Refusal while permissions are on their way, or for too much."""
        secret = self._settled(project, secret_id, "versions.add")
        if not payload or len(payload) > LARGEST_PAYLOAD:
            raise refusals.invalid("The payload must have between 1 and 65536 bytes")
        secret.versions.append(payload)
        return len(secret.versions)

    def access(self, project: str, secret_id: str, version: str) -> tuple[int, bytes]:
        """A version's number and payload. Raises Refusal while permissions are on their way, or when it is not there."""
        secret = self._settled(project, secret_id, "versions.access")
        number = len(secret.versions) if version == "latest" else int(version) if version.isdecimal() else 0
        if not 1 <= number <= len(secret.versions):
            raise refusals.not_found(f"projects/{PROJECT_NUMBER}/secrets/{secret_id}/versions/{version}")
        return number, secret.versions[number - 1]

    def _settled(self, project: str, secret_id: str, verb: str) -> Secret:
        secret = self.get(project, secret_id)
        if self._clock.now() < secret.readable_at:
            raise refusals.permission_denied(f"secretmanager.{verb}", f"projects/{project}/secrets/{secret_id}")
        return secret

    def _check(self, project: str, verb: str) -> None:
        if project not in {self._project, PROJECT_NUMBER}:
            raise refusals.permission_denied(f"secretmanager.secrets.{verb}", f"projects/{project}")
