"""`gemma tunnel`: holds SSH forwards to the engines that are reached through their machine only.

One process on each machine that other processes of the bot run on: a forward listens on that machine's loopback alone.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import structlog
from redis.exceptions import RedisError

from bot.machine.ways import needs_tunnel, port_of
from bot.nouns import Deployment
from bot.ports import Deployments, Engines, Tunnels
from bot.services import Runtime
from bot.settings import Settings
from bot.store.probes import BEAT_S, Heart
from bot.store.tunnels import LIFE_S, TunnelStore
from jobs.standing import TROUBLE, every, stand

log = structlog.get_logger()

LOOK_S = 5.0
"""Between two looks at which deployments there are."""
TOLD_S = LIFE_S / 4
"""How often a standing tunnel says so."""
PAUSES_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Between tries to reach a machine; the last one repeats."""
CANCEL_S = 1.0

Pause = Callable[[float], Awaitable[None]]


async def run(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. Redis, Slack or a machine being away only delays it."""
    await stand(settings, "tunnel", _serve)


async def _serve(runtime: Runtime, ended: asyncio.Event) -> None:
    services = runtime.services
    if services.engines is None:
        await ended.wait()
        return
    held = Tunneller(services.team_id, services.deployments, services.engines, TunnelStore(runtime.redis))
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(every(ended, BEAT_S, Heart(runtime.redis, "tunnel").beat))
            group.create_task(every(ended, LOOK_S, held.look))
    finally:
        await held.aclose()


class Tunneller:
    """One forward for each deployment that needs one. `pause` is how it waits between tries."""

    def __init__(
        self, team_id: str, deployments: Deployments, engines: Engines, tunnels: Tunnels, *, pause: Pause = asyncio.sleep
    ) -> None:
        """Nothing is opened before the first `look`."""
        self._team_id = team_id
        self._deployments = deployments
        self._engines = engines
        self._tunnels = tunnels
        self._pause = pause
        self._held: dict[Deployment, asyncio.Task[None]] = {}

    async def look(self) -> None:
        """Begin the forwards that are lacking, end those that nobody needs any more or that lead to a machine of before."""
        known = await self._deployments.all(self._team_id)
        wanted = {_way_of(one) for one in known if one.machine is not None and needs_tunnel(one)}
        for gone in self._held.keys() - wanted:
            await self._end(gone)
        for new in wanted - self._held.keys():
            self._held[new] = asyncio.create_task(self._hold(new))

    async def aclose(self) -> None:
        """End all of them."""
        for one in list(self._held):
            await self._end(one)

    async def _end(self, deployment: Deployment) -> None:
        task = self._held.pop(deployment)
        while not task.done():
            task.cancel()  # asked again, for a client may take being cancelled for its own time-out
            await asyncio.wait({task}, timeout=CANCEL_S)

    async def _hold(self, deployment: Deployment) -> None:
        """Reach the machine, forward, say so, until it is lost; then anew. Only being cancelled ends it."""
        tries = 0
        while True:
            try:
                await self._once(deployment)
                tries = 0
                log.info("tunnel lost", deployment=deployment.name, machine=deployment.machine)
            except TROUBLE as error:
                log.info("no tunnel", deployment=deployment.name, why=f"{type(error).__name__}: {error}"[:200])
            await self._pause(PAUSES_S[min(tries, len(PAUSES_S) - 1)])
            tries += 1

    async def _once(self, deployment: Deployment) -> None:
        """One forward from its beginning to its end; while it stands it is told again and again, so that it is forgotten when we
        are gone."""
        host = await self._engines.hosts.host(deployment)
        async with self._engines.shell.forward_local(host, port_of(deployment)) as forward:
            log.info("tunnel stands", deployment=deployment.name, machine=deployment.machine, port=forward.port)
            lost = asyncio.create_task(forward.lost())
            try:
                while not lost.done():
                    with contextlib.suppress(RedisError):
                        await self._tunnels.hold(self._team_id, deployment.name, forward.port)
                    await asyncio.wait({lost}, timeout=TOLD_S)
            finally:
                lost.cancel()
                with contextlib.suppress(RedisError):
                    await self._tunnels.drop(self._team_id, deployment.name)


def _way_of(deployment: Deployment) -> Deployment:
    """What decides where a forward leads: when anything else of a deployment changes, its forward stays."""
    return Deployment(name=deployment.name, machine=deployment.machine, zone=deployment.zone, base_url=deployment.base_url)
