"""A node becomes a machine, its script runs, and it goes with its node."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.machine.access import host_of, new_key_pair
from bot.machine.connecting import Patience
from bot.machine.engine import DockerEngine
from bot.machine.ssh import SshShell
from bot.nouns import ContainerState, Machine, MachineState, Zone
from bot.serving.boot_script import startup_script
from bot.serving.container import container_of, run_argv
from bot.serving.specification import EngineSpecification
from sandbox.clock import HeldClock
from sandbox.google.project import Delays
from sandbox.google.queued import Terms
from sandbox.google.seed import HOME, default_project, queued_resource
from sandbox.machine import Ending, MachinePark
from tests.bot.machine.machine_bench import WISH

pytestmark = pytest.mark.wire
START = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
SPECIFICATION = EngineSpecification(**WISH)


class World:
    """A project whose nodes are machines."""

    def __init__(self):
        self.clock = HeldClock(START)
        self.project = default_project(self.clock, delays=Delays(queue_s=1, provision_s=60))
        self.park = MachinePark(self.project, self.clock, pull_s=30)
        self.pair = new_key_pair("prod")

    async def order(self, script: str):
        parent = f"projects/{self.project.name}/locations/{HOME}"
        queued = queued_resource(parent, "prod-2", "v6e-4", {"managed-by": "gemma-chatops"})
        queued.tpu.node_spec[0].node.metadata["ssh-keys"] = self.pair.metadata_line()
        queued.tpu.node_spec[0].node.metadata["startup-script"] = script
        self.project.queued.create(parent, "prod-2-request", queued, Terms("FLEX_START", run_s=4 * 3600), "")
        await self.advance(120)
        return self.project.nodes.records[f"{parent}/nodes/prod-2"]

    async def advance(self, seconds: int):
        """In small steps, so that what one moment begins has begun before the next."""
        for _ in range(0, seconds, 10):
            await self.clock.advance(10)
            self.project.settle()
            for _ in range(3):
                await asyncio.sleep(0.002)


@pytest.fixture
async def world():
    made = World()
    yield made
    await made.park.aclose()


def phase(record):
    return record.attributes.get("gemma/phase", "").rpartition(" ")[0]


async def test_a_node_boots_serves_and_can_be_reached_by_what_its_metadata_says(world):
    record = await world.order(startup_script(SPECIFICATION, run_argv(SPECIFICATION)))
    assert phase(record) in {"booting", "secrets", "pulling", "starting", "loading"}
    await world.advance(900)
    assert phase(record) == "ready"
    endpoint = record.message.network_endpoints[0]
    node = Machine(
        backend="tpu_api",
        name="prod-2",
        zone=Zone(name=HOME),
        state=MachineState.READY,
        accelerator="v6e-4",
        address=endpoint.ip_address,
        endpoint_port=endpoint.port,
    )
    host = host_of(node, record.attributes, world.pair.private)
    async with SshShell(patience=Patience(tries=3, pause_s=0.1)) as shell:
        status = await DockerEngine(shell, world.clock).status(host, container_of(SPECIFICATION))
    assert (status.state, status.drift, status.ours) == (ContainerState.RUNNING, (), True)


async def test_a_start_that_fails_is_told_in_the_guest_attributes(world):
    record = await world.order("#!/bin/bash\ntrue\n")
    machine = world.park.machines["prod-2"]
    machine.docker.ending = Ending.HF_403
    specification = EngineSpecification(**{**WISH, "restarts": 0})
    booting = asyncio.create_task(machine.boot(startup_script(specification, run_argv(specification))))
    await world.advance(600)
    await asyncio.wait_for(booting, 5)
    assert phase(record) == "failed: the container is exited"


async def test_secrets_that_may_not_be_read_are_told_in_the_guest_attributes(world):
    record = await world.order("#!/bin/bash\ntrue\n")
    machine = world.park.machines["prod-2"]
    machine.system.readable = set()
    await machine.boot(startup_script(SPECIFICATION, run_argv(SPECIFICATION)))
    assert phase(record) == "failed: secrets"
    assert not machine.docker.containers


async def test_machines_that_stood_before_get_one_and_all_go_with_their_nodes(world):
    assert "prod-1" in world.park.machines
    record = await world.order("")
    machine = world.park.machines["prod-2"]
    world.project.queued.delete(record.queued, force=True, request_id="")
    await world.advance(60)
    assert "prod-2" not in world.park.machines
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", machine.port)


async def test_no_secret_is_in_the_metadata_or_the_attributes(world):
    record = await world.order(startup_script(SPECIFICATION, run_argv(SPECIFICATION)))
    told = repr(dict(record.message.metadata)) + repr(record.attributes)
    assert "PRIVATE KEY" not in told
    assert world.pair.private.get_secret_value().splitlines()[1] not in told
