"""What `deploy` is to bring up and where, worked out before anybody is asked: a machine of ours that stands, or a new one."""

from datetime import timedelta

from pydantic import BaseModel, Field

from bot.errors import RefusedError, UsageError
from bot.nouns import CapacityOrder, Deployment, Fleet, Machine, MachineState, ProvisioningModel, Quantity, Zone
from bot.operations import choice, zones
from bot.operations.course import capacity_of
from bot.operations.engine_up import engines_of
from bot.operations.engine_wanted import must_fit
from bot.operations.export_source import ExportArguments, Source, source
from bot.operations.machine_plan import LONGEST_S, SHORTEST_S, Plan
from bot.operations.machine_steps import WAITING
from bot.operations.machine_terms import must_be_possible
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context
from bot.operations.values import (
    Bought,
    CacheType,
    ClockTime,
    ContextTokens,
    DeploymentName,
    ModelName,
    Seconds,
    SliceName,
    ZoneName,
)
from bot.serving.container import US
from bot.serving.specification import EngineSpecification

USUAL_S = 8 * 3600
WAIT_S = 2 * 3600
"""Our choice, as for `machine create`: how long a machine runs, and how long it may wait for capacity."""
_DAY = timedelta(days=1)
_GOING = {MachineState.ENDING, MachineState.LOST}
ZONES_SHOWN = 4


class DeployArguments(Arguments):
    """Which deployment, for how long (or until a time of day, UTC), and where it is to differ from how it was wanted last."""

    deployment: DeploymentName
    for_: Seconds | None = Field(default=None, ge=SHORTEST_S, le=LONGEST_S)
    until: ClockTime | None = None
    zone: ZoneName | None = None
    slice: SliceName | None = None
    bought: Bought | None = None
    context: ContextTokens | None = Field(default=None, gt=0, le=1_048_576)
    cache: CacheType | None = None
    model: ModelName | None = None
    image: str | None = None


class Also(BaseModel):
    """Another machine of ours that belongs to the same deployment and bills."""

    name: str
    zone: str
    usd_per_hour: Quantity | None


class Bringing(BaseModel):
    """What is brought up. Exactly one of `made` (a machine to be made) and `on` (one that stands) is set."""

    deployment: Deployment
    wanted: EngineSpecification
    made: Plan | None
    on: Machine | None
    also: tuple[Also, ...]

    @property
    def usd(self) -> float | None:
        """The most that it adds to the bill; None where the price is unknown."""
        return 0.0 if self.made is None else self.made.usd


async def work_out(context: Context, arguments: DeployArguments, *, beside: bool = False) -> Bringing:
    """Look and decide; `beside` a machine that stands a new one is made.

    Raises UsageError for what does not fit, is not known or cannot stand there, RefusedError when one is on its way already.
    """
    engines_of(context)
    capacity_of(context)
    deployment = await choice.deployment(context, arguments.deployment)
    known = await _source(context, arguments, deployment)
    wanted = must_fit(known.specification)
    fleet = await context.services.cloud.fleet()
    ours = _ours(fleet, deployment)
    _none_on_its_way(fleet, deployment)
    on = None if beside else _fitting(ours, wanted, arguments, deployment)
    made = None if on is not None else _plan(context, arguments, known, fleet)
    if made is not None:
        await must_be_possible(context, made)
    also = tuple(_also(context, one) for one in ours if on is None or (one.name, one.zone) != (on.name, on.zone))
    return Bringing(deployment=deployment, wanted=wanted, made=made, on=on, also=also)


async def _source(context: Context, arguments: DeployArguments, deployment: Deployment) -> Source:
    """What was wanted last, or is known of it, with what was said now."""
    zone = arguments.zone or deployment.zone or await _best_zone(context, arguments, deployment)
    return await source(
        context,
        ExportArguments(
            deployment=deployment.name,
            slice=arguments.slice,
            zone=zone,
            model=arguments.model,
            context=arguments.context,
            cache=arguments.cache,
            bought=arguments.bought,
            image=arguments.image,
        ),
    )


