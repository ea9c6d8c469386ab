"""`status`: how a deployment stands, in the first line, against what is usual for it."""

import asyncio
from datetime import UTC, datetime, timedelta

from bot.nouns import (
    CapacityRequest,
    Delta,
    Deployment,
    Effect,
    EngineSample,
    Fleet,
    Happened,
    Happening,
    Machine,
    Quantity,
    Role,
    SeenBy,
)
from bot.operations import choice, status_view
from bot.operations.grade import Grade, Signs, first_token_s, grade, slow_above_s
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.sources import Answer, attempt
from bot.operations.status_result import Status
from bot.operations.values import GivenName
from bot.operations.wording import listed
from bot.statistics.windows import Discarded, between

WINDOW_AGE = timedelta(seconds=20)
"""The other end of the window is at least this old: shorter ones hold too few requests to speak of a median."""

LOOK_BACK = timedelta(hours=6)
"""How far back the beginning of a slow stretch is looked for."""

STALE = timedelta(minutes=5)
"""A remembered scrape older than this is not shown as how things stand."""


class StatusArguments(Arguments):
    """Which deployment; the first one when none is named."""

    deployment: GivenName | None = None


async def run(context: Context, arguments: StatusArguments) -> Status:
    """Ask engine, machine and history at once; what does not answer is said, and the rest still counts."""
    deployment = await choice.deployment(context, arguments.deployment)
    engine = context.services.engine
    healthy, sample, fleet = await asyncio.gather(
        attempt(engine.healthy(deployment)),
        attempt(engine.sample(deployment)),
        attempt(_fleet(context, deployment)),
    )
    return await _status(context, deployment, healthy, sample, fleet)


async def early(context: Context, arguments: StatusArguments) -> Status | None:
    """From the last scrape that the clock took, with its age; None when there is none that is young enough."""
    deployment = await choice.deployment(context, arguments.deployment)
    last = await context.services.history.last(context.services.team_id, deployment.name)
    if last is None or context.now - last.at > STALE:
        return None
    asking: Answer[Fleet] = Answer(missing="Machine: being asked")
    return await _status(context, deployment, Answer(value=True), Answer(value=last), asking)


async def _fleet(context: Context, deployment: Deployment) -> Fleet:
    return await context.services.cloud.fleet([deployment.zone] if deployment.zone else None)


def own(deployment: Deployment, fleet: Fleet | None) -> tuple[Machine | None, CapacityRequest | None]:
    """The machine and the capacity request of a deployment: by its recorded name, else by our label."""
    if fleet is None:
        return None, None
    machine = next((one for one in fleet.machines if one.name == deployment.machine), None) or next(
        (one for one in fleet.machines if one.labels.get("deployment") == deployment.name), None
    )
    wanted = machine.name if machine else deployment.machine
    request = next((one for one in fleet.requests if wanted and one.machine == wanted), None) or next(
        (one for one in fleet.requests if one.labels.get("deployment") == deployment.name), None
    )
    return machine, request


async def _window(context: Context, deployment: Deployment, sample: EngineSample | None) -> Delta | None:
    if sample is None:
        return None
    history = context.services.history
    before = await history.earlier(context.services.team_id, deployment.name, sample.at - WINDOW_AGE)
    made = between(before, sample) if before is not None else None
    return None if made is None or isinstance(made, Discarded) else made


async def _last_seen(context: Context, deployment: Deployment, sample: EngineSample | None) -> datetime | None:
    """When the engine was last scraped: just now, or by the clock."""
    last = sample or await context.services.history.last(context.services.team_id, deployment.name)
    return last.at if last else None


async def _changed(context: Context, deployment: Deployment) -> tuple[Happening | None, datetime | None]:
    """The newest change that is kept, and since when the engine is watched; both None where nobody watches.

    That it answers again is the end of a change: what went before it says more.
    """
    happenings, team = context.services.happenings, context.services.team_id
    watched = await happenings.watched(team, deployment.name) if happenings is not None else None
    if happenings is None or watched is None:
        return None, None
    newest = await happenings.since(team, deployment.name, datetime.fromtimestamp(0, UTC), 2)
    telling = [one for one in newest if one.kind is not Happened.ANSWERS]
    return next(iter(telling or newest), None), watched.since


