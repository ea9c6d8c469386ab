"""A workspace that can deploy: a yard whose requests become machines as time passes, engines on them, and a process that dies at
any call to the outside.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bot.nouns import CapacityOrder, Deployment, Machine, MachineState, RequestState
from bot.operations.change import CHANGE, ROLLBACK
from bot.operations.course import STOP, Ended
from bot.operations.deploy import DEPLOY
from bot.operations.machine_destroy import MACHINE_DESTROY
from bot.operations.machine_expire import MACHINE_EXPIRE
from bot.operations.replace import REPLACE
from bot.ports import Authorised, Capacity, Grants, Host, Ran, Services
from bot.view import View
from sandbox.machine.commands import Commands
from sandbox.machine.docker import FakeDocker
from tests.doubles.engines import HOST, PLACE, Killed, Moved, Rig, Way
from tests.doubles.sights import machine
from tests.doubles.works import Works
from tests.doubles.yard import Yard

TABLE = (DEPLOY, REPLACE, CHANGE, ROLLBACK, MACHINE_DESTROY, MACHINE_EXPIRE)


@dataclass
class LivelyYard(Yard):
    """Each time somebody waits, requests become machines and what is being deleted goes. `fails`: they fail instead."""

    fails: bool = False
    orders: list[CapacityOrder] = field(default_factory=list)

    def pass_time(self) -> None:
        for (zone, name), one in list(self.requests.items()):
            if one.state is RequestState.DELETING:
                self.vanish(zone, name, one.machine)()
            elif one.state is RequestState.CREATING:
                self.turn(zone, name, RequestState.FAILED if self.fails else RequestState.ACTIVE)()
                if not self.fails:
                    self.put(machine(one.machine or "", labels=one.labels, zone=one.zone, accelerator=one.accelerator))
        for (zone, name), node in list(self.standing.items()):
            if node.state is MachineState.ENDING:
                self.vanish(zone, None, name)()


@dataclass
class Counted:
    """A port whose calls the process can die at."""

    inner: Any
    rig: Rig
    seen: Callable[[str, tuple[Any, ...]], None] = lambda name, values: None

    def __getattr__(self, name: str) -> Any:
        whole = getattr(self.inner, name)
        if not inspect.iscoroutinefunction(whole):
            return whole

        async def call(*values: Any, **named: Any) -> Any:
            self.seen(name, values)
            return await self.rig.call(whole(*values, **named))

        return call


@dataclass
class Settling:
    """Implements the parts of `bot.ports.House` that deploying asks: a deployment stands where it was settled last."""

    names: Any
    settled: list[Deployment] = field(default_factory=list)

    rig: Rig | None = None

    @property
    def setups(self) -> Any:
        return self if self.rig is None else Counted(self, self.rig)

    @property
    def budget(self) -> "Settling":
        return self

    @property
    def roles(self) -> "Settling":
        return self

    async def limit(self, team_id: str) -> None:
        del team_id

    async def given(self, team_id: str) -> Grants:
        del team_id
        return Grants()

    async def preferred(self, team_id: str, channel: str) -> None:
        del team_id, channel

    async def settle(self, team_id: str, deployment: Deployment) -> None:
        del team_id
        self.settled.append(deployment)
        self.names.known = [deployment if one.name == deployment.name else one for one in self.names.known]


@dataclass
class TwoMachines(Rig):
    """A rig with an engine on prod-1, and one on any other machine that is reached."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.others: dict[str, tuple[FakeDocker, Commands]] = {}

    def reach(self, name: str) -> Commands:
        if name == HOST.name:
            return self.system
        if name not in self.others:
            docker = FakeDocker(Moved(self.clock), name, pace=self.pace, pull_s=0)
            self.others[name] = docker, Commands(Moved(self.clock), docker)
        return self.others[name][1]

    def ready(self) -> bool:
        now, daemons = self.clock.now(), [self.docker, *(one for one, _ in self.others.values())]
        running = [one for daemon in daemons for one in daemon.containers.values() if one.now(now).status == "running"]
        return any((at := one.ready_at()) is not None and at <= now for one in running)

    async def host(self, deployment: Deployment) -> Host:
        assert deployment.machine
        return replace(HOST, name=deployment.machine, address=f"10.0.0.{1 + int(deployment.machine[-1])}")

    async def run(self, host: Host, argv: Sequence[str], *, timeout_s: float, max_bytes: int = 0, stdin: bytes = b"") -> Ran:
        del timeout_s, max_bytes
        said: list[str] = []

        async def script() -> str:
            return stdin.decode()

        async def say(text: str) -> None:
            said.append(text)

        answer = await self.call(self.reach(host.name).run(list(argv), script, say))
        for _ in range(5):
            await asyncio.sleep(0)
        return Ran(answer.code, "".join(said) + answer.out, answer.err)

    @asynccontextmanager
    async def forward_local(self, host: Host, to_port: int, *, to_host: str = "", port: int = 0) -> AsyncIterator[Any]:
        del host, to_host, port
        yield Way(to_port)


class Bench(Works):
    """prod, which was wanted once and has no machine now; with `stands` it has prod-1, and with `serves` that serves."""

    def __init__(self, *, stands: bool = False, serves: bool = False, pace: float = 1.0) -> None:
        super().__init__(TABLE, yard=LivelyYard())
        self.rig = TwoMachines(self.house.clock, pace=pace)
        self.house.engines, self.house.engine = self.rig.engines, self.rig.engine
        self.rig.serves()
        if not serves:
            self.rig.docker.containers.clear()
        without = PLACE.model_copy(update={"machine": None, "base_url": None})
        self.house.names.known = [PLACE if stands else without]
        self.settling = Settling(self.house.names, rig=self.rig)
        if stands:
            self.yard.put(machine())
        self.rig.started(14, 11, 9)

    @property
    def lively(self) -> LivelyYard:
        assert isinstance(self.yard, LivelyYard)
        return self.yard

    @property
    def services(self) -> Services:
        made, rig = super().services, self.rig
        whole = self.yard.capacity()
        capacity = Capacity(
            Counted(whole.provisioner, rig, self._ordered),
            Counted(whole.machines, rig),
            whole.quotas,
            whole.hardware,
            whole.secrets,
        )
        mine = Counted(self, rig)
        more: dict[str, Any] = {"long_work": mine, "leases": mine, "house": self.settling}
        return replace(made, capacity=capacity, project="my-project", **more)

    def _ordered(self, name: str, values: tuple[Any, ...]) -> None:
        if name == "create":
            may, order = values
            assert isinstance(may, Authorised)
            self.lively.orders.append(order)

    @property
    def machines(self) -> list[Machine]:
        return list(self.yard.standing.values())

    async def survive(self, name: str, *, stop: bool = False) -> View:
        """To the end, although the process is killed once on the way: what was cut off is taken again."""
        stops = stop
        for _ in range(500):
            try:
                came = await self.take(name, STOP if stops else None)
            except Killed:
                continue
            stops = False
            if isinstance(came, Ended):
                return came.view
            if came.wait_s is not None:
                self.house.clock.move(seconds=came.wait_s)
                self.yard.pass_time()
        raise AssertionError(f"no end: {self.works[name].state}")
