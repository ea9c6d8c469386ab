"""What an engine's start-up log says of its cache, read over SSH where its server does not tell."""

from dataclasses import dataclass
from datetime import datetime

from bot.nouns import ContainerState, Deployment
from bot.operations.operation import Context
from bot.operations.sources import Answer, attempt
from bot.ports import Engines, LogSource
from bot.serving.cache_facts import from_startup
from bot.serving.startup import Startup, read

TAIL = 20_000
"""Lines from the container's start that are looked through; of an engine that wrote more since, the start is gone."""


@dataclass(frozen=True)
class StartLog:
    """The start of the engine that runs, and when it laid out its cache."""

    startup: Startup
    at: datetime


async def start_log(context: Context, deployment: Deployment) -> Answer[StartLog | None]:
    """The log of the start that runs now, when it tells the size of its cache. Without a machine of ours there is none."""
    engines = context.services.engines
    if engines is None or deployment.machine is None:
        return Answer()
    return await attempt(_read(engines, deployment, context.now))


async def _read(engines: Engines, deployment: Deployment, now: datetime) -> StartLog | None:
    host = await engines.hosts.host(deployment)
    status = await engines.control.status(host)
    if status.state is not ContainerState.RUNNING:
        return None
    piece = await engines.control.logs(host, LogSource.ENGINE, tail=TAIL, since=status.since)
    startup = read(piece.lines)
    if from_startup(startup) is None:
        return None
    laid_out = startup.phase("kv-cache")
    return StartLog(startup, (laid_out.ended_at if laid_out else None) or status.since or now)
