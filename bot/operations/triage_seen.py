"""What can be known of a deployment while its model does not answer: everything but the model, asked at once."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from bot.diagnosis import Finding, diagnose
from bot.errors import RetryLater
from bot.nouns import CapacityRequest, ContainerStatus, Deployment, EngineSample, Fleet, Happened, Happening, Machine
from bot.operations.engine_progress import expected
from bot.operations.log_reading import LogKind, Piece, masked, read
from bot.operations.operation import Context
from bot.operations.sources import Answer, attempt
from bot.operations.status import own

T = TypeVar("T")

ENGINE_BACK = timedelta(days=7)
"""The engine may have died long ago: its newest lines count, of whenever; what a later start overcame is told apart."""
SYSTEM_BACK = timedelta(hours=3)
"""The machine's log speaks of many things; what is older explains nothing now. Our choice."""
TAIL = 4_000
"""Lines of each log: a start of vLLM on a TPU writes about a thousand."""
HAPPENINGS = 10
ONE_LOOK_S = 6.0
"""For the machine with its container and logs; what takes longer is unknown, and the rest still counts."""


@dataclass(frozen=True)
class Seen:
    """Everything that was found out. None is unknown; `missing` says in sentences what could not be looked at, and why.

    `answers` is the engine's own health check. `sample` is the newest scrape, of whenever. `engine` and `system` are the newest
    lines of the two logs; `findings` what the engine's log shows, `machine_findings` what the machine's does. `back_in` says how
    long starts took here.
    """

    at: datetime
    deployment: str
    answers: bool | None = None
    silent_since: datetime | None = None
    machine: Machine | None = None
    machine_known: bool = False
    request: CapacityRequest | None = None
    container: ContainerStatus | None = None
    reached: bool | None = None
    engine: Piece | None = None
    system: Piece | None = None
    findings: tuple[Finding, ...] = ()
    machine_findings: tuple[Finding, ...] = ()
    sample: EngineSample | None = None
    last_change: Happening | None = None
    back_in: str | None = None
    missing: tuple[str, ...] = field(default=())


async def gather(context: Context, deployment: Deployment) -> Seen:
    """Ask engine, cloud, machine and memory at once. Nothing here raises for a source that is silent."""
    services, team = context.services, context.services.team_id
    healthy, fleet, inside, sample, back_in, (silent, change) = await asyncio.gather(
        attempt(services.engine.healthy(deployment)),
        attempt(services.cloud.fleet([deployment.zone] if deployment.zone else None)),
        attempt(_inside(context, deployment)),
        attempt(services.history.last(team, deployment.name)),
        _back_in(context, deployment),
        _changes(context, deployment),
    )
    machine, request = own(deployment, fleet.value)
    found = inside.value or _Inside()
    return Seen(
        at=context.now,
        deployment=deployment.name,
        answers=healthy.value,
        silent_since=silent,
        machine=machine,
        machine_known=_machine_known(deployment, fleet.value, machine, request),
        request=request,
        container=found.container.value,
        reached=None if inside.value is None else found.reached,
        engine=found.engine.value,
        system=found.system.value,
        findings=tuple(diagnose(found.engine.value.lines)) if found.engine.value else (),
        machine_findings=tuple(diagnose(found.system.value.lines)) if found.system.value else (),
        sample=sample.value,
        last_change=change,
        back_in=back_in,
        missing=tuple(dict.fromkeys(one for one in (fleet.missing, inside.missing, *found.missing()) if one)),
    )


@dataclass(frozen=True)
class _Inside:
    """What the machine told over SSH."""

    container: Answer[ContainerStatus] = field(default_factory=Answer)
    engine: Answer[Piece] = field(default_factory=Answer)
    system: Answer[Piece] = field(default_factory=Answer)

    @property
    def reached(self) -> bool:
        return any(one.value is not None for one in (self.container, self.engine, self.system))

    def missing(self) -> tuple[str | None, ...]:
        return (self.container.missing, self.engine.missing, self.system.missing)


async def _inside(context: Context, deployment: Deployment) -> _Inside:
    """Container and logs, each by itself: a docker that hangs hides no journal."""
    engines = context.services.engines
    if engines is None:
        return _Inside()
    host = await engines.hosts.host(deployment)
    container, engine, system = await asyncio.gather(
        attempt(_within(engines.control.status(host))),
        attempt(_within(_newest(context, deployment, LogKind.ENGINE, ENGINE_BACK))),
        attempt(_within(_newest(context, deployment, LogKind.SYSTEM, SYSTEM_BACK))),
    )
    return _Inside(container, engine, system)


async def _newest(context: Context, deployment: Deployment, kind: LogKind, back: timedelta) -> Piece:
    return masked(await read(context, deployment, kind, context.now - back, context.now, tail=TAIL))


async def _within(call: Awaitable[T]) -> T:
    """Raises RetryLater when it takes too long."""
    try:
        async with asyncio.timeout(ONE_LOOK_S):
            return await call
    except TimeoutError:
        raise RetryLater(f"Machine: no answer within {ONE_LOOK_S:.0f} s") from None


async def _back_in(context: Context, deployment: Deployment) -> str | None:
    """How long the last starts took until it answered; None where none is remembered."""
    engines = context.services.engines
    starts = await engines.wishes.starts(context.services.team_id, deployment.name) if engines is not None else ()
    return expected(starts) if starts else None


async def _changes(context: Context, deployment: Deployment) -> tuple[datetime | None, Happening | None]:
    """(since when the engine is silent, if it was seen to fall silent; the last change that is not its silence)."""
    happenings = context.services.happenings
    if happenings is None:
        return None, None
    newest = await happenings.since(context.services.team_id, deployment.name, datetime.fromtimestamp(0, UTC), HAPPENINGS)
    heard = [one for one in newest if one.kind in {Happened.SILENT, Happened.ANSWERS}]
    silent = heard[0].at if heard and heard[0].kind is Happened.SILENT else None
    changes = [one for one in newest if one.kind not in {Happened.SILENT, Happened.ANSWERS}]
    return silent, next(iter(changes), None)


def _machine_known(deployment: Deployment, fleet: Fleet | None, machine: Machine | None, request: CapacityRequest | None) -> bool:
    """Whether the fleet tells if there is a machine: not where zones are silent, nor where nothing says which one it is."""
    if fleet is None:
        return False
    named = deployment.machine is not None or deployment.base_url is None
    return machine is not None or request is not None or (named and not fleet.unreachable)
