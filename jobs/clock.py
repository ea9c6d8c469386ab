"""`gemma clock`: kicks due work, samples deployments, counts machine time, tells our figures. Any number may run."""

import asyncio
import signal
from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web
from redis.exceptions import RedisError

from bot.errors import BotError
from bot.services import Runtime, running
from bot.settings import Settings
from bot.store.probes import BEAT_S, Heart
from jobs.bookkeeper import Bookkeeper
from jobs.caretaker import Caretaker
from jobs.examiner import EVERY_S, Examiner
from jobs.exposition import figures
from jobs.sampler import Sampler
from jobs.watcher import Watcher

log = structlog.get_logger()


async def run(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. Redis or Slack being away only delays it."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    while not ended.is_set():
        try:
            async with running(settings) as runtime:
                await _serve(settings, runtime, ended)
        except (RedisError, BotError, OSError) as error:
            log.info("clock waits", why=f"{type(error).__name__}: {error}"[:200])
            await _wait(ended, 1.0)


async def _serve(settings: Settings, runtime: Runtime, ended: asyncio.Event) -> None:
    sampler = Sampler(runtime, settings.sample_seconds)
    bookkeeper = Bookkeeper(runtime, settings.ledger_seconds)
    watcher = Watcher(runtime, settings.watch_seconds)
    listener = await _listen(settings, runtime)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_every(ended, settings.tick_seconds, lambda: kick_due(runtime)))
            group.create_task(_every(ended, BEAT_S, Heart(runtime.redis, "clock").beat))
            group.create_task(_every(ended, min(1.0, settings.sample_seconds), sampler.look))
            group.create_task(_every(ended, 1.0, bookkeeper.look))
            group.create_task(_every(ended, 1.0, watcher.look))
            group.create_task(_every(ended, 1.0, Caretaker(runtime).look))
            group.create_task(_every(ended, EVERY_S, Examiner(runtime).look))
    finally:
        await listener.cleanup()


async def kick_due(runtime: Runtime) -> None:
    """Ask workers to look at whatever is due and held by nobody."""
    for work_id, queue in await runtime.work.due():
        await runtime.work.ring(work_id, queue)


async def _every(ended: asyncio.Event, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
    """Act, wait, act again. Passing trouble with Redis or a neighbour is logged and waited out."""
    while not ended.is_set():
        try:
            await act()
        except (RedisError, BotError, OSError) as error:
            log.info("tick failed", why=f"{type(error).__name__}: {error}"[:200])
        await _wait(ended, seconds)


async def _wait(ended: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        return


async def _listen(settings: Settings, runtime: Runtime) -> web.AppRunner:
    """`/metrics` for Prometheus and `/healthz`, on the address of the health check."""

    async def metrics(_request: web.Request) -> web.Response:
        return web.Response(text=await figures(runtime), content_type="text/plain")

    async def healthz(_request: web.Request) -> web.Response:
        await runtime.redis.ping()
        return web.Response(text="ok\n")

    app = web.Application()
    app.router.add_get("/metrics", metrics)
    app.router.add_get("/healthz", healthz)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, settings.health_host, settings.metrics_port).start()
    return runner
