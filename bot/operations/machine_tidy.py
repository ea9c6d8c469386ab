"""Requests of ours that came to nothing: FAILED and SUSPENDED ones count against the quota until somebody deletes them."""

from datetime import datetime

from pydantic import BaseModel

from bot.errors import UsageError
from bot.nouns import CapacityRequest, Effect, Fleet, Machine, MachineState, ProvisioningModel, RequestState, Role, SeenBy
from bot.operations import machine_expire
from bot.operations.course import BILLS, never_shown
from bot.operations.machine_destroy import Doomed, delete, watch
from bot.operations.machines import OURS
from bot.operations.operation import Arguments, Context, Operation, Queue, Started
from bot.operations.values import MachineName
from bot.ports import Lease, OpenWork
from bot.ports.stores import UNSTOPPABLE

DEAD = {RequestState.FAILED, RequestState.SUSPENDED}
RUNS = {MachineState.READY, MachineState.REPAIRING, MachineState.CREATING, MachineState.STOPPED}


class TidyArguments(Arguments):
    """The request."""

    name: MachineName


class Revived(BaseModel):
    """Long work to begin in the name of an earlier yes: its operation, its arguments as JSON, and its notes."""

    path: str
    arguments: str
    notes: dict[str, str]


def dead(fleet: Fleet, works: tuple[OpenWork, ...]) -> tuple[CapacityRequest, ...]:
    """Requests of ours at their end, whose machine does not run and that no work looks after. Pure."""
    runs = {(one.zone.name, one.name) for one in fleet.machines if one.state in RUNS}
    said = {word for one in works for word in one.words.split()}
    ours = [one for one in fleet.requests if one.labels.get("managed-by") == OURS and one.state in DEAD]
    return tuple(one for one in ours if (one.zone.name, one.machine) not in runs and not {one.name, one.machine} & said)


def unwatched(fleet: Fleet, leases: tuple[Lease, ...]) -> tuple[tuple[Lease, Machine], ...]:
    """Machines of ours that only we end, with their recorded end. Pure."""
    there = {(one.zone.name, one.name): one for one in fleet.machines if one.state in RUNS}
    both = [(lease, there[lease.zone, lease.machine]) for lease in leases if (lease.zone, lease.machine) in there]
    return tuple(
        (lease, one)
        for lease, one in both
        if one.labels.get("managed-by") == OURS and one.provisioning in {ProvisioningModel.SPOT, ProvisioningModel.ON_DEMAND}
    )


def tidied(one: CapacityRequest, now: datetime) -> Revived:
    """The work that deletes a dead request, with whatever node is left of it."""
    doomed = Doomed(
        name=one.name,
        zone=one.zone.name,
        request=one.name,
        machine=one.machine,
        stood=False,
        others=False,
        created_at=one.created_at,
        usd_per_hour=None,
        asked_at=now,
    )
    notes = {
        "doomed": doomed.model_dump_json(),
        BILLS: f"{one.name} bills nothing, but counts against the quota: /gemma machine destroy {one.name}",
        UNSTOPPABLE: "what Google has begun to delete cannot be kept",
    }
    return Revived(path="machine.tidy", arguments=TidyArguments(name=one.name).model_dump_json(), notes=notes)


def reaped(lease: Lease, one: Machine, now: datetime, usd_per_hour: object) -> Revived:
    """The work that ends a machine at its recorded time, anew: the one that was begun with the machine is gone."""
    doomed = Doomed.model_validate(
        {
            "name": lease.machine,
            "zone": lease.zone,
            "request": lease.request,
            "machine": lease.machine,
            "stood": True,
            "others": False,
            "created_at": one.created_at,
            "usd_per_hour": usd_per_hour,
            "asked_at": max(now, lease.ends_at),
        }
    )
    arguments = machine_expire.ExpireArguments(name=lease.machine)
    notes = machine_expire.notes_of(lease, doomed)
    return Revived(path=machine_expire.PATH, arguments=arguments.model_dump_json(), notes=notes)


async def run(_context: Context, _arguments: TidyArguments) -> Started:
    """Nobody says this; the clock begins it."""
    raise UsageError("Dead requests go by themselves.", next_step="To delete one now: machine destroy.")


MACHINE_TIDY = Operation(
    path="machine.tidy",
    summary="the end of a request that came to nothing",
    when_to_use="Never said: the clock begins it.",
    example="machine tidy prod-2-request",
    arguments=TidyArguments,
    effect=Effect.DESTROYS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    run=run,
    show=never_shown,
    steps={"new": delete, "going": watch},
    hidden=True,
)
