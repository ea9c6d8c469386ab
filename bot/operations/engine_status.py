"""`engine status`: the container, how far its start is, and how it differs from what was wanted."""

import asyncio
from datetime import datetime

from pydantic import BaseModel

from bot.machine.start_report import Sight, look
from bot.nouns import ContainerStatus, Deployment, Effect, EngineStart, Role, SeenBy, Wish
from bot.operations import choice, engine_status_view
from bot.operations.engine_up import engines_of
from bot.operations.engine_wanted import EngineArguments
from bot.operations.operation import Context, Operation
from bot.operations.sources import attempt
from bot.serving.container import container_of
from bot.serving.specification import EngineExposure, EngineSpecification
from bot.serving.startup import Phase


class EngineStatus(BaseModel):
    """What is known of one engine; None is unknown.

    `state`: a phase of `bot.serving.startup.PHASES`, ready, failed, stopped, absent or waiting; None when its machine cannot be
    looked at, then `missing` says why. `answers` is what its server says over HTTP. `wish` is what was wanted last; None: we did
    not start it. `why` is a known failure in its log.
    """

    deployment: str
    machine: str | None
    at: datetime
    answers: bool | None
    state: str | None = None
    container: ContainerStatus | None = None
    phases: tuple[Phase, ...] = ()
    why: str | None = None
    exposure: EngineExposure | None = None
    wish: Wish | None = None
    starts: tuple[EngineStart, ...] = ()
    missing: str | None = None


async def run(context: Context, arguments: EngineArguments) -> EngineStatus:
    """Look at container, log and server at once. A machine that cannot be looked at leaves what the server says."""
    deployment = await choice.deployment(context, arguments.deployment)
    team, wishes = context.services.team_id, engines_of(context).wishes
    wish, starts = await asyncio.gather(wishes.current(team, deployment.name), wishes.starts(team, deployment.name))
    wanted = EngineSpecification.model_validate_json(wish.specification) if wish is not None else None
    sight, healthy = await asyncio.gather(
        attempt(_look(context, deployment, wanted)), attempt(context.services.engine.healthy(deployment))
    )
    told = EngineStatus(
        deployment=deployment.name,
        machine=deployment.machine,
        at=context.now,
        answers=healthy.value if healthy.value is not None else (False if healthy.connected else None),
        exposure=wanted.exposure if wanted is not None else None,
        wish=wish,
        starts=starts,
        missing=sight.missing,
    )
    return told if sight.value is None else told.model_copy(update=_seen(sight.value))


async def _look(context: Context, deployment: Deployment, wanted: EngineSpecification | None) -> Sight:
    engines = engines_of(context)
    host = await engines.hosts.host(deployment)
    return await look(engines.control, host, container_of(wanted) if wanted is not None else None)


def _seen(sight: Sight) -> dict[str, object]:
    """What docker and the log say, as fields."""
    start = sight.start
    return {
        "state": start.state,
        "container": sight.status,
        "phases": start.startup.phases,
        "why": start.finding.title if start.finding is not None else start.startup.failure,
    }


ENGINE_STATUS = Operation(
    path="engine.status",
    summary="the container: state, phases with times, differences from what was wanted",
    when_to_use="When an engine starts, does not start, or may run with other flags than were wanted.",
    example="engine status prod",
    arguments=EngineArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    timeout=25.0,
    tool=True,
    run=run,
    show=engine_status_view.show,
)
