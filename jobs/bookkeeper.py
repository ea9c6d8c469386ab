"""Looking at the whole fleet every ten minutes, so that it is known what ran and what it cost."""

import asyncio
from datetime import UTC, datetime, timedelta

import structlog

from bot.errors import BotError
from bot.nouns import Delta, Deployment
from bot.operations.cost_look import looked
from bot.services import Runtime
from bot.store import keys

log = structlog.get_logger()


class Bookkeeper:
    """Counts machine time by time slots; of several clocks only one takes a slot, and a slot is counted once."""

    def __init__(self, runtime: Runtime, every_s: float) -> None:
        """`every_s` is the length of a slot in seconds; 0 counts nothing."""
        self._runtime = runtime
        self._every_s = round(every_s)

    async def look(self) -> None:
        """Once in a slot: ask the cloud what is there, and count it for the slot that just ended.

        When the cloud cannot be asked at all, that slot stays a gap.
        """
        services = self._runtime.services
        if services.ledger is None or self._every_s <= 0:
            return
        begun = int(services.clock.now().timestamp()) // self._every_s * self._every_s
        if not await self._mine(begun):
            return
        try:
            fleet = await services.cloud.fleet()
        except BotError as error:
            log.info("machine time not counted", why=str(error))
            return
        until = datetime.fromtimestamp(begun, UTC)
        since = await self._since(until)
        deployments = await services.deployments.all(services.team_id)
        seen = await asyncio.gather(*(self._windows(one, since, until) for one in deployments))
        windows = {one.name: found for one, found in zip(deployments, seen, strict=True)}
        counted, unseen = looked(fleet, since, until, deployments, windows, services.prices.price)
        await services.ledger.add(services.team_id, since, until, counted, unseen)

    async def _mine(self, begun: int) -> bool:
        key = keys.once(f"ledger:{self._runtime.services.team_id}:{begun}")
        return bool(await self._runtime.redis.set(key, "1", nx=True, ex=2 * self._every_s))

    async def _since(self, until: datetime) -> datetime:
        """A slot earlier, but neither in another month nor in time that is counted: slots may have had another length."""
        services = self._runtime.services
        earlier = until - timedelta(seconds=self._every_s)
        moment_before = until - timedelta(microseconds=1)
        since = max(earlier, moment_before.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
        month = await services.ledger.month(services.team_id, since) if services.ledger else None
        return max(since, month.until) if month is not None and month.until < until else since

    async def _windows(self, deployment: Deployment, since: datetime, until: datetime) -> tuple[Delta, ...]:
        services = self._runtime.services
        return await services.history.windows(services.team_id, deployment.name, since, until)
