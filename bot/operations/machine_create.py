"""`machine create NAME slice zone Z`: one machine, for whom has a zone in mind; waiting for capacity is no failure."""

from datetime import datetime, timedelta

from bot.errors import UsageError
from bot.nouns import (
    CapacityRequest,
    Effect,
    Machine,
    MachineState,
    ProvisioningModel,
    Refusal,
    RefusalKind,
    RequestState,
    Role,
    SeenBy,
)
from bot.operations import machine_expire, recent
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, capacity_of, never_shown, pause_s
from bot.operations.execute import leave
from bot.operations.machine_made import ready, refused, stuck, vanished, waits, withdrawn
from bot.operations.machine_plan import CreateArguments, Plan, plan
from bot.operations.machine_words import rate
from bot.operations.operation import Consent, Context, Operation, Preview, Queue, Started
from bot.operations.wording import duration, money
from bot.ports import Lease
from bot.view import Line, bold, line

WAITING = {RequestState.CREATING, RequestState.WAITING, RequestState.PROVISIONING, RequestState.UNKNOWN}
"""Not an end: a request may wait for hours. FAILED, SUSPENDED and DELETING are ends, and so is a request that is gone."""

_VANISHED = "vanished"
PATIENCE = timedelta(minutes=30)
"""Our choice: what is not gone by then needs a person to look."""

GRACE = timedelta(hours=1)
"""Our choice: so long after the time that it may wait for capacity, a machine that is still not ready is given up."""

_AT_THE_END = {
    ProvisioningModel.FLEX_START: "Google deletes it then; it cannot be extended",
    ProvisioningModel.SPOT: "I delete it then; Google may take it away at any time before",
    ProvisioningModel.ON_DEMAND: "I delete it then; it would run for ever otherwise",
}


async def preview(context: Context, arguments: CreateArguments) -> Preview:
    """Price, the most it can cost, the end. Raises UsageError when it exists already or cannot stand in that zone."""
    made = plan(context, arguments)
    await _must_be_free(context, made)
    await _must_be_possible(context, made)
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line(
            bold(f"Create {made.order.machine}: {made.order.piece.name}"), f" in {made.order.zone.name}, {_costs(made)}"
        ),
        lines=_told(made, arguments),
        button=f"Create {made.order.machine}, {'price unknown' if made.usd is None else rate(made.usd_per_hour)}"[:75],
        usd=made.usd,
    )


def _costs(made: Plan) -> str:
    if made.usd is None:
        return "price unknown"
    return f"{rate(made.usd_per_hour)}, at most {money(made.usd)}"


def _told(made: Plan, arguments: CreateArguments) -> tuple[Line, ...]:
    order, lasts = made.order, duration(made.run_s)
    price = made.usd_per_hour
    source = f" List price of {price.at.day} {price.at:%b}; your invoice may differ." if price is not None else ""
    return (
        line(f"{order.provisioning.value}, runs {lasts} from when it is ready. {_AT_THE_END[order.provisioning]}.{source}"),
        line(f"It may wait up to {duration(arguments.wait)} for capacity; waiting is free and can be stopped."),
    )


async def _must_be_free(context: Context, made: Plan) -> None:
    fleet = await context.services.cloud.fleet([made.order.zone.name])
    names = {one.name for one in fleet.machines} | {one.name for one in fleet.requests}
    if {made.order.machine, made.order.name} & names:
        raise UsageError(
            f"There is a {made.order.machine} in {made.order.zone.name} already.",
            near=(f"machine {made.order.machine}",),
            next_step="Use another name, or look at that one.",
        )


async def _must_be_possible(context: Context, made: Plan) -> None:
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


async def run(context: Context, arguments: CreateArguments) -> Started:
    """Begin. What the machine is to be is worked out here once and for all."""
    made = plan(context, arguments)
    order = made.order
    may = f"{order.name} may stand in {order.zone.name} and become a machine for {rate(made.usd_per_hour)}"
    notes = {
        "plan": made.model_dump_json(),
        "asked_at": context.now.isoformat(),
        BILLS: f"{may}: look with /gemma machine {order.machine}",
    }
    said = f"asking for {order.machine}, a {order.piece.name} in {order.zone.name}"
    return await begin(context, "machine.create", arguments, said, notes)


async def ask(course: Course) -> Move | Ended:
    """Ask for it, or find that an earlier try of this very work did."""
    made = _plan(course)
    placed = await capacity_of(course.context).provisioner.create(leave(course.yes), made.order)
    if isinstance(placed, Refusal):
        await recent.refused(course.context, made.order, placed)
        return Ended(refused(made, placed))
    operation = placed.operation.name if placed.operation is not None else ""
    return Move("waiting", {"operation": operation}, wait_s=1.0, progress=waits(course.work_id, made, None, None))


async def watch(course: Course) -> Move | Ended:
    """Until there is a machine that is ready, or an end."""
    made, now = _plan(course), course.context.now
    standing = await capacity_of(course.context).provisioner.request(made.order.zone.name, made.order.name)
    if standing is None:
        return await _without_request(course, made)
    if standing.state in WAITING:
        return _wait(course, made, standing)
    if standing.state is not RequestState.ACTIVE:
        if standing.refusal is not None:
            await recent.refused(course.context, made.order, standing.refusal)
        return Move("withdrawing", {"why": _why(standing), "kind": _kind(standing)})
    machine = await capacity_of(course.context).machines.machine(made.order.zone.name, made.order.machine)
    if machine is not None and machine.state is MachineState.READY:
        return await _keep(course, made, machine, now)
    if machine is not None and machine.state in {MachineState.LOST, MachineState.ENDING}:
        return Move("withdrawing", {"why": "the machine was lost before it was ready", "kind": ""})
    return _wait(course, made, standing)