async def _slow_since(context: Context, deployment: Deployment, bar_s: float) -> datetime | None:
    """The start of the unbroken run of slow minutes that reaches until now."""
    windows = await context.services.history.windows(
        context.services.team_id, deployment.name, context.now - LOOK_BACK, context.now
    )
    since = None
    for window in reversed(windows):
        first = first_token_s(window)
        if first is not None and first <= bar_s:
            break
        since = window.since if first is not None else since
    return since


async def _status(
    context: Context, deployment: Deployment, healthy: Answer[bool], sample: Answer[EngineSample], fleet: Answer[Fleet]
) -> Status:
    window = await _window(context, deployment, sample.value)
    usual = await context.services.history.usual(context.services.team_id, deployment.name)
    machine, request = own(deployment, fleet.value)
    signs = Signs(
        healthy.value, sample.value, window, usual, machine, request, _is_known(deployment, fleet.value, machine, request)
    )
    verdict = grade(signs)
    slow_since = await _slow_since(context, deployment, slow_above_s(usual)) if verdict is Grade.SLOW else None
    accelerator = (machine.accelerator if machine else None) or deployment.accelerator
    zone = machine.zone.name if machine else deployment.zone
    model = sample.value.model_name if sample.value else None
    last_change, watched_since = await _changed(context, deployment)
    reports = context.services.known_errors
    return Status(
        deployment=deployment.name,
        grade=verdict,
        at=context.now,
        seen=await _last_seen(context, deployment, sample.value),
        model=model or deployment.model_id,
        accelerator=accelerator,
        zone=zone,
        machine=machine.name if machine else deployment.machine,
        machine_state=machine.state if machine else (request.state if request else None),
        machine_health=machine.health if machine else None,
        **_measured(sample.value, window),
        first_token_usual=Quantity(value=usual.first_token_s, unit="s", at=usual.since, source="history") if usual else None,
        slow_since=slow_since,
        usd_per_hour=hourly(context.services.prices, accelerator, zone, machine.provisioning if machine else None),
        ends_at=deployment.ends_at,
        last_change=last_change,
        watched_since=watched_since,
        last_errors=await reports.last(context.services.team_id, deployment.name) if reports is not None else None,
        missing=tuple(
            words for words in (healthy.missing or sample.missing, fleet.missing or _silent(fleet.value, machine)) if words
        ),
    )


def _is_known(deployment: Deployment, fleet: Fleet | None, machine: Machine | None, request: CapacityRequest | None) -> bool:
    """Whether the fleet tells if there is a machine: not while zones are silent, nor where nothing says which machine it is."""
    if fleet is None:
        return False
    if machine is not None or request is not None:
        return True
    return not fleet.unreachable and (deployment.machine is not None or deployment.base_url is None)


def _silent(fleet: Fleet | None, machine: Machine | None) -> str | None:
    """What to say of zones that did not answer, while the machine may stand in one of them."""
    if fleet is None or machine is not None or not fleet.unreachable:
        return None
    zones = [f"{zone} ({reason})" for zone, reason in sorted(fleet.unreachable.items())]
    return f"Machine: no answer from {listed(zones, most=2)}"


def _measured(sample: EngineSample | None, window: Delta | None) -> dict[str, Quantity | None]:
    gauges = sample.gauges if sample else {}

    def gauge(name: str, unit: str) -> Quantity | None:
        if sample is None or name not in gauges:
            return None
        return Quantity(value=gauges[name], unit=unit, at=sample.at, source="vLLM /metrics")

    def over(value: float | None, unit: str) -> Quantity | None:
        return (
            None if value is None or window is None else Quantity(value=value, unit=unit, at=window.until, source="vLLM /metrics")
        )

    rate = _finished_per_second(window)
    return {
        "running": gauge("running", "requests"),
        "waiting": gauge("waiting", "requests"),
        "cache": gauge("kv_cache_usage", "share"),
        "first_token": over(first_token_s(window), "s"),
        "requests_per_second": over(rate, "requests/s"),
    }


def _finished_per_second(window: Delta | None) -> float | None:
    finished = [g for name, g in window.counters.items() if name.startswith("requests_finished.")] if window else []
    return sum(growth.per_second for growth in finished) if finished else None


STATUS = Operation(
    path="status",
    summary="how it stands, against what is usual",
    when_to_use="Whenever somebody asks whether it is up, slow, full or what it costs right now.",
    example="status prod",
    arguments=StatusArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    early=early,
    show=status_view.show,
    was=("get_system_status",),
)
