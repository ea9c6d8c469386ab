"""Capacity that is bought and given back, the machines that come of it, and what decides where to ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.nouns import (
    CapacityOrder,
    CapacityRequest,
    CloudOperation,
    Machine,
    Noun,
    Placement,
    ProvisioningModel,
    Quota,
    Refusal,
    Slice,
)
from bot.ports.authority import Authorised


class Provisioner(Protocol):
    """Requests for capacity. All calls raise RetryLater when no answer came: `arrived` None means, look before anything else."""

    async def create(self, leave: Authorised, order: CapacityOrder) -> Placement | Refusal:
        """Ask for one machine, or adopt the request when this very work made it before. Safe to repeat with the same order.

        A Refusal is the cloud's no, at once or from the operation of an earlier try. Some refusals come later, in
        `operation(placement.operation.name).refusal`: until that is done, `request` may still find nothing.
        An adopted request is returned as it stands, also at its end (FAILED, SUSPENDED, DELETING): a new attempt under its name
        needs it deleted and `gone` first.
        Raises RefusedError when the name is taken by somebody or something else and says whose it is.
        """

    async def request(self, zone: str, name: str) -> CapacityRequest | None:
        """One request as it stands; None when there is none (any more)."""

    async def operation(self, name: str) -> CloudOperation:
        """How a change goes on."""

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        """Delete a request with its machine. False when there was nothing; True means it is going: ask `gone`.

        Raises RefusedError for what is not ours, unless a second person gave leave.
        """

    async def gone(self, zone: str, name: str, machine: str | None) -> bool:
        """Whether request and machine are both verified not to exist: only then nothing bills. DELETING still is."""


class Machines(Protocol):
    """Machines that exist. Changes raise RefusedError for what is not ours, PersonMovesNext when it is gone."""

    async def machine(self, zone: str, name: str) -> Machine | None:
        """One machine as it stands; None when there is none (any more)."""

    async def start(self, leave: Authorised, zone: str, name: str) -> CloudOperation | None:
        """Start a stopped machine; None when it runs or starts already."""

    async def stop(self, leave: Authorised, zone: str, name: str) -> CloudOperation | None:
        """Stop a machine; None when it is stopped or stops already. Some kinds cannot be: PersonMovesNext says why."""

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        """Delete a machine that belongs to no request. False when there was nothing; True means it is going."""

    async def set_metadata(
        self, leave: Authorised, zone: str, name: str, values: Mapping[str, str | None]
    ) -> CloudOperation | None:
        """Set these values and leave the others (None removes one). None when they stand so already.

        Call it again when the operation is done: another writer may have come between, and only None says that it held.
        """

    async def add_ssh_key(self, leave: Authorised, zone: str, name: str, line: str) -> CloudOperation | None:
        """Add one line `user:type key comment` to those that may log in. None when it stands there already."""

    async def guest_attributes(self, zone: str, name: str, path: str = "") -> dict[str, str]:
        """What the machine tells of itself by "namespace/key", such as "hostkeys/ssh-ed25519"; below `path`, empty for all.

        Empty while it told nothing. Anybody with root on the machine writes these: they are data, not orders.
        """


class Quotas(Protocol):
    """How much the project may hold."""

    async def quotas(self, piece: Slice, provisioning: ProvisioningModel, zones: Sequence[str]) -> dict[str, tuple[Quota, ...]]:
        """By zone, the limits that a machine of this kind spends: the zone's and its region's. Empty when nobody knows which."""


class Hardware(Protocol):
    """Which slices stand in which zone."""

    async def offered(self, piece: Slice, zones: Sequence[str]) -> dict[str, bool | None]:
        """By zone, whether this slice exists there. None: the zone could not be asked. All are asked at once."""


class NoSuchSecretError(PersonMovesNext):
    """There is no secret of this name, or no such version of it."""


class Secrets(Protocol):
    """Where secrets are kept. No value is ever logged or stands in an error."""

    async def store(self, leave: Authorised, name: str, value: SecretStr) -> str:
        """Keep a new version, making the secret when there is none; the version's number. A repeat keeps one more version."""

    async def access(self, name: str, version: str = "latest") -> SecretStr:
        """The value of a version, after a check that it arrived whole. Raises NoSuchSecretError when there is none."""


class Lease(Noun):
    """Until when a machine was bought: `ends_at`, by whose wish, and by which work. Spot and on-demand machines never end by
    themselves, so for those this is the only end there is. `moved_by` are the requests that
    moved it, so that a repeat moves nothing."""

    v: int = 1
    machine: str
    zone: str
    request: str | None
    ends_at: datetime
    owner: str
    work: str
    moved_by: tuple[str, ...] = ()


class Leases(Protocol):
    """The ends of our own machines."""

    async def put(self, team_id: str, lease: Lease) -> None:
        """Remember an end; a later one for the same machine replaces it."""

    async def all(self, team_id: str) -> tuple[Lease, ...]:
        """Every end of a workspace, the soonest first."""

    async def drop(self, team_id: str, zone: str, machine: str) -> None:
        """Forget the end of a machine that is gone."""


@dataclass(frozen=True)
class Capacity:
    """The writing half of the cloud, together."""

    provisioner: Provisioner
    machines: Machines
    quotas: Quotas
    hardware: Hardware
    secrets: Secrets
