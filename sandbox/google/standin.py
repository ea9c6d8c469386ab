"""The stand-in itself: starts both fronts on free loopback ports and stops them."""

from dataclasses import dataclass
from typing import Any

import grpc
from aiohttp import web

from sandbox.clock import Clock
from sandbox.google import grpc_front, rest_front
from sandbox.google.desk import Desk
from sandbox.google.faults import Faults
from sandbox.google.project import Project

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Addresses:
    """Where it listens: `grpc` as host:port, `rest` as http://host:port."""

    grpc: str
    rest: str


class GoogleStandIn:
    """Google Cloud for one project: TPU, quotas, prices, secrets, logs. `faults` plans faults and holds the log of calls."""

    def __init__(self, project: Project, clock: Clock) -> None:
        """Nothing listens yet."""
        self.project = project
        self.faults = Faults(project.name, clock)
        self._desk = Desk(project, self.faults)
        self.secrets = self._desk.secrets
        self.catalog = self._desk.catalog
        self.logs = self._desk.logs
        self._server: Any = None
        self._runner: web.AppRunner | None = None

    async def start(self, *, grpc_port: int = 0, rest_port: int = 0) -> Addresses:
        """Listen on loopback; port 0 takes a free one."""
        self._server = grpc.aio.server()
        self._server.add_generic_rpc_handlers(grpc_front.handlers(self._desk))
        port = self._server.add_insecure_port(f"{LOOPBACK}:{grpc_port}")
        await self._server.start()
        self._runner = web.AppRunner(rest_front.application(self._desk), access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, LOOPBACK, rest_port).start()
        return Addresses(f"{LOOPBACK}:{port}", f"http://{LOOPBACK}:{self._runner.addresses[0][1]}")

    async def stop(self) -> None:
        """Close both; calls that still run are cut."""
        self.faults.clear()
        if self._server is not None:
            await self._server.stop(grace=0)
        if self._runner is not None:
            await self._runner.cleanup()
