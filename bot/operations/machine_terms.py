"""What is said and looked up before a machine is asked for: what it costs, how it ends, whether it can stand there at all."""

from bot.errors import UsageError
from bot.nouns import ProvisioningModel
from bot.operations.course import capacity_of
from bot.operations.machine_plan import Plan
from bot.operations.machine_words import rate
from bot.operations.operation import Context
from bot.operations.wording import duration, money
from bot.view import Line, line

_AT_THE_END = {
    ProvisioningModel.FLEX_START: "Google deletes it then; it cannot be extended",
    ProvisioningModel.SPOT: "I delete it then; Google may take it away at any time before",
    ProvisioningModel.ON_DEMAND: "I delete it then; it would run for ever otherwise",
}


def costs(made: Plan) -> str:
    """`$5.40/h, at most $43.20`."""
    if made.usd is None:
        return "price unknown"
    return f"{rate(made.usd_per_hour)}, at most {money(made.usd)}"


def terms(made: Plan) -> tuple[Line, ...]:
    """How long it runs, what happens then, how old the price is, how long it may wait."""
    order, lasts = made.order, duration(made.run_s)
    price = made.usd_per_hour
    source = f" List price of {price.at.day} {price.at:%b}; your invoice may differ." if price is not None else ""
    return (
        line(f"{order.provisioning.value}, runs {lasts} from when it is ready. {_AT_THE_END[order.provisioning]}.{source}"),
        line(f"It may wait up to {duration(order.wait_s or 0)} for capacity; waiting is free and can be stopped."),
    )


async def must_be_free(context: Context, made: Plan) -> None:
    """Raises UsageError when machine or request of that name stand there already."""
    fleet = await context.services.cloud.fleet([made.order.zone.name])
    names = {one.name for one in fleet.machines} | {one.name for one in fleet.requests}
    if {made.order.machine, made.order.name} & names:
        raise UsageError(
            f"There is a {made.order.machine} in {made.order.zone.name} already.",
            near=(f"machine {made.order.machine}",),
            next_step="Use another name, or look at that one.",
        )


async def must_be_possible(context: Context, made: Plan) -> None:
    """A zone that does not exist, or surely has no such slice, is not asked. Unknown is asked."""
    zones = await context.services.cloud.zones()
    name = made.order.zone.name
    if name not in zones:
        raise UsageError(f"There is no zone {name} for TPUs in this project.", near=(f"zones {made.order.piece.name}",))
    offered = await capacity_of(context).hardware.offered(made.order.piece, [name])
    if offered.get(name) is False:
        raise UsageError(
            f"{name} has no {made.order.piece.name}.", near=(f"zones {made.order.piece.name}",), next_step="Choose another zone."
        )
