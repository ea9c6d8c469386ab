"""The end of machines that never end by themselves: spot and on-demand are deleted when the time is over that was said yes to."""

from datetime import datetime

from pydantic import BaseModel

from bot.errors import UsageError
from bot.nouns import Effect, MachineState, Role, SeenBy
from bot.operations.course import BILLS, Course, Ended, Move, begin, capacity_of, never_shown
from bot.operations.machine_destroy import Doomed, delete, watch
from bot.operations.machine_plan import Plan
from bot.operations.machine_words import rate
from bot.operations.operation import Arguments, Context, Operation, Queue, Started
from bot.operations.values import GivenName
from bot.ports import Lease
from bot.ports.stores import UNSTOPPABLE

PATH = "machine.expire"
LOOK_S = 300.0
"""Between looks whether the end has come or was moved, and whether the machine still stands."""

MISSED_S = 60.0
"""A machine that is not there is looked for once more after this, for somebody may be destroying it just now."""


class ExpireArguments(Arguments):
    """The machine."""

    name: GivenName


class Term(BaseModel):
    """The lease that this work watches, and what is to go at its end."""

    lease: Lease
    doomed: Doomed


async def schedule(context: Context, lease: Lease, made: Plan) -> None:
    """Begin the work that ends this machine; once, for it goes by the request that made the machine."""
    doomed = Doomed(
        name=lease.machine,
        zone=lease.zone,
        request=lease.request,
        machine=lease.machine,
        stood=True,
        others=False,
        created_at=lease.ends_at - made.lasts,
        usd_per_hour=made.usd_per_hour,
        asked_at=lease.ends_at,
    )
    await begin(context, PATH, ExpireArguments(name=lease.machine), "", notes_of(lease, doomed))


def notes_of(lease: Lease, doomed: Doomed) -> dict[str, str]:
    """What this work begins with, whoever begins it."""
    ends = f"/gemma machine destroy {lease.machine}"
    return {
        "term": Term(lease=lease, doomed=doomed).model_dump_json(),
        BILLS: f"{lease.machine} still bills {rate(doomed.usd_per_hour)}: end it with {ends}",
        UNSTOPPABLE: f"it ends {lease.machine} when its time is over; to end that now: {ends}",
    }


async def hold(_course: Course) -> Move:
    """From here on it only waits."""
    return Move("holding")


async def wait(course: Course) -> Move | Ended:
    """Until the end that stands recorded now, or until the machine was lost before it.

    A machine whose record is gone was destroyed meanwhile: there is nothing to say.
    """
    term = Term.model_validate_json(course.notes["term"])
    lease, now = await _lease_now(course, term), course.context.now
    if lease is None or lease.work != term.lease.work:
        return Move("done")
    left = (lease.ends_at - now).total_seconds()
    if left <= 0:
        return Move("ending", {"doomed": term.doomed.model_copy(update={"asked_at": now}).model_dump_json()})
    machine = await capacity_of(course.context).machines.machine(lease.zone, lease.machine)
    if machine is not None and machine.state is not MachineState.LOST:
        return Move("holding", {"missed": ""}, wait_s=min(left, LOOK_S))
    if not course.notes.get("missed"):
        return Move("holding", {"missed": now.isoformat()}, wait_s=min(left, MISSED_S))
    lost = term.doomed.model_copy(update={"asked_at": now, "lost_at": datetime.fromisoformat(course.notes["missed"])})
    return Move("ending", {"doomed": lost.model_dump_json()})


async def _lease_now(course: Course, term: Term) -> Lease | None:
    services = course.context.services
    known = await services.leases.all(services.team_id) if services.leases is not None else (term.lease,)
    return next((one for one in known if (one.zone, one.machine) == (term.lease.zone, term.lease.machine)), None)


async def run(_context: Context, _arguments: ExpireArguments) -> Started:
    """Nobody says this; it begins with the machine."""
    raise UsageError("Machines end by themselves.", next_step="To end one now: machine destroy.")


MACHINE_EXPIRE = Operation(
    path=PATH,
    summary="the end of a machine that does not end by itself",
    when_to_use="Never said: it begins with the machine.",
    example="machine expire prod-2",
    arguments=ExpireArguments,
    effect=Effect.DESTROYS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    run=run,
    show=never_shown,
    steps={"new": hold, "holding": wait, "ending": delete, "going": watch},
    hidden=True,
)
