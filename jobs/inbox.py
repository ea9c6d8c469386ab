"""The door to all work: a request is written down once, and a worker is asked to look at it."""

from dataclasses import dataclass

from bot.errors import UsageError
from bot.operations import command_line
from bot.operations.operation import Queue, Registry
from bot.requests import Request
from bot.store.work import WorkStore

REQUEST = "request"
"""The kind of work behind a request."""


@dataclass
class Inbox:
    """Writes requests down. `registry` only decides which workers are asked."""

    work: WorkStore
    registry: Registry

    async def accept(self, request: Request) -> bool:
        """Write it down and ask a worker, in one call to Redis; True when it is new.

        Raises redis errors: then nothing was taken and the sender must be told.
        """
        return await self.work.accept(request, work_id=f"r-{request.id}", kind=REQUEST, queue=self._queue(request))

    def _queue(self, request: Request) -> str:
        try:
            return command_line.parse(self.registry, request.words).operation.queue
        except UsageError:
            return Queue.READS
