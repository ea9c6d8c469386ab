"""What asking for capacity came to: written down by all who ask, read by all who choose a zone."""

from bot.nouns import CapacityOrder, ProvisioningModel, Refusal, Slice, Tried
from bot.operations.operation import Context
from bot.ports import Services


async def refused(context: Context, order: CapacityOrder, refusal: Refusal) -> None:
    """This zone said no just now."""
    await _remember(context, Tried(**_asked(context, order), refusal=refusal.kind))


async def came(context: Context, order: CapacityOrder, took_s: float) -> None:
    """A machine came from this zone, so many seconds after it was asked for."""
    await _remember(context, Tried(**_asked(context, order), took_s=took_s))


async def known(services: Services, piece: Slice, provisioning: ProvisioningModel) -> tuple[Tried, ...]:
    """All that is remembered of this slice; nothing where there is no memory."""
    return () if services.tries is None else await services.tries.all(services.team_id, piece.name, provisioning)


async def _remember(context: Context, tried: Tried) -> None:
    if context.services.tries is not None:
        await context.services.tries.remember(context.services.team_id, tried)


def _asked(context: Context, order: CapacityOrder) -> dict[str, object]:
    return {
        "zone": order.zone.name,
        "slice": order.piece.name,
        "provisioning": order.provisioning,
        "at": context.services.clock.now(),
    }
