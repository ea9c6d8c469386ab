"""`cost`: this month by deployment, what of it was idle, where it is heading; and what other slices would cost."""

from typing import Annotated

from bot.errors import NotConnectedError, UsageError
from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations import choice, cost_if, cost_month, cost_view
from bot.operations.cost_result import Cost, MonthSoFar
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import Bought, GivenName, ModelName, ZoneName


class CostArguments(Arguments):
    """One deployment or all. The rest is for `if`: other slices, with another model, zone or way of buying where named."""

    deployment: GivenName | None = None
    if_: Annotated[str, cost_if.SLICES] | None = None
    model: ModelName | None = None
    zone: ZoneName | None = None
    provisioning: Bought | None = None


async def run(context: Context, arguments: CostArguments) -> Cost:
    """Read the ledger and price it; for `if` judge the fit first. Raises UsageError for names that nobody knows."""
    if arguments.if_ is None and (arguments.model or arguments.zone or arguments.provisioning):
        raise UsageError(
            "A model, a zone or a way of buying goes with other slices.",
            usage="/gemma cost [deployment] [if 4×v6e-1]",
            next_step="For example: /gemma cost if v6e-8 flex",
        )
    only = await _named(context, arguments.deployment)
    month, missing = await _month(context, only)
    instead = None
    if arguments.if_ is not None:
        try:
            instead = await cost_if.instead(
                context,
                arguments.if_,
                await _meant(context, arguments.deployment),
                month,
                model=arguments.model,
                zone=arguments.zone,
                provisioning=arguments.provisioning,
            )
        except UsageError as error:
            raise choice.pressable(context, error) from error
    known = await context.services.deployments.all(context.services.team_id)
    machines = {one.name: one.machine for one in known if one.machine is not None}
    return Cost(deployment=only, at=context.now, month=month, instead=instead, missing=missing, machines=machines)


async def _named(context: Context, name: str | None) -> str | None:
    """The deployment that is asked about; also one that only the ledger still knows, for it may be gone by now."""
    if name is None:
        return None
    counted = await _counted_names(context)
    return name if name in counted else (await choice.deployment(context, name)).name


async def _counted_names(context: Context) -> set[str | None]:
    ledger = context.services.ledger
    month = await ledger.month(context.services.team_id, context.now) if ledger else None
    return {one.kind.deployment for one in month.counted} if month else set()


async def _meant(context: Context, name: str | None) -> Deployment | None:
    try:
        return await choice.deployment(context, name)
    except (NotConnectedError, UsageError):
        return None


async def _month(context: Context, only: str | None) -> tuple[MonthSoFar | None, tuple[str, ...]]:
    ledger = context.services.ledger
    if ledger is None:
        return None, (str(NotConnectedError("Redis", "REDIS_URL")),)
    month = await ledger.month(context.services.team_id, context.now)
    return (cost_month.so_far(month, context.now, only) if month else None), ()


COST = Operation(
    path="cost",
    summary="what this month cost, what was idle, and what other slices would cost",
    when_to_use="To see what was spent on what, what of it served nobody, or whether other slices would be cheaper.",
    example="cost if 4×v6e-1",
    arguments=CostArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    timeout=15.0,
    run=run,
    show=cost_view.show,
    was=("estimate_deployment_cost",),
)
