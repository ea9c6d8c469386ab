"""A stand-in machine and what it takes to reach it, ready for a test."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.machine.access import KeyPair, host_of, new_key_pair
from bot.machine.connecting import Patience
from bot.machine.engine import DockerEngine
from bot.machine.ssh import SshShell
from bot.nouns import Machine, MachineState, Zone
from bot.ports import Authorised, Host
from bot.serving.container import container_of
from bot.serving.specification import EngineSpecification
from sandbox.clock import HeldClock
from sandbox.machine import MachineStandIn

START = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
LEAVE = Authorised("deploy-7")
WISH = {
    "deployment": "prod",
    "model": "31B",
    "image": "vllm/vllm-tpu:v0.26.0",
    "piece": "v6e-4",
    "context": 65_536,
    "hf_token_secret": "projects/my-project/secrets/hf",
    "api_key_secret": "projects/my-project/secrets/key",
}


def wanted(**changes):
    """A container that is wanted."""
    return container_of(EngineSpecification(**{**WISH, **changes}))


@dataclass
class Bench:
    """One machine, one shell, one engine control. `pauses` are the waits between tries to connect, which take no time here."""

    clock: HeldClock
    pair: KeyPair
    machine: MachineStandIn
    metadata: list[str] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @classmethod
    async def open(cls, **options):
        """Start the machine; its metadata holds our key."""
        clock, pair = HeldClock(START), new_key_pair("prod")
        metadata = [pair.metadata_line()]
        machine = MachineStandIn(clock, lambda: "\n".join(metadata), pull_s=0, **options)
        await machine.start()
        bench = cls(clock, pair, machine, metadata)
        bench.shell = SshShell(pause=bench.pause, patience=Patience(connect_s=5, login_s=5))
        bench.engine = DockerEngine(bench.shell, clock, pause=bench.look_again)
        return bench

    async def close(self):
        """End both."""
        await self.shell.aclose()
        await self.machine.stop()

    async def pause(self, seconds):
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def look_again(self, seconds):
        """Between looks at what the machine does by itself."""
        await asyncio.sleep(0.001)

    async def progress(self, what):
        self.told.append(what)

    def host(self, **changes) -> Host:
        """How the machine is reached: its port from the endpoint, its keys from its guest attributes."""
        node = Machine(
            backend="tpu_api",
            name="prod-1",
            zone=Zone(name="us-east5-a"),
            state=MachineState.READY,
            accelerator="v6e-4",
            address="127.0.0.1",
            endpoint_port=self.machine.port,
        )
        made = host_of(node, self.machine.attributes, self.pair.private)
        return Host(**{**vars(made), **changes})

    async def start(self, **changes):
        """Bring up an engine and report what was told on the way."""
        return await self.engine.start(self.host(), wanted(**changes), LEAVE, progress=self.progress)

    def docker_words(self):
        """The docker commands that change something, in order."""
        return self.machine.docker.acted
