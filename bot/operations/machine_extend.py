"""`machine extend NAME 2h`: a later end, where the end is ours. Flex-start machines end by Google, and nobody can move that."""

from datetime import datetime, timedelta

from pydantic import BaseModel, Field

from bot.errors import RefusedError, UsageError
from bot.nouns import Effect, ProvisioningModel, Quantity, Role, SeenBy
from bot.operations import machine
from bot.operations.machine_found import Found
from bot.operations.machine_plan import LONGEST_S, SHORTEST_S
from bot.operations.machine_words import cost, rate
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview
from bot.operations.planned import PLANNED
from bot.operations.values import MachineName, Seconds
from bot.operations.wording import duration, money
from bot.ports import Lease
from bot.view import Button, Shape, View, When, bold, line

TOO_LATE = timedelta(minutes=1)
"""Our choice: this near to its end a machine may be going already."""


class ExtendArguments(Arguments):
    """The machine, and by how long its end moves, in seconds."""

    name: MachineName
    for_: Seconds = Field(ge=SHORTEST_S, le=LONGEST_S)


class Extended(BaseModel):
    """Until when it runs now, and until when it would have run."""

    name: str
    before: datetime
    ends_at: datetime
    usd: Quantity | None


async def preview(context: Context, arguments: ExtendArguments) -> Preview:
    """The new end and what it can cost. Raises UsageError where the end is not ours, or for more than seven days in all."""
    found, lease = await _found(context, arguments.name)
    ends = _later(found, lease, arguments.for_, context.now)
    more = cost(found.usd_per_hour, lease.ends_at, ends)
    price = "price unknown" if more is None else f"at most {money(more.value)} more"
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line(bold(f"Let {found.name} run {duration(arguments.for_)} longer"), f", {price}"),
        lines=(
            line("It ends ", When(at=ends, date=True), " then, instead of ", When(at=lease.ends_at, date=True), "."),
            line(f"{rate(found.usd_per_hour)}, bought {found.provisioning or 'nobody knows how'}. Nothing restarts."),
        ),
        button=f"Extend {found.name}, {'price unknown' if more is None else money(more.value)}"[:75],
        usd=None if more is None else more.value,
    )


async def _found(context: Context, name: str) -> tuple[Found, Lease]:
    """The machine and its end. Raises UsageError where there is no end of ours to move."""
    found = await machine.find(context, name)
    leases = await context.services.leases.all(context.services.team_id) if context.services.leases is not None else ()
    lease = next((one for one in leases if (one.zone, one.machine) == (found.zone, found.name)), None)
    if found.provisioning is ProvisioningModel.FLEX_START:
        deployment = found.deployment or "NAME"
        near = (f"replace {deployment}",) if "replace" not in PLANNED and found.deployment else ()
        raise UsageError(
            f"{found.name} is flex-start: Google ends it, and that cannot be moved.",
            near=near,
            next_step="Ask for a new machine in time, before this one ends.",
        )
    if lease is None or not found.ours:
        raise UsageError(f"I know of no end of {found.name} that is mine to move.", near=(f"machine {found.name}",))
    return found, lease


def _later(found: Found, lease: Lease, by_s: int, now: datetime) -> datetime:
    ends = lease.ends_at + timedelta(seconds=by_s)
    if lease.ends_at - now < TOO_LATE:
        raise RefusedError(f"{found.name} ends just now: that is too late to move.", next_step="Make a new one: machine create.")
    if found.created_at is not None and ends - found.created_at > timedelta(seconds=LONGEST_S):
        raise UsageError(
            f"{found.name} would run for more than {duration(LONGEST_S)} in all.",
            next_step=f"It may run until {found.created_at + timedelta(seconds=LONGEST_S):%d %b %H:%M} UTC.",
        )
    return ends


async def run(context: Context, arguments: ExtendArguments) -> Extended:
    """Move the end, once for this request: a repeat finds it moved."""
    found, lease = await _found(context, arguments.name)
    if context.request_id in lease.moved_by:
        before = lease.ends_at - timedelta(seconds=arguments.for_)
        return Extended(
            name=found.name, before=before, ends_at=lease.ends_at, usd=cost(found.usd_per_hour, before, lease.ends_at)
        )
    ends = _later(found, lease, arguments.for_, context.now)
    moved = lease.model_copy(update={"ends_at": ends, "moved_by": (*lease.moved_by, context.request_id)})
    if context.services.leases is not None:
        await context.services.leases.put(context.services.team_id, moved)
    return Extended(name=found.name, before=lease.ends_at, ends_at=ends, usd=cost(found.usd_per_hour, lease.ends_at, ends))


def show(found: Extended, _context: Context) -> View:
    """The new end."""
    price = "price unknown" if found.usd is None else f"at most {money(found.usd.value)} more"
    return View(
        verdict=line(bold(f"{found.name} ends "), When(at=found.ends_at, date=True), f" now · {price}"),
        shape=Shape.GOOD,
        lines=(line("It would have ended ", When(at=found.before, date=True), ". I end it then, and say so before."),),
        buttons=(Button(label=f"Look at {found.name}"[:75], words=f"machine {found.name}"),),
    )


MACHINE_EXTEND = Operation(
    path="machine.extend",
    summary="a later end for a spot or on-demand machine",
    when_to_use="When a machine that ends soon is still needed. Flex-start machines cannot be extended.",
    example="machine extend prod-2 2h",
    arguments=ExtendArguments,
    effect=Effect.SPENDS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    timeout=20.0,
    tool=True,
    preview=preview,
    run=run,
    show=show,
)
