"""Looking at each deployment every half minute, so that there is something to compare with."""

import asyncio

import structlog

from bot.errors import BotError, RetryLater
from bot.nouns import Deployment, EngineSample, Look
from bot.operations.sources import attempt
from bot.services import Runtime
from bot.store import keys

log = structlog.get_logger()

USUAL_EVERY_S = 600


class Sampler:
    """Scrapes deployments by time slots; of several clocks only one takes a slot."""

    def __init__(self, runtime: Runtime, every_s: float) -> None:
        """`every_s` is the length of a slot in seconds."""
        self._runtime = runtime
        self._every_s = every_s

    async def look(self) -> None:
        """Take the present slot, if nobody has, and scrape every deployment in it."""
        now = self._runtime.services.clock.now().timestamp()
        if not await self._mine("sample", int(now // self._every_s), self._every_s):
            return
        deployments = await self._runtime.services.deployments.all(self._runtime.services.team_id)
        work_out = await self._mine("usual", int(now // USUAL_EVERY_S), USUAL_EVERY_S)
        await asyncio.gather(*(self._one(deployment, work_out=work_out) for deployment in deployments if deployment.base_url))

    async def _mine(self, what: str, slot: int, life_s: float) -> bool:
        key = keys.once(f"{what}:{self._runtime.services.team_id}:{slot}")
        return bool(await self._runtime.redis.set(key, "1", nx=True, px=int(life_s * 2000)))

    async def _one(self, deployment: Deployment, *, work_out: bool) -> None:
        """A deployment that does not answer leaves a gap, and the others go on."""
        services = self._runtime.services
        try:
            sample = await services.engine.sample(deployment)
        except BotError as error:
            await self._runtime.counters.add("samples_missed", deployment.name)
            log.info("not sampled", deployment=deployment.name, why=str(error))
            await self._compare(deployment, Look(at=services.clock.now(), answers=_reached(error)))
            return
        await self._runtime.history.keep(services.team_id, deployment.name, sample)
        await self._runtime.counters.add("samples", deployment.name)
        if work_out:
            await self._runtime.history.work_out_usual(services.team_id, deployment.name, sample.at)
        await self._compare(deployment, await self._told(deployment, sample))

    async def _told(self, deployment: Deployment, sample: EngineSample) -> Look:
        """What the engine says of itself beside its figures; what it does not say is unknown."""
        engine = self._runtime.services.engine
        version, models = await asyncio.gather(attempt(engine.version(deployment)), attempt(engine.models(deployment)))
        return Look(
            at=sample.at,
            answers=True,
            started_at=sample.started_at,
            version=version.value,
            windows={one.id: one.context for one in models.value} if models.value else None,
            settings=sample.cache_config,
        )

    async def _compare(self, deployment: Deployment, look: Look) -> None:
        """Note what changed since the look before."""
        happenings = self._runtime.services.happenings
        if happenings is None:
            return
        for one in await happenings.note(self._runtime.services.team_id, deployment.name, look):
            log.info("change seen", deployment=deployment.name, kind=one.kind.value, at=one.at.isoformat())


def _reached(error: BotError) -> bool | None:
    """False when nothing came back. Who asks for another key does answer, but tells us nothing."""
    return False if isinstance(error, RetryLater) else None
