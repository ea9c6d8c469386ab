"""Who may in and who is there: our key pairs, a machine's host keys, and the port that it is reached at."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import asyncssh
from pydantic import SecretStr

from bot.errors import RetryLater, WeMoveNext
from bot.nouns import Machine
from bot.ports import Host

SSH_PORT = 22
TPU_PORT = 8470
"""What networkEndpoints[].port of real nodes says: the TPU runtime's own port, not that of SSH."""
USER = "gemma"
"""Whom the guest agent makes on the machine from our `ssh-keys` metadata, with leave to use sudo (google-sudoers)."""
TYPES = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa")
"""Host key types that guest agents publish under hostkeys/; the first that is there is enough."""


@dataclass(frozen=True)
class KeyPair:
    """One key pair. `private` is OpenSSH's text form and stays with its maker; `public` is "ssh-ed25519 AAAA... comment"."""

    private: SecretStr = field(repr=False)
    public: str

    def metadata_line(self, user: str = USER) -> str:
        """The line of the machine's `ssh-keys` metadata."""
        return f"{user}:{self.public}"


def new_key_pair(comment: str) -> KeyPair:
    """A fresh ed25519 pair for one deployment."""
    key = asyncssh.generate_private_key("ssh-ed25519", comment=comment)
    return KeyPair(SecretStr(key.export_private_key().decode()), key.export_public_key().decode().strip())


def host_keys(attributes: Mapping[str, str]) -> tuple[str, ...]:
    """A machine's public keys from its guest attributes ("hostkeys/ssh-ed25519" -> key), the strongest first.

    Unknown types and values that are no keys are left out.
    """
    lines = [f"{kind} {attributes[path].strip()}" for kind in TYPES if (path := f"hostkeys/{kind}") in attributes]
    return tuple(line for line in lines if _is_key(line))


def ssh_port(endpoint_port: int | None) -> int:
    """The port of SSH by what the machine's network endpoint says: 22, unless it names another one than the TPU runtime's."""
    return endpoint_port if endpoint_port not in (None, 0, TPU_PORT) else SSH_PORT


def host_of(machine: Machine, attributes: Mapping[str, str], private_key: SecretStr, *, user: str = USER) -> Host:
    """How a machine is reached. Raises RetryLater while it has no address or has not told its host keys: it is still booting."""
    if machine.address is None:
        raise RetryLater(f"{machine.name} has no address yet.", arrived=False, next_step="Wait until it is ready.")
    keys = host_keys(attributes)
    if not keys:
        raise RetryLater(
            f"{machine.name} has not told its host keys yet.",
            arrived=False,
            next_step="It tells them a minute after boot; without them I do not connect.",
        )
    return Host(machine.name, machine.address, ssh_port(machine.endpoint_port), user, keys, private_key)


def private_key_of(host: Host) -> asyncssh.SSHKey:
    """Our key. Raises WeMoveNext, without the key in it, when it cannot be read."""
    try:
        return asyncssh.import_private_key(host.private_key.get_secret_value())
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError, UnicodeError):
        raise WeMoveNext(f"The stored key for {host.name} cannot be read.") from None


def trusted_keys(host: Host) -> list[asyncssh.SSHKey]:
    """The machine's keys. Raises WeMoveNext when there is none: nothing is trusted at first sight."""
    keys = [asyncssh.import_public_key(line) for line in host.host_keys if _is_key(line)]
    if not keys:
        raise WeMoveNext(f"No host key of {host.name} is known, so it was not connected to.")
    return keys


def _is_key(line: str) -> bool:
    if "\n" in line or not line.isascii():
        return False
    try:
        asyncssh.import_public_key(line)
    except (asyncssh.KeyImportError, ValueError):
        return False
    return True
