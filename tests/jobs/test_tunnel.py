"""The tunnel process: one forward for each engine that needs one, told while it stands, made anew when it is lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.model import TimeOuts, VllmEngine
from bot.nouns import Deployment
from bot.ports import Engines, Host
from bot.store.tunnels import TunnelStore
from jobs.tunnel import Tunneller
from sandbox.clock import Clock
from tests.bot.machine.machine_bench import Bench
from tests.doubles.ports import Names

pytestmark = pytest.mark.wire
PROD = Deployment(name="prod", base_url="ssh://prod-1:8000", machine="prod-1", zone="us-east5-a")


class World:
    """A machine whose engine is ready, and a tunneller that waits no time between tries."""

    def __init__(self, bench: Bench, redis: Redis) -> None:
        self.bench, self.tunnels, self.names = bench, TunnelStore(redis), Names([PROD])
        self.reached = 0
        engines = Engines(self, self, bench.engine, bench.shell)  # type: ignore[arg-type]
        self.tunneller = Tunneller("T1", self.names, engines, self.tunnels, pause=self._pause)

    async def _pause(self, _seconds: float) -> None:
        await asyncio.sleep(0.01)

    async def host(self, deployment: Deployment) -> Host:
        assert deployment.machine == "prod-1"
        self.reached += 1
        made: Host = self.bench.host()
        return made

    async def port(self, other_than: int | None = None) -> int:
        """The port, once it is told and another one than before."""
        async with asyncio.timeout(10):
            while (found := await self.tunnels.port("T1", "prod")) in {None, other_than}:
                await asyncio.sleep(0.01)
        assert found is not None
        return found

    async def none(self) -> None:
        async with asyncio.timeout(10):
            while await self.tunnels.port("T1", "prod") is not None:
                await asyncio.sleep(0.01)

    async def answers(self, port: int) -> bool:
        async with VllmEngine(Clock(), time_outs=TimeOuts(1, 1, 2)) as engine:
            return await engine.healthy(PROD.model_copy(update={"base_url": f"http://127.0.0.1:{port}"}))


@pytest.fixture
async def world(redis: Redis) -> AsyncIterator[World]:
    bench: Any = await Bench.open()
    await bench.start()
    await bench.clock.advance(700)
    while bench.machine.vllm is None or not bench.machine.vllm.url:
        await asyncio.sleep(0.01)
    made = World(bench, redis)
    yield made
    await made.tunneller.aclose()
    await bench.close()


async def test_the_port_that_is_told_leads_to_the_engine(world: World) -> None:
    await world.tunneller.look()
    assert await world.answers(await world.port())


async def test_a_second_look_opens_nothing_anew(world: World) -> None:
    await world.tunneller.look()
    port = await world.port()
    await world.tunneller.look()
    assert (await world.port(), world.reached) == (port, 1)


async def test_a_lost_connection_is_made_anew_and_its_new_port_is_told(world: World) -> None:
    await world.tunneller.look()
    port = await world.port()
    world.bench.machine.cut()
    assert await world.answers(await world.port(other_than=port))
    assert world.reached == 2


async def test_a_machine_that_is_away_is_tried_until_it_is_back(world: World) -> None:
    world.bench.machine.faults.refuse_logins = 25
    await world.tunneller.look()
    assert await world.answers(await world.port())


async def test_a_deployment_that_is_gone_or_moved_loses_its_tunnel(world: World) -> None:
    await world.tunneller.look()
    await world.port()
    world.names.known = [PROD.model_copy(update={"base_url": "https://gemma.example.com"})]
    await world.tunneller.look()
    await world.none()


async def test_who_closes_it_takes_its_word_back(world: World) -> None:
    await world.tunneller.look()
    await world.port()
    await world.tunneller.aclose()
    await world.none()
