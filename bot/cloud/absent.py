"""The writing half of the cloud where no project is set: every question says what to set."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from pydantic import SecretStr

from bot.errors import NotConnectedError
from bot.nouns import CapacityOrder, ProvisioningModel, Slice
from bot.ports import Authorised


def _refuse() -> NoReturn:
    raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")


class NoProvisioner:
    """Implements `bot.ports.Provisioner`; every call raises NotConnectedError."""

    async def create(self, leave: Authorised, order: CapacityOrder) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, order
        _refuse()

    async def request(self, zone: str, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del zone, name
        _refuse()

    async def operation(self, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del name
        _refuse()

    async def delete(self, leave: Authorised, zone: str, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, zone, name
        _refuse()

    async def gone(self, zone: str, name: str, machine: str | None) -> NoReturn:
        """Raises NotConnectedError."""
        del zone, name, machine
        _refuse()


class NoMachines:
    """Implements `bot.ports.Machines`; every call raises NotConnectedError."""

    async def machine(self, zone: str, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del zone, name
        _refuse()

    async def start(self, leave: Authorised, zone: str, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, zone, name
        _refuse()

    async def stop(self, leave: Authorised, zone: str, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, zone, name
        _refuse()

    async def delete(self, leave: Authorised, zone: str, name: str) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, zone, name
        _refuse()

    async def set_metadata(self, leave: Authorised, zone: str, name: str, values: Mapping[str, str | None]) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, zone, name, values
        _refuse()

    async def add_ssh_key(self, leave: Authorised, zone: str, name: str, line: str) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, zone, name, line
        _refuse()

    async def guest_attributes(self, zone: str, name: str, path: str = "") -> NoReturn:
        """Raises NotConnectedError."""
        del zone, name, path
        _refuse()


class NoQuotas:
    """Implements `bot.ports.Quotas`."""

    async def quotas(self, piece: Slice, provisioning: ProvisioningModel, zones: Sequence[str]) -> NoReturn:
        """Raises NotConnectedError."""
        del piece, provisioning, zones
        _refuse()


class NoHardware:
    """Implements `bot.ports.Hardware`."""

    async def offered(self, piece: Slice, zones: Sequence[str]) -> NoReturn:
        """Raises NotConnectedError."""
        del piece, zones
        _refuse()


class NoSecrets:
    """Implements `bot.ports.Secrets`."""

    async def store(self, leave: Authorised, name: str, value: SecretStr) -> NoReturn:
        """Raises NotConnectedError."""
        del leave, name, value
        _refuse()

    async def access(self, name: str, version: str = "latest") -> NoReturn:
        """Raises NotConnectedError."""
        del name, version
        _refuse()
