"""`machine NAME`: one machine or one request for capacity, whole: state, owner, money, and when and how it ends."""

from datetime import datetime

from bot.errors import UsageError
from bot.nouns import CapacityRequest, Deployment, Effect, Fleet, Machine, Role, SeenBy
from bot.operations import machine_owner, machine_view
from bot.operations.machine_found import Found
from bot.operations.machines import OURS, deployment_of
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import MachineName
from bot.operations.wording import count, listed
from bot.ports import Lease


class MachineArguments(Arguments):
    """The name of a machine or of a request, or the beginning of only one of them."""

    name: MachineName


async def run(context: Context, arguments: MachineArguments) -> Found:
    """Look in all zones. Raises UsageError with the names that were meant perhaps, and names zones that did not answer."""
    return await find(context, arguments.name)


async def find(context: Context, wanted: str) -> Found:
    """The machine or request of this name, or of a beginning that only one has. Errors as for `run`."""
    fleet = await context.services.cloud.fleet()
    zone, name = _choose(fleet, wanted, context.asked)
    machine = next((one for one in fleet.machines if (one.zone.name, one.name) == (zone, name)), None)
    request = next((one for one in fleet.requests if one.zone.name == zone and name in {one.name, one.machine}), None)
    if machine is None and request is not None:
        machine = next((one for one in fleet.machines if (one.zone.name, one.name) == (zone, request.machine)), None)
    known = await context.services.deployments.all(context.services.team_id)
    found = _found(context, fleet.at, zone, machine, request, known)
    lease = await _lease_of(context, found)
    ends_at = found.ends_at or (lease.ends_at if lease is not None else None)
    return found.model_copy(update={"ends_at": ends_at, "owner": machine_owner.person(context, found, lease, known)})


async def _lease_of(context: Context, found: Found) -> Lease | None:
    """What was recorded when the machine was made, while it stands."""
    leases = context.services.leases
    if leases is None or found.machine_state is None:
        return None
    known = await leases.all(context.services.team_id)
    return next((one for one in known if (one.zone, one.machine) == (found.zone, found.name)), None)


def _choose(fleet: Fleet, wanted: str, asked: str) -> tuple[str, str]:
    """(zone, name) of the one that is meant: by its whole name, else by a beginning that only one has.

    A request is another name for the machine that it made, and never makes a beginning ambiguous.
    """
    made = {(one.zone.name, one.name) for one in fleet.machines}
    names = sorted(made) + [(one.zone.name, one.name) for one in fleet.requests if (one.zone.name, one.machine) not in made]
    exact = [one for one in names if one[1] == wanted]
    exact = exact or [(one.zone.name, one.name) for one in fleet.requests if one.name == wanted]
    begins = exact or [one for one in names if one[1].startswith(wanted)]
    if len(begins) == 1:
        return begins[0]
    near = tuple(dict.fromkeys(f"{asked or 'machine'} {name}" for _, name in (begins or names)[:5]))
    raise _unclear(fleet, wanted, begins, near)


def _unclear(fleet: Fleet, wanted: str, begins: list[tuple[str, str]], near: tuple[str, ...]) -> UsageError:
    silent = (
        f" {count(len(fleet.unreachable), 'zone')} did not answer: {listed(sorted(fleet.unreachable))}."
        if fleet.unreachable
        else ""
    )
    if begins:
        places = [f"{name} in {zone}" for zone, name in begins]
        return UsageError(f"“{wanted}” could be {listed(places)}.{silent}", near=near, next_step="Choose one.")
    answered = fleet.zones_asked - len(fleet.unreachable)
    if not answered and fleet.unreachable:
        return UsageError(
            f"I cannot tell whether there is a “{wanted}”: no zone answered.{silent}",
            near=near,
            next_step="Ask again in a minute.",
        )
    looked = f"I looked in {count(answered, 'zone')}"
    return UsageError(
        f"There is no machine or request “{wanted}”. {looked}.{silent}", near=near, next_step="/gemma machines lists all."
    )


def _found(
    context: Context,
    at: datetime,
    zone: str,
    machine: Machine | None,
    request: CapacityRequest | None,
    known: tuple[Deployment, ...],
) -> Found:
    labels = {**(request.labels if request else {}), **(machine.labels if machine else {})}
    name = machine.name if machine else request.name if request else ""
    serves = next((one for one in known if one.machine == name), None) or next(
        (one for one in known if one.name == deployment_of(labels) and one.machine is None), None
    )
    accelerator = (machine.accelerator if machine else None) or (request.accelerator if request else None)
    provisioning = (machine.provisioning if machine else None) or (request.provisioning if request else None)
    created = (machine.created_at if machine else None) or (request.created_at if request else None)
    return Found(
        name=name,
        zone=zone,
        machine_state=machine.state if machine else None,
        request=request.name if request else None,
        request_state=request.state if request else None,
        request_error=request.error if request else None,
        health=machine.health if machine else None,
        address=machine.address if machine else None,
        accelerator=accelerator,
        provisioning=provisioning,
        created_at=created,
        ours=labels.get("managed-by") == OURS,
        owner=labels.get("owner") or (serves.owner if serves else None),
        deployment=serves.name if serves else deployment_of(labels),
        usd_per_hour=hourly(context.services.prices, accelerator, zone, provisioning) if machine else None,
        ends_at=serves.ends_at if serves else None,
        at=at,
    )


MACHINE = Operation(
    path="machine",
    summary="one machine: state, owner, price, end",
    when_to_use="To know how one machine or request stands, whose it is, what it costs and when it ends.",
    example="machine prod-1",
    arguments=MachineArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    timeout=15.0,
    run=run,
    show=machine_view.show,
    was=("describe_queued_resource", "status_v6e4", "check_tpu_availability", "get_reservation_status"),
)
