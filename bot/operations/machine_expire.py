"""The end of machines that never end by themselves: spot and on-demand are deleted when the time is over that was said yes to."""

from pydantic import BaseModel

from bot.errors import UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.course import BILLS, Course, Ended, Move, begin, never_shown
from bot.operations.machine_destroy import Doomed, delete, watch
from bot.operations.machine_plan import Plan
from bot.operations.machine_words import rate
from bot.operations.operation import Arguments, Context, Operation, Queue, Started
from bot.operations.values import GivenName
from bot.ports import Lease

LOOK_S = 300.0
"""Between looks whether the end has come or was moved."""


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
    notes = {
        "term": Term(lease=lease, doomed=doomed).model_dump_json(),
        BILLS: f"{lease.machine} still bills {rate(made.usd_per_hour)}: end it with /gemma machine destroy {lease.machine}",
    }
    await begin(context, "machine.expire", ExpireArguments(name=lease.machine), "", notes)


async def wait(course: Course) -> Move | Ended:
    """Until the end that stands recorded now. A machine whose record is gone was destroyed before: there is nothing to say."""
    term = Term.model_validate_json(course.notes["term"])
    services, now = course.context.services, course.context.now
    known = await services.leases.all(services.team_id) if services.leases is not None else (term.lease,)
    lease = next((one for one in known if (one.zone, one.machine) == (term.lease.zone, term.lease.machine)), None)
    if lease is None or lease.work != term.lease.work:
        return Move("done")
    left = (lease.ends_at - now).total_seconds()
    if left > 0:
        return Move("new", wait_s=min(left, LOOK_S))
    doomed = term.doomed.model_copy(update={"asked_at": now})
    return Move("ending", {"doomed": doomed.model_dump_json()})


async def run(_context: Context, _arguments: ExpireArguments) -> Started:
    """Nobody says this; it begins with the machine."""
    raise UsageError("Machines end by themselves.", next_step="To end one now: machine destroy.")


MACHINE_EXPIRE = Operation(
    path="machine.expire",
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
    steps={"new": wait, "ending": delete, "going": watch},
    hidden=True,
)
