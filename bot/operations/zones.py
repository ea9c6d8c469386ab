"""`zones [slice] [flex]`: where a machine could be asked for, and for every other zone the gate that keeps it out."""

import asyncio

from bot.errors import RetryLater
from bot.nouns import Effect, ProvisioningModel, Quota, RefusalKind, Role, SeenBy, Slice, Tried
from bot.operations import choice, recent, zones_view
from bot.operations.course import capacity_of
from bot.operations.machine_made import NO
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.sources import Answer, attempt
from bot.operations.values import Bought, SliceName
from bot.operations.zones_result import Gate, ZoneFound, Zones
from bot.serving import slices
from bot.serving.recent_capacity import holding, worked

USUAL_SLICE = "v6e-4"
"""The smallest slice that serves the 31B (facts of the recipes, 2026-08); taken where no deployment says another."""

ON_CORES = frozenset({"v5p"})
"""Generations whose quota counts cores, two to a chip (Google's TPU quota page)."""


REFUSED_FLEX = frozenset(
    {
        "us-central1-b",
        "us-south1-a",
        "asia-east1-c",
        "asia-south1-b",
        "asia-south1-c",
        "asia-southeast1-b",
        "southamerica-east1-c",
    }
)
"""Zones that have v6e and refused it as flex-start in August 2026 (field notes of xbill9/gemma4-dev): no list tells which do."""


WEEKS = frozenset({RefusalKind.UNSUPPORTED_ZONE, RefusalKind.NO_SUCH_SLICE, RefusalKind.MODEL_REFUSED})
"""Refusals of our own asking that hold for weeks: such a zone is not asked."""


class ZonesArguments(Arguments):
    """A slice, else that of this channel's deployment; how it is bought."""

    slice: SliceName | None = None
    provisioning: Bought = ProvisioningModel.FLEX_START


async def run(context: Context, arguments: ZonesArguments) -> Zones:
    """Ask hardware and quotas at once. Raises when neither could be asked: then nothing is known of any zone."""
    piece = await _piece(context, arguments)
    capacity = capacity_of(context)
    names = await context.services.cloud.zones()
    offered, quotas = await asyncio.gather(
        attempt(capacity.hardware.offered(piece, names)), attempt(capacity.quotas.quotas(piece, arguments.provisioning, names))
    )
    if offered.value is None and quotas.value is None:
        raise RetryLater(f"Neither zones nor quotas could be asked. {offered.missing}", next_step="Try again in a minute.")
    tried = await recent.known(context.services, piece, arguments.provisioning)
    found = [_zone(context, arguments.provisioning, piece, name, offered, quotas, tried) for name in names]
    missing = tuple(words for words in (offered.missing, quotas.missing) if words)
    return Zones(
        slice=piece.name,
        provisioning=arguments.provisioning,
        zones=tuple(sorted(found, key=_rank)),
        at=context.now,
        missing=missing,
    )


def _rank(one: ZoneFound) -> tuple[bool, bool, float, str]:
    price = one.usd_per_hour.value if one.usd_per_hour is not None else float("inf")
    return one.out is not None, one.worked_at is None, price, one.name


async def _piece(context: Context, arguments: ZonesArguments) -> Slice:
    """The slice that is meant. Raises UsageError with the slices that exist."""
    if arguments.slice is not None:
        return slices.parse(arguments.slice)
    known = await context.services.deployments.all(context.services.team_id)
    meant = await choice.deployment(context, None) if known else None
    return slices.parse((meant.accelerator if meant is not None else None) or USUAL_SLICE)


def _zone(
    context: Context,
    provisioning: ProvisioningModel,
    piece: Slice,
    name: str,
    offered: Answer[dict[str, bool | None]],
    quotas: Answer[dict[str, tuple[Quota, ...]]],
    tried: tuple[Tried, ...],
) -> ZoneFound:
    stands = offered.value.get(name) if offered.value is not None else None
    limits = quotas.value.get(name, ()) if quotas.value is not None else ()
    shut = next((one for one in limits if one.rules_out(units(piece))), None)
    came, held = worked(tried, name, context.now), holding(tried, name, context.now)
    out, why = _gate(piece, stands, shut, refused=came is None and seen_refused(piece, provisioning, name))
    if out is None and held is not None and held.refusal in WEEKS:
        out, why = Gate.MODEL, f"refused there {held.at.day} {held.at:%b}: {NO[held.refusal]}"
    unknown = ["hardware"] if stands is None else []
    unknown += [] if limits and all(one.unlimited or one.limit is not None for one in limits) else ["quota"]
    return ZoneFound(
        name=name,
        out=out,
        why=why,
        unknown=tuple(unknown),
        quotas=limits,
        worked_at=came.at if came is not None else None,
        refused_at=held.at if held is not None else None,
        refused=held.refusal if held is not None else None,
        usd_per_hour=hourly(context.services.prices, piece.name, name, provisioning),
    )


def seen_refused(piece: Slice, provisioning: ProvisioningModel, zone: str) -> bool:
    """Whether others saw this zone refuse this way of buying."""
    return piece.generation == "v6e" and provisioning is ProvisioningModel.FLEX_START and zone in REFUSED_FLEX


def _gate(piece: Slice, stands: bool | None, shut: Quota | None, *, refused: bool) -> tuple[Gate | None, str]:
    if stands is False:
        return Gate.HARDWARE, f"no {piece.name} there"
    if refused:
        return Gate.MODEL, "flex-start was refused there in August 2026"
    if shut is not None:
        used = f", {shut.used} used" if shut.used is not None else ""
        return Gate.QUOTA, f"quota of {shut.place} is {shut.limit} {shut.unit}{used}, {units(piece)} needed"
    return None, ""


def units(piece: Slice) -> int:
    """What a slice counts against its quota: chips, but cores for v5p."""
    return piece.chips * 2 if piece.generation in ON_CORES else piece.chips


ZONES = Operation(
    path="zones",
    summary="where a machine can be asked for, and why not elsewhere",
    when_to_use="Before asking for a machine: which zones have the slice and quota for it.",
    example="zones v6e-4 flex",
    arguments=ZonesArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    timeout=15.0,
    tool=True,
    run=run,
    show=zones_view.show,
    was=("get_zones_with_available_quota",),
)
