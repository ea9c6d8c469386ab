"""A machine behind each node of the Google stand-in: it stands there when the node becomes READY and goes when the node goes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sandbox.clock import Clock
from sandbox.google.nodes import NodeRecord, State
from sandbox.google.project import Project
from sandbox.google.world import Endpoint
from sandbox.machine.server import MachineStandIn


class MachinePark:
    """Make it inside the running loop, before nodes become READY; nodes that stand there already get their machine at once.

    `options` go to each machine (pace, pull_s, api_key). `machines` are those that live, by the node's short name; `hooks`
    are told of each command on any of them.
    """

    def __init__(self, project: Project, clock: Clock, **options: Any) -> None:
        """Take over the addresses of the project's nodes."""
        self._project = project
        self._clock = clock
        self._options = options
        self._tasks: set[asyncio.Task[None]] = set()
        self.machines: dict[str, MachineStandIn] = {}
        self.hooks: list[Callable[[str, str], Awaitable[None]]] = []
        project.world.endpoint_of = self._endpoint
        project.nodes.gone.append(self._gone)
        for record in project.nodes.records.values():
            if record.message.state == State.READY:
                place = self._stand(record)
                told = record.message.network_endpoints[0]
                told.ip_address, told.port = place.internal, place.port
                told.ClearField("access_config")

    async def aclose(self) -> None:
        """Stop all machines."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(machine.stop() for machine in self.machines.values()))
        self.machines.clear()

    def _endpoint(self, number: int) -> Endpoint:
        record = next(one for one in self._project.nodes.records.values() if int(one.message.id) % 1_000_000 == number)
        return self._stand(record)

    def _stand(self, record: NodeRecord) -> Endpoint:
        """Put a machine there: its port is known at once, it listens a moment later."""
        metadata = record.message.metadata
        machine = MachineStandIn(
            self._clock, lambda: metadata.get("ssh-keys", ""), name=_short(record), piece=record.slice.name, **self._options
        )
        machine.hooks = self.hooks
        port = machine.reserve()
        record.attributes.update(machine.attributes)
        machine.attributes = record.attributes
        self.machines[_short(record)] = machine
        self._later(self._begin(machine, metadata.get("startup-script", "")))
        return Endpoint("127.0.0.1", "127.0.0.1", port)

    async def _begin(self, machine: MachineStandIn, script: str) -> None:
        await machine.start()
        if script:
            await machine.boot(script)

    def _gone(self, record: NodeRecord) -> None:
        machine = self.machines.pop(_short(record), None)
        if machine is not None:
            self._later(machine.stop())

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _short(record: NodeRecord) -> str:
    return str(record.message.name).rpartition("/")[2]
