"""The writing half of the cloud put together, for the one place that constructs adapters."""

from dataclasses import dataclass
from typing import Self

import httpx
from google.auth.credentials import Credentials

from bot.cloud.absent import NoHardware, NoMachines, NoProvisioner, NoQuotas, NoSecrets
from bot.cloud.accelerators import AcceleratorTypes
from bot.cloud.catalog import BillingCatalog
from bot.cloud.logs import CloudLogs, NoLogs
from bot.cloud.machines import TpuMachines
from bot.cloud.provisioning import TpuProvisioner
from bot.cloud.quotas import CloudQuotas
from bot.cloud.rest import DEADLINE_S, GoogleRest
from bot.cloud.secrets import SecretManager
from bot.ports import Clock, Hardware, Logs, Machines, Provisioner, Quotas, ReadQuota, Secrets


@dataclass(frozen=True)
class GoogleCloud:
    """Ports over one pool of connections. `price_list` is None where no project is set: the snapshot's prices hold there."""

    provisioner: Provisioner
    machines: Machines
    quotas: Quotas
    hardware: Hardware
    secrets: Secrets
    price_list: BillingCatalog | None
    rest: GoogleRest | None
    clock: Clock

    def logs(self, quota: ReadQuota) -> Logs:
        """Cloud Logging over the same connections, within this quota."""
        return NoLogs() if self.rest is None else CloudLogs(self.rest, self.clock, quota)

    @classmethod
    def of(
        cls,
        project: str | None,
        clock: Clock,
        *,
        root: str | None = None,
        credentials: Credentials | None = None,
        deadline_s: float = DEADLINE_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> Self:
        """Everything for this project, or what says that none is set. Nothing is opened before the first call.
        `transport` stands in for the network.

        Raises PersonMovesNext for a `root` that Google Cloud may not be asked at.
        """
        if project is None:
            return cls(NoProvisioner(), NoMachines(), NoQuotas(), NoHardware(), NoSecrets(), None, None, clock)
        rest = GoogleRest(project, root=root, credentials=credentials, deadline_s=deadline_s, transport=transport)
        machines = TpuMachines(rest)
        return cls(
            TpuProvisioner(rest, machines),
            machines,
            CloudQuotas(rest, clock),
            AcceleratorTypes(rest),
            SecretManager(rest),
            BillingCatalog(rest, clock),
            rest,
            clock,
        )

    async def aclose(self) -> None:
        """Close the connections, when there are any."""
        if self.rest is not None:
            await self.rest.aclose()
