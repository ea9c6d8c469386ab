"""From Google's API to an answer of the engine, over real wires: the fleet, SSH, docker, the tunnel, vLLM's own paths."""

import asyncio

import pytest

from bot.cloud.tpu import TpuCloud
from bot.machine.access import host_of, new_key_pair
from bot.machine.engine import DockerEngine
from bot.machine.ssh import SshShell
from bot.machine.start_report import look
from bot.model.vllm import VllmEngine
from bot.nouns import ContainerState, Deployment
from bot.ports import Authorised
from bot.serving.container import container_of
from bot.serving.specification import EngineSpecification
from sandbox.clock import Clock
from sandbox.google.seed import default_project
from sandbox.google.standin import GoogleStandIn
from sandbox.machine import Ending, MachinePark

pytestmark = pytest.mark.wire
LEAVE = Authorised("deploy-7")
SPECIFICATION = EngineSpecification(
    deployment="prod", model="31B", image="vllm/vllm-tpu:v0.26.0", piece="v6e-4", context=65_536, exposure="loopback", restarts=0
)
WANTED = container_of(SPECIFICATION)


@pytest.fixture
async def world():
    """(how prod-1 is reached, its machine); the address comes from the API, the host keys from its guest attributes."""
    clock, pair = Clock(), new_key_pair("prod")
    project = default_project(clock)
    google = GoogleStandIn(project, clock)
    addresses = await google.start()
    park = MachinePark(project, clock, pace=0.001, pull_s=0)
    record = next(one for one in project.nodes.records.values() if one.message.name.endswith("/prod-1"))
    record.message.metadata["ssh-keys"] = pair.metadata_line()
    async with await TpuCloud.open(project.name, clock=clock, address=addresses.grpc) as cloud:
        fleet = await cloud.fleet()
        machine = next(one for one in fleet.machines if one.name == "prod-1")
        yield host_of(machine, record.attributes, pair.private), park.machines["prod-1"]
    await park.aclose()
    await google.stop()


async def started(engine, host):
    """Bring it up and watch until it is ready or failed."""
    await engine.start(host, WANTED, LEAVE)
    async with asyncio.timeout(30):
        while (sight := await look(engine, host, WANTED)).start.state not in {"ready", "failed"}:
            await asyncio.sleep(0.02)
    return sight


async def test_a_deployment_is_brought_up_asked_through_a_tunnel_and_stopped(world):
    host, machine = world
    async with SshShell() as shell, VllmEngine(Clock()) as vllm:
        engine = DockerEngine(shell, Clock())
        assert (await started(engine, host)).start.state == "ready"
        async with shell.forward_local(host, WANTED.port) as forward:
            deployment = Deployment(name="prod", base_url=f"http://127.0.0.1:{forward.port}")
            async with asyncio.timeout(10):
                while machine.vllm is None:
                    await asyncio.sleep(0.01)
            assert await vllm.healthy(deployment)
            assert [one.context for one in await vllm.models(deployment)] == [65_536]
        assert (await engine.stop(host, LEAVE)).state is ContainerState.EXITED


async def test_a_start_that_fails_says_why(world):
    host, machine = world
    machine.docker.ending = Ending.HF_403
    async with SshShell() as shell:
        sight = await started(DockerEngine(shell, Clock()), host)
    assert sight.start.failed
    assert sight.status.exit_code == 1
    assert "huggingface" in sight.start.finding.name
