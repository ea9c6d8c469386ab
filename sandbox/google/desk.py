"""Where calls of both transports pass: written down, struck by faults, kept from zones that do not answer, then carried out."""

import asyncio
import re
from collections.abc import Callable
from typing import TypeVar

from google.rpc import code_pb2

from sandbox.google.billing_catalog import Catalog
from sandbox.google.faults import Call, Faults, When, hang
from sandbox.google.log_store import LogStore
from sandbox.google.project import Project, Reach
from sandbox.google.refusals import Refusal
from sandbox.google.secret_store import SecretStore

Answer = TypeVar("Answer")
_ZONE = re.compile(r"/locations/([^/]+)")


class Desk:
    """One project with its secrets, logs and price list, its faults and its log."""

    def __init__(self, project: Project, faults: Faults) -> None:
        """Serve this project."""
        self.project = project
        self.faults = faults
        self.secrets = SecretStore(project.name, project.clock)
        self.catalog = Catalog()
        self.logs = LogStore(project.name, project.clock)

    async def handle(self, transport: str, method: str, resource: str, act: Callable[[], Answer]) -> Answer:
        """Carry out one call. Raises Refusal. `act` must return something that later changes do not touch."""
        call = self.faults.begin(transport, method, resource)
        try:
            answer = await self._carry_out(call, act)
        except Refusal as refusal:
            call.outcome = refusal.status
            raise
        except asyncio.CancelledError:
            call.outcome = "CANCELLED"
            raise
        call.outcome = "OK"
        return answer

    async def _carry_out(self, call: Call, act: Callable[[], Answer]) -> Answer:
        await self.faults.meet(call, When.BEFORE)
        await self._reach_zone(call)
        self.project.settle()
        answer = act()
        await self.faults.meet(call, When.AFTER)
        return answer

    async def _reach_zone(self, call: Call) -> None:
        """Lists answer for a zone that Google itself cannot reach, everything else there is unavailable."""
        found = _ZONE.search(call.resource)
        zone = self.project.zones.get(found.group(1)) if found else None
        reach = zone.reach if zone else Reach.OK
        if reach is Reach.HANGS:
            await hang()
        listed = reach is Reach.LISTED_UNREACHABLE and not call.method.startswith("List")
        if reach is Reach.UNAVAILABLE or listed:
            raise Refusal(code_pb2.UNAVAILABLE, "The service is currently unavailable.")
