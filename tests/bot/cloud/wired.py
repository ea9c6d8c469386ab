"""A running stand-in for Google with our REST clients before it, and an order to send."""

from datetime import UTC, datetime
from typing import Any

from bot.cloud.machines import TpuMachines
from bot.cloud.provisioning import TpuProvisioner
from bot.cloud.rest import GoogleRest
from bot.nouns import Actor, CapacityOrder, ProvisioningModel, Zone
from bot.serving import slices
from sandbox.clock import HeldClock
from sandbox.google.faults import Call
from sandbox.google.seed import PROJECT
from sandbox.google.standin import GoogleStandIn

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Google:
    """The stand-in and its address. `rest` opens new connections, as another process would."""

    def __init__(self, standin: GoogleStandIn, clock: HeldClock, address: str) -> None:
        self.standin, self.clock, self.address = standin, clock, address
        self.project = standin.project

    def rest(self, *, deadline_s: float = 5.0) -> GoogleRest:
        return GoogleRest(PROJECT, root=self.address, deadline_s=deadline_s)

    def provisioner(self, rest: GoogleRest) -> TpuProvisioner:
        """One over these connections, which does not pause between tries."""
        return TpuProvisioner(rest, TpuMachines(rest, pauses_s=(0, 0)))

    def calls(self, method: str) -> list[Call]:
        return [call for call in self.standin.faults.calls if call.method == method]

    def requests(self, zone: str = "us-east5-a") -> set[str]:
        """Short names of the requests that exist in a zone."""
        self.project.settle()
        return {name.rpartition("/")[2] for name in self.project.queued.records if f"/locations/{zone}/" in name}

    def nodes(self, zone: str = "us-east5-a") -> set[str]:
        """Short names of the machines that exist in a zone."""
        self.project.settle()
        return {name.rpartition("/")[2] for name in self.project.nodes.records if f"/locations/{zone}/" in name}


def an_order(**changes: Any) -> CapacityOrder:
    """The usual order with changes."""
    fields: dict[str, Any] = {
        "name": "prod-2-request",
        "machine": "prod-2",
        "zone": Zone(name="us-east5-a"),
        "piece": slices.parse("v6e-4"),
        "provisioning": ProvisioningModel.FLEX_START,
        "deployment": "prod",
        "owner": Actor(team_id="T1", user_id="U0ANNA"),
        "wait_s": 3600,
        "run_s": 3 * 3600,
        "ssh_keys": ("bot:ssh-ed25519 " + "A" * 68 + " bot",),
        "startup_script": "#!/bin/sh\necho ready\n",
    }
    return CapacityOrder(**(fields | changes))
