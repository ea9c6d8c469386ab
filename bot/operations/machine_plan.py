"""What `machine create` is to make, worked out before anybody is asked: the order, its price, the most it can cost, its end."""

from datetime import timedelta

from pydantic import BaseModel, Field

from bot.errors import UsageError
from bot.nouns import CapacityOrder, ProvisioningModel, Quantity, Zone
from bot.operations.machines import UNASSIGNED
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context
from bot.operations.values import Bought, GivenName, Seconds, SliceName, ZoneName
from bot.serving import slices

SHORTEST_S = 600
LONGEST_S = 7 * 86400
"""Ten minutes is the least that Google sells as flex-start on Compute Engine; seven days are the most (its flex-start page)."""


class CreateArguments(Arguments):
    """One machine: its name, slice, how it is bought, the zone, for how long it runs, how long it may wait for capacity."""

    name: GivenName
    slice: SliceName
    provisioning: Bought = ProvisioningModel.FLEX_START
    zone: ZoneName
    for_: Seconds = Field(default=8 * 3600, ge=SHORTEST_S, le=LONGEST_S)
    wait: Seconds = Field(default=2 * 3600, ge=SHORTEST_S, le=LONGEST_S)


class Plan(BaseModel):
    """What is made. `usd` is the most it can cost in USD; None where the price is unknown."""

    order: CapacityOrder
    run_s: int
    usd_per_hour: Quantity | None

    @property
    def usd(self) -> float | None:
        """Price times the time it runs, for the clock of the bill starts with the machine and ends with it."""
        return None if self.usd_per_hour is None else self.usd_per_hour.value * self.run_s / 3600

    @property
    def lasts(self) -> timedelta:
        """How long it runs."""
        return timedelta(seconds=self.run_s)


def plan(context: Context, arguments: CreateArguments) -> Plan:
    """Work it out. Raises UsageError for a slice that does not exist or a name that Google does not take."""
    piece = slices.parse(arguments.slice)
    if len(arguments.name) > 50 or arguments.name.endswith("-"):
        raise UsageError(f"“{arguments.name}” is no name for a machine.", next_step="Up to 50 letters, digits and dashes.")
    flex = arguments.provisioning is ProvisioningModel.FLEX_START
    order = CapacityOrder(
        name=f"{arguments.name}-request",
        machine=arguments.name,
        zone=Zone(name=arguments.zone),
        piece=piece,
        provisioning=arguments.provisioning,
        deployment=UNASSIGNED,
        owner=context.actor,
        wait_s=arguments.wait,
        run_s=arguments.for_ if flex else None,
    )
    price = hourly(context.services.prices, piece.name, arguments.zone, arguments.provisioning)
    return Plan(order=order, run_s=arguments.for_, usd_per_hour=price)
