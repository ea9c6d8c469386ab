"""The safety net below long work: dead requests of ours are deleted, and a machine whose end nobody watches gets a watcher anew.

Leave to write comes from the yes that made the machine: its label names the question. Where that is not remembered any more,
nothing is done; the machine is then told as an orphan, or stands in `machines`.
"""

from datetime import UTC, datetime, timedelta

import structlog

from bot.errors import BotError
from bot.nouns import CapacityRequest, Machine
from bot.operations.machine_tidy import Revived, dead, reaped, tidied, unwatched
from bot.operations.money import hourly
from bot.ports import Lease, Question
from bot.services import Runtime
from bot.store import keys

log = structlog.get_logger()

EVERY_S = 300.0
DEAD_FOR = timedelta(hours=1)
"""Our choice: so long a request must have been seen dead. Whoever asked for it may look at why until then."""

SETTLED = timedelta(minutes=20)
"""Our choice: a machine this old is past the moment between being recorded and its end being watched."""

LIVES = 5
"""Works that are begun for one end, should each of them be lost."""


class Caretaker:
    """Looks by time slots; whatever it begins goes by the yes and by what it is for, so that two clocks begin it once."""

    def __init__(self, runtime: Runtime, every_s: float = EVERY_S) -> None:
        """`every_s` is the length of a slot in seconds."""
        self._runtime = runtime
        self._every_s = every_s

    async def look(self) -> None:
        """Once in a slot."""
        services = self._runtime.services
        if services.capacity is None or services.leases is None or services.long_work is None:
            return
        now = services.clock.now()
        if not await self._mine(int(now.timestamp() // self._every_s)):
            return
        try:
            fleet = await services.cloud.fleet()
        except BotError as error:
            log.info("nobody took care", why=str(error))
            return
        works = await services.work.under_way(services.team_id)
        for request in dead(fleet, works):
            await self._tidy(request, now)
        for lease, machine in unwatched(fleet, await services.leases.all(services.team_id)):
            await self._reap(lease, machine, now)

    async def _mine(self, slot: int) -> bool:
        key = keys.once(f"care:{self._runtime.services.team_id}:{slot}")
        return bool(await self._runtime.redis.set(key, "1", nx=True, px=int(self._every_s * 2000)))

    async def _tidy(self, request: CapacityRequest, now: datetime) -> None:
        """Not before it was seen dead for a while."""
        key = keys.once(f"dead:{self._runtime.services.team_id}:{request.zone.name}/{request.name}")
        await self._runtime.redis.set(key, now.timestamp(), nx=True, ex=2 * 86400)
        first = datetime.fromtimestamp(float(await self._runtime.redis.get(key) or now.timestamp()), UTC)
        question = await self._yes(request.labels.get("work"))
        if question is None or now - first < DEAD_FOR:
            return
        await self._begin(question, tidied(request, now), "tidy")

    async def _reap(self, lease: Lease, machine: Machine, now: datetime) -> None:
        if machine.created_at is None or now - machine.created_at < SETTLED:
            return
        question = await self._yes(machine.labels.get("work"))
        if question is None:
            log.warning("nobody ends it, and its yes is forgotten", machine=lease.machine, zone=lease.zone)
            return
        services = self._runtime.services
        price = hourly(services.prices, machine.accelerator, lease.zone, machine.provisioning)
        await self._begin(question, reaped(lease, machine, now, price), "again")

    async def _yes(self, name: str | None) -> Question | None:
        question = await self._runtime.services.approvals.get(name) if name else None
        return question if question is not None and question.spent_by is not None else None

    async def _begin(self, question: Question, work: Revived, why: str) -> None:
        """Begin it, unless one of its lives is open. The first life is the one that began with the machine."""
        book = self._runtime.services.long_work
        if book is None:
            return
        first = question.request.model_copy(update={"id": question.id, "approval": question.id})
        lives = [first, *(first.model_copy(update={"id": f"{question.id}-{why}-{number}"}) for number in range(1, LIVES + 1))]
        for request in lives:
            name = await book.begun(request, work.path)
            if name is not None and await self._runtime.work.is_open(name):
                return
            if name is None:
                begun = await book.begin(request, work.path, work.arguments, work.notes)
                log.info("begun anew", work=begun, path=work.path, life=request.id)
                return
