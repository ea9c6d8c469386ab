"""Looking at what each Gemma really does right: when the clock starts, and whenever a server says another version or model."""

import structlog

from bot.errors import BotError
from bot.model.answering.conformance import conformance, due
from bot.nouns import Deployment
from bot.services import Runtime
from bot.store import keys

log = structlog.get_logger()

EVERY_S = 60.0
"""Between two looks at versions: two small reads a deployment. Our choice."""

CLAIM_S = 600
"""For so long one clock has the examination of a deployment for itself: seven short answers, each with its own bound."""


class Examiner:
    """Of several clocks only one examines a deployment."""

    def __init__(self, runtime: Runtime) -> None:
        """Nothing is asked before the first look."""
        self._runtime = runtime

    async def look(self) -> None:
        """Each deployment once. One that does not answer is looked at the next time."""
        services = self._runtime.services
        for one in await services.deployments.all(services.team_id):
            try:
                await self._examined(one)
            except BotError as error:
                log.debug("not examined", deployment=one.name, why=str(error))

    async def _examined(self, one: Deployment) -> None:
        services = self._runtime.services
        if services.model is None or services.conformances is None or one.base_url is None:
            return
        served = await services.engine.models(one)
        version, model_id = await services.engine.version(one), served[0].id if served else None
        last = await services.conformances.last(services.team_id, one.name)
        if not served or not due(last, version=version, model_id=model_id) or not await self._mine(one):
            return
        found = await conformance(services.model, one, services.clock, version=version, model_id=model_id)
        await services.conformances.keep(services.team_id, found)
        passed = sum(check.verdict.value == "passed" for check in found.checks)
        log.info("examined", deployment=one.name, version=version, passed=passed, checks=len(found.checks))

    async def _mine(self, one: Deployment) -> bool:
        key = keys.once(f"examined:{self._runtime.services.team_id}:{one.name}")
        return bool(await self._runtime.redis.set(key, "1", nx=True, ex=CLAIM_S))
