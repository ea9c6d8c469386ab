"""One step of a piece of work: claim it, keep its lease, move it, let it go. What it does is its kind's affair."""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import structlog
from redis.exceptions import RedisError

from bot.errors import BotError, RetryLater
from bot.operations.operation import Registry
from bot.services import Runtime
from bot.store.work import Work

log = structlog.get_logger()

CLAIMS_LIMIT = 40
"""A piece of work that was claimed this often without an end is given up and told, whatever keeps killing it."""

BACKOFF_S = (0.5, 1, 2, 4, 8, 15, 30)
"""Waits after passing trouble, in seconds, by the number of the claim; the last one repeats."""


class LeaseLostError(Exception):
    """Somebody else holds the work now: nothing more may be written or sent for it."""


@dataclass
class Step:
    """A claimed piece of work on its way. `move` is the only way to change it."""

    work: Work
    runtime: Runtime
    registry: Registry
    kick: Callable[[str, str], Awaitable[None]]

    async def move(self, to: str, *, wait_s: float | None = None, **fields: str) -> None:
        """One transition. Raises LeaseLostError when the work is somebody else's by now."""
        if not await self.runtime.work.advance(self.work, to, wait_s=wait_s, **fields):
            raise LeaseLostError(self.work.id)
        self.work = replace(self.work, state=to, data={**self.work.data, **fields})

    async def later(self, after_s: float | None) -> None:
        """Let the work go and look again in a while."""
        wait = after_s if after_s is not None else BACKOFF_S[min(self.work.fence, len(BACKOFF_S)) - 1]
        await self.move(self.work.state, wait_s=wait)


Kind = Callable[[Step], Awaitable[None]]


def reference(work_id: str) -> str:
    """Four characters that a person can read out, and that find the log line."""
    return hashlib.sha256(work_id.encode()).hexdigest()[:4].upper()


async def run(step_of: Callable[[Work], Step], kinds: Mapping[str, Kind], runtime: Runtime, work_id: str) -> None:
    """Claim the work and run its kind once. Every error ends here: passing trouble is put off, the rest is logged."""
    work = await runtime.work.claim(work_id)
    if work is None:
        return
    step = step_of(work)
    try:
        async with _kept(runtime, step):
            await _once(step, kinds)
    except LeaseLostError:
        log.info("lease lost", work=work.id)


async def _once(step: Step, kinds: Mapping[str, Kind]) -> None:
    work = step.work
    try:
        await kinds[work.kind](step)
    except LeaseLostError:
        raise
    except RetryLater as error:
        log.info("put off", work=work.id, ref=reference(work.id), why=str(error))
        await step.later(error.after_s)
    except RedisError as error:
        log.info("memory is away, the clock kicks again", work=work.id, why=type(error).__name__)
        with contextlib.suppress(RedisError):
            await step.later(None)
    except BotError as error:
        log.warning("given up", work=work.id, ref=reference(work.id), why=str(error))
        await step.move("done")
    except Exception:
        log.exception("step failed", work=work.id, ref=reference(work.id))
        await (step.move("done") if work.fence >= CLAIMS_LIMIT else step.later(None))


@contextlib.asynccontextmanager
async def _kept(runtime: Runtime, step: Step) -> AsyncIterator[None]:
    """Renew the lease while the step runs; end the step when the lease is lost; let the work go when the step is cancelled."""
    mine = asyncio.current_task()
    keeper = asyncio.create_task(_renew(runtime, step, mine))
    try:
        yield
    except asyncio.CancelledError:
        with contextlib.suppress(LeaseLostError, RedisError):
            await step.later(0)
        raise
    finally:
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError, RedisError):
            await keeper


async def _renew(runtime: Runtime, step: Step, holder: "asyncio.Task[object] | None") -> None:
    while True:
        await asyncio.sleep(runtime.work.lease_s / 3)
        try:
            kept = await runtime.work.renew(step.work)
        except RedisError as error:
            log.info("lease not renewed, tried again", work=step.work.id, why=type(error).__name__)
            continue
        if not kept:
            log.info("lease lost", work=step.work.id)
            if holder is not None:
                holder.cancel()
            return