async def _without_request(course: Course, made: Plan) -> Move | Ended:
    """Not there yet, refused after all, or taken away by somebody."""
    name = course.notes["operation"]
    change = await capacity_of(course.context).provisioner.operation(name) if name else None
    if change is not None and change.refusal is not None:
        await recent.refused(course.context, made.order, change.refusal)
        return Ended(refused(made, change.refusal))
    if change is not None and not change.done:
        return Move("waiting", wait_s=1.0)
    return Move("withdrawing", {"why": _VANISHED, "kind": ""})


def _wait(course: Course, made: Plan, standing: CapacityRequest) -> Move:
    since, now = datetime.fromisoformat(course.notes["asked_at"]), course.context.now
    if now - since > timedelta(seconds=made.order.wait_s or 0) + GRACE:
        return Move(
            "withdrawing", {"why": f"it was still {standing.state} after {duration((now - since).total_seconds())}", "kind": ""}
        )
    return Move("waiting", wait_s=pause_s(since, now), progress=waits(course.work_id, made, standing.state, now - since))


def _why(standing: CapacityRequest) -> str:
    if standing.error:
        return standing.error
    return f"the request is {standing.state}, and Google does not say why"


def _kind(standing: CapacityRequest) -> str:
    return standing.refusal.kind.value if standing.refusal is not None else ""


async def _keep(course: Course, made: Plan, machine: Machine, now: datetime) -> Ended:
    """Write down its end, and for kinds that never end by themselves begin the work that ends it."""
    ends = machine.ends_at or (machine.created_at or now) + made.lasts
    services, order = course.context.services, made.order
    lease = Lease(
        machine=order.machine,
        zone=order.zone.name,
        request=order.name,
        ends_at=ends,
        owner=course.context.actor.user_id,
        work=course.work_id,
    )
    if services.leases is not None:
        await services.leases.put(services.team_id, lease)
    await recent.came(course.context, order, (now - datetime.fromisoformat(course.notes["asked_at"])).total_seconds())
    if order.provisioning is not ProvisioningModel.FLEX_START:
        await machine_expire.schedule(course.context, lease, made)
    return Ended(ready(made, machine, ends, now))


async def stop(course: Course) -> Move:
    """Somebody asked to stop: whatever was asked for is taken back."""
    return Move("withdrawing", {"why": "it was stopped", "kind": ""})


async def withdraw(course: Course) -> Move:
    """Take back what was asked for, so that nothing bills and nothing counts against the quota."""
    made = _plan(course)
    capacity, may = capacity_of(course.context), leave(course.yes)
    zone = made.order.zone.name
    if not await capacity.provisioner.delete(may, zone, made.order.name) and await _left(course, made) is not None:
        await capacity.machines.delete(may, zone, made.order.machine)
    since = course.notes.get("withdrawn_at", course.context.now.isoformat())
    return Move("withdrawn", {"withdrawn_at": since}, wait_s=1.0)


async def verify(course: Course) -> Move | Ended:
    """Until request and machine are both verified gone."""
    made = _plan(course)
    provisioner = capacity_of(course.context).provisioner
    standing = await provisioner.request(made.order.zone.name, made.order.name)
    if standing is not None or await _left(course, made):
        return _not_gone(course, made, again=standing is None or standing.state is not RequestState.DELETING)
    why = course.notes["why"]
    if why == _VANISHED:
        return Ended(vanished(made))
    kind = RefusalKind(course.notes["kind"]) if course.notes["kind"] else None
    return Ended(withdrawn(made, why, kind))


async def _left(course: Course, made: Plan) -> Machine | None:
    """The machine that this very work made, if it outlived its request. What another made under that name is not touched."""
    machine = await capacity_of(course.context).machines.machine(made.order.zone.name, made.order.machine)
    return machine if machine is not None and machine.labels.get("work") == leave(course.yes).work_id else None


def _not_gone(course: Course, made: Plan, *, again: bool) -> Move | Ended:
    since, now = datetime.fromisoformat(course.notes["withdrawn_at"]), course.context.now
    if now - since > PATIENCE:
        return Ended(stuck(made, now - since))
    return Move("withdrawing" if again else "withdrawn", wait_s=pause_s(since, now))


def _plan(course: Course) -> Plan:
    return Plan.model_validate_json(course.notes["plan"])


MACHINE_CREATE = Operation(
    path="machine.create",
    summary="one machine in a zone of your choice, with its price and its end",
    when_to_use="When somebody has a zone in mind and wants one machine there.",
    example="machine create prod-2 v6e-4 flex zone us-east5-a for 8h",
    arguments=CreateArguments,
    effect=Effect.SPENDS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=20.0,
    tool=True,
    preview=preview,
    run=run,
    show=never_shown,
    steps={"new": ask, "waiting": watch, STOP: stop, "withdrawing": withdraw, "withdrawn": verify},
    was=("create_tpu_queued_resource",),
)
