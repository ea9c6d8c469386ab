"""The door to all work: a request is written down once, then a worker is asked to look at it."""

import asyncio
from dataclasses import dataclass, field

import structlog
from redis.exceptions import RedisError

from bot.errors import UsageError
from bot.operations import command_line
from bot.operations.operation import Queue, Registry
from bot.requests import Request
from bot.store.work import WorkStore
from jobs.kick import Kicker
from jobs.later import Later

log = structlog.get_logger()

REQUEST = "request"
"""The kind of work behind a request."""


@dataclass
class Inbox:
    """Writes requests down and kicks. `registry` only decides which workers are asked."""

    work: WorkStore
    kicker: Kicker
    registry: Registry
    later: Later = field(default_factory=Later)

    async def accept(self, request: Request) -> bool:
        """Write it down; True when it is new. Raises redis errors: then nothing was taken and the sender must be told.

        The kick follows on its own, after the caller has acknowledged: losing it costs seconds, for the clock kicks again.
        """
        queue = self._queue(request)
        fresh = await self.work.accept(request, work_id=f"r-{request.id}", kind=REQUEST, queue=queue)
        if fresh:
            self.later.start(self.kick(f"r-{request.id}", queue))
        return fresh

    async def kick(self, work_id: str, queue: str) -> None:
        """Ask a worker to look now."""
        try:
            await asyncio.to_thread(self.kicker.kick, work_id, queue)
        except RedisError as error:
            log.info("kick lost, the clock repeats it", work=work_id, why=type(error).__name__)

    def _queue(self, request: Request) -> str:
        try:
            return command_line.parse(self.registry, request.words).operation.queue
        except UsageError:
            return Queue.READS