async def _best_zone(context: Context, arguments: DeployArguments, deployment: Deployment) -> str | None:
    """Where nothing known speaks against it and nothing is unknown, the cheapest. Raises UsageError with zones to press when
    none is that clear; None while the slice is not known, which whoever needs it says."""
    wish = await engines_of(context).wishes.current(context.services.team_id, deployment.name)
    piece = arguments.slice or deployment.accelerator
    if piece is None and wish is not None:
        piece = EngineSpecification.model_validate_json(wish.specification).piece.name
    if piece is None:
        return None
    bought = arguments.bought or ProvisioningModel.FLEX_START
    found = await zones.run(context, zones.ZonesArguments(slice=piece, provisioning=bought))
    perhaps = [one for one in found.zones if one.out is None]
    sure = next((one.name for one in perhaps if not one.unknown), None)
    if sure is None:
        raise UsageError(
            f"Which zone for {deployment.name}? {'None is surely open.' if perhaps else 'None that I know is open.'}",
            near=tuple(f"deploy {deployment.name} zone {one.name}" for one in perhaps[:ZONES_SHOWN]) or (f"zones {piece}",),
            next_step="Choose one, or look at all with /gemma zones.",
        )
    return sure


def _ours(fleet: Fleet, deployment: Deployment) -> tuple[Machine, ...]:
    """Machines that bear our label and belong to this deployment, by its label or its record."""
    return tuple(
        one
        for one in fleet.machines
        if one.labels.get("managed-by") == US
        and one.state not in _GOING
        and (one.labels.get("deployment") == deployment.name or one.name == deployment.machine)
    )


def _none_on_its_way(fleet: Fleet, deployment: Deployment) -> None:
    """Two machines for one deployment would be one too many."""
    there = {(one.zone.name, one.name) for one in fleet.machines}
    for one in fleet.requests:
        mine = one.labels.get("managed-by") == US and one.labels.get("deployment") == deployment.name
        if mine and one.state in WAITING and (one.zone.name, one.machine) not in there:
            raise RefusedError(
                f"{deployment.name} has a machine on its way: {one.name} in {one.zone.name}.",
                next_step="`/gemma work` shows what asked for it; stop that first, or let it go on.",
            )


def _fitting(
    ours: tuple[Machine, ...], wanted: EngineSpecification, arguments: DeployArguments, deployment: Deployment
) -> Machine | None:
    """One that stands ready and is what was asked for; the deployment's own first."""
    fits = [
        one
        for one in ours
        if one.state is MachineState.READY
        and one.accelerator == wanted.piece.name
        and arguments.zone in {None, one.zone.name}
        and arguments.bought in {None, one.provisioning}
    ]
    return min(fits, key=lambda one: (one.name != deployment.machine, one.name), default=None)


def _also(context: Context, one: Machine) -> Also:
    price = hourly(context.services.prices, one.accelerator, one.zone.name, one.provisioning)
    return Also(name=one.name, zone=one.zone.name, usd_per_hour=price)


def _plan(context: Context, arguments: DeployArguments, known: Source, fleet: Fleet) -> Plan:
    wanted, run_s = known.specification, lasts_s(context, arguments)
    name = free_name(fleet, wanted.deployment)
    order = CapacityOrder(
        name=f"{name}-request",
        machine=name,
        zone=Zone(name=known.zone),
        piece=wanted.piece,
        provisioning=known.bought,
        deployment=wanted.deployment,
        owner=context.actor,
        wait_s=WAIT_S,
        run_s=run_s if known.bought is ProvisioningModel.FLEX_START else None,
        service_account=wanted.service_account,
    )
    price = hourly(context.services.prices, wanted.piece.name, known.zone, known.bought)
    return Plan(order=order, run_s=run_s, usd_per_hour=price)


def free_name(fleet: Fleet, deployment: str) -> str:
    """`prod-3` where prod-1 and prod-2, or requests for them, stand in any zone."""
    taken = {one.name for one in fleet.machines} | {one.machine or "" for one in fleet.requests}
    taken |= {one.name.removesuffix("-request") for one in fleet.requests}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{deployment}-{number}") not in taken)


def lasts_s(context: Context, arguments: DeployArguments) -> int:
    """How long its machine runs. `until` is the next time the clock shows that, UTC. Raises UsageError for both at once, or an
    end that is nearer than Google sells."""
    if arguments.until is None:
        return USUAL_S if arguments.for_ is None else arguments.for_
    if arguments.for_ is not None:
        raise UsageError("Either for how long or until when, not both.", usage="deploy prod for 8h")
    hour, minute = divmod(arguments.until, 60)
    end = context.now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    left = (end if end > context.now else end + _DAY) - context.now
    if left.total_seconds() < SHORTEST_S:
        raise UsageError("That end is nearer than ten minutes.", usage="deploy prod for 8h")
    return int(left.total_seconds())
