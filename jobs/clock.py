"""`gemma clock`: kicks due work, samples deployments, counts machine time, tells our figures. Any number may run."""

import asyncio
from functools import partial

from aiohttp import web

from bot.services import Runtime
from bot.settings import Settings
from bot.store.probes import BEAT_S, Heart
from jobs.bookkeeper import Bookkeeper
from jobs.caretaker import Caretaker
from jobs.examiner import EVERY_S, Examiner
from jobs.exposition import figures
from jobs.sampler import Sampler
from jobs.standing import every, stand
from jobs.watcher import Watcher


async def run(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. Redis or Slack being away only delays it."""
    await stand(settings, "clock", partial(_serve, settings))


async def _serve(settings: Settings, runtime: Runtime, ended: asyncio.Event) -> None:
    sampler = Sampler(runtime, settings.sample_seconds)
    bookkeeper = Bookkeeper(runtime, settings.ledger_seconds)
    watcher = Watcher(runtime, settings.watch_seconds)
    listener = await _listen(settings, runtime)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(every(ended, settings.tick_seconds, lambda: kick_due(runtime)))
            group.create_task(every(ended, BEAT_S, Heart(runtime.redis, "clock").beat))
            group.create_task(every(ended, min(1.0, settings.sample_seconds), sampler.look))
            group.create_task(every(ended, 1.0, bookkeeper.look))
            group.create_task(every(ended, 1.0, watcher.look))
            group.create_task(every(ended, 1.0, Caretaker(runtime).look))
            group.create_task(every(ended, EVERY_S, Examiner(runtime).look))
    finally:
        await listener.cleanup()


async def kick_due(runtime: Runtime) -> None:
    """Ask workers to look at whatever is due and held by nobody."""
    for work_id, queue in await runtime.work.due():
        await runtime.work.ring(work_id, queue)


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
