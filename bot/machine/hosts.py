"""How the machines of deployments are reached: where Google says they stand, and with one key pair for each deployment.

The private half lies in Secret Manager alone, as the first version of its secret. Two workers that make a pair at the same time
store two versions; both then use the first, so they agree. Whoever wants a new pair deletes the secret.
"""

import asyncio
from contextlib import suppress

import asyncssh
from pydantic import SecretStr

from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.machine.access import USER, KeyPair, host_of, new_key_pair
from bot.nouns import Deployment, Machine, MachineState
from bot.ports import Authorised, Host, Machines, NoSuchSecretError, Secrets

FIRST = "1"
"""The version that counts."""
SECRET = "gemma-ssh-"  # noqa: S105 the beginning of a secret's name, no secret
HOST_KEYS = "hostkeys/"
_BOOTS = frozenset({MachineState.CREATING, MachineState.REPAIRING, MachineState.UNKNOWN})


class MachineHosts:
    """Implements `bot.ports.Hosts` over what the cloud tells of machines and keeps of secrets."""

    def __init__(self, machines: Machines, secrets: Secrets, *, user: str = USER) -> None:
        """Keep what was passed."""
        self._machines = machines
        self._secrets = secrets
        self._user = user

    async def public_key(self, leave: Authorised, deployment: str) -> str:
        """See `bot.ports.Hosts.public_key`."""
        with suppress(NoSuchSecretError):
            return self._line(await self._secrets.access(secret_of(deployment), FIRST), deployment)
        await self._secrets.store(leave, secret_of(deployment), new_key_pair(deployment).private)
        try:
            return self._line(await self._secrets.access(secret_of(deployment), FIRST), deployment)
        except PersonMovesNext:
            raise RetryLater(
                f"The new key of {deployment} is stored and cannot be read yet.", next_step="Google needs a minute for that."
            ) from None

    async def host(self, deployment: Deployment) -> Host:
        """See `bot.ports.Hosts.host`."""
        if deployment.machine is None or deployment.zone is None:
            raise PersonMovesNext(
                f"I do not know on which machine {deployment.name} runs, so I cannot look at its container.",
                next_step="Name machine and zone of it in the deployments file, or deploy it with me.",
            )
        machine, told, key = await asyncio.gather(
            self._standing(deployment.zone, deployment.machine),
            self._machines.guest_attributes(deployment.zone, deployment.machine, HOST_KEYS),
            self._private_key(deployment),
        )
        return host_of(machine, told, key, user=self._user)

    async def _standing(self, zone: str, name: str) -> Machine:
        """The machine, when it can be reached at all."""
        found = await self._machines.machine(zone, name)
        if found is None:
            raise PersonMovesNext(
                f"There is no machine {name} in {zone} any more.", next_step="Look at `machines`; a new one comes with `deploy`."
            )
        if found.state in _BOOTS:
            raise RetryLater(f"{name} is {found.state}, not ready yet.", arrived=False, next_step="Wait until it is ready.")
        if found.state is not MachineState.READY:
            raise PersonMovesNext(f"{name} is {found.state}, so nobody can log in.", next_step=f"Look at `machine {name}`.")
        return found

    async def _private_key(self, deployment: Deployment) -> SecretStr:
        try:
            return await self._secrets.access(secret_of(deployment.name), FIRST)
        except NoSuchSecretError:
            raise PersonMovesNext(
                f"I have no key for the machine of {deployment.name}: it was not made by me.",
                next_step="What its server says over HTTP I can look at; to change its container, deploy it with me.",
            ) from None

    def _line(self, private: SecretStr, deployment: str) -> str:
        try:
            public = asyncssh.import_private_key(private.get_secret_value()).export_public_key().decode().strip()
        except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError, UnicodeError):
            raise WeMoveNext(f"The stored key of {deployment} cannot be read.") from None
        return KeyPair(private, public).metadata_line(self._user)


def secret_of(deployment: str) -> str:
    """The name of the secret that holds a deployment's private key."""
    return f"{SECRET}{deployment}"
