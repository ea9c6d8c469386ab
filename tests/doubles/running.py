"""A runtime over a real Valkey, with people, cloud, engine and Slack from a test's hand; and one step taken in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from redis.asyncio import Redis

from bot.operations.operation import Registry
from bot.requests import Request
from bot.services import Runtime
from bot.store import keys
from bot.store.counters import Counters
from bot.store.deliveries import DeliveryStore
from bot.store.history import HistoryStore
from bot.store.work import Work, WorkStore
from jobs.answer import answer
from jobs.steps import Kind, Step, run
from tests.doubles.ports import House
from tests.doubles.slack import FakeSlack


@dataclass
class Workshop:
    """`kicks` is what was asked to be looked at."""

    redis: Redis
    registry: Registry = ()
    house: House = field(default_factory=House)
    slack: FakeSlack = field(default_factory=FakeSlack)
    kinds: Mapping[str, Kind] = field(default_factory=lambda: {"request": answer})
    kicks: list[tuple[str, str]] = field(default_factory=list)
    lease_s: float = 5
    replaceable: bool = True

    @property
    def work(self) -> WorkStore:
        return WorkStore(self.redis, lease_s=self.lease_s, kick_s=0)

    @property
    def runtime(self) -> Runtime:
        redis, services = self.redis, self.house.services
        stores = (DeliveryStore(redis), self.slack, HistoryStore(redis), Counters(redis))
        return Runtime(services, redis, self.work, *stores, commands_replaceable=self.replaceable)

    async def accept(self, request: Request, work_id: str = "r-1") -> None:
        await self.work.accept(request, work_id=work_id, kind="request", queue="reads")

    async def look(self, work_id: str = "r-1") -> None:
        """One worker's step."""
        await run(self._step, self.kinds, self.runtime, work_id)

    def _step(self, work: Work) -> Step:
        return Step(work, self.runtime, self.registry, self._kick)

    async def _kick(self, work_id: str, queue: str) -> None:
        self.kicks.append((work_id, queue))

    async def field_of(self, name: str, work_id: str = "r-1") -> str | None:
        raw = await self.redis.hget(keys.work(work_id), name)
        return raw.decode() if isinstance(raw, bytes) else raw

    async def waits_s(self, work_id: str = "r-1") -> float:
        """Seconds until the work may be claimed again."""
        seconds, microseconds = await self.redis.time()
        return float(await self.field_of("not_before", work_id) or 0) / 1000 - (float(seconds) + float(microseconds) / 1e6)

    async def hand_over(self, work_id: str = "r-1") -> None:
        """As if the holder had died and its lease had ended."""
        await self.redis.hset(keys.work(work_id), mapping={"lease_until": 0, "not_before": 0})
