"""Steps of long work that get one machine, or give back whatever was asked for: put into any operation's `steps`.

They read the note `plan` (a Plan as JSON). Waiting for capacity is no failure; intent stands in the notes before the first call,
and each step may be taken again after a crash at any point: it looks before it makes.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.nouns import CapacityRequest, Machine, MachineState, ProvisioningModel, Refusal, RefusalKind, RequestState
from bot.operations import machine_expire, recent
from bot.operations.course import Course, Ended, Move, capacity_of, pause_s
from bot.operations.execute import leave
from bot.operations.machine_made import refused, stuck, vanished, waits, withdrawn
from bot.operations.machine_plan import Plan
from bot.operations.wording import duration
from bot.ports import Lease
from bot.view import View

PLAN, ASKED_AT, WHY, KIND = "plan", "asked_at", "why", "kind"
WAITING = {RequestState.CREATING, RequestState.WAITING, RequestState.PROVISIONING, RequestState.UNKNOWN}
"""Not an end: a request may wait for hours. FAILED, SUSPENDED and DELETING are ends, and so is a request that is gone."""

_VANISHED = "vanished"
PATIENCE = timedelta(minutes=30)
"""Our choice: what is not gone by then needs a person to look."""

GRACE = timedelta(hours=1)
"""Our choice: so long after the time that it may wait for capacity, a machine that is still not ready is given up."""

Step = Callable[[Course], Awaitable[Move | Ended]]
Kept = Callable[[Course, Plan, Machine, datetime], Awaitable[Move | Ended]]
Nothing = Callable[[Course, View], Awaitable[Move | Ended]]


@dataclass(frozen=True)
class MachineSteps:
    """How one machine is got. `kept` goes on when it is ready, with the end that was recorded; `nothing` when there is none and
    nothing bills any more, with the words for it. `prefix` stands before the names of all states.
    """

    kept: Kept
    nothing: Nothing
    prefix: str = ""

    @property
    def steps(self) -> dict[str, Step]:
        """The steps by state; the first one is `new`, behind the prefix."""
        asks: dict[str, Step] = {"new": self._ask, "waiting": self._watch}
        gives_back: dict[str, Step] = {"withdrawing": self._withdraw, "withdrawn": self._verify}
        return {self._at(state): step for state, step in {**asks, **gives_back}.items()}

    def give_back(self, why: str, kind: str = "") -> Move:
        """On to taking back what was asked for, so that nothing bills and nothing counts against the quota."""
        return Move(self._at("withdrawing"), {WHY: why, KIND: kind})

    def _at(self, state: str) -> str:
        return f"{self.prefix}{state}"

    async def _ask(self, course: Course) -> Move | Ended:
        """Ask for it, or find that an earlier try of this very work did."""
        made = plan_of(course)
        placed = await capacity_of(course.context).provisioner.create(leave(course.yes), made.order)
        if isinstance(placed, Refusal):
            await recent.refused(course.context, made.order, placed)
            return await self.nothing(course, refused(made, placed))
        operation = placed.operation.name if placed.operation is not None else ""
        progress = waits(course.work_id, made, None, None)
        return Move(self._at("waiting"), {"operation": operation}, wait_s=1.0, progress=progress)

    async def _watch(self, course: Course) -> Move | Ended:
        """Until there is a machine that is ready, or an end."""
        made = plan_of(course)
        standing = await capacity_of(course.context).provisioner.request(made.order.zone.name, made.order.name)
        if standing is None:
            return await self._without_request(course, made)
        if standing.state in WAITING:
            return self._wait(course, made, standing)
        if standing.state is not RequestState.ACTIVE:
            if standing.refusal is not None:
                await recent.refused(course.context, made.order, standing.refusal)
            return self.give_back(_why(standing), _kind(standing))
        machine = await capacity_of(course.context).machines.machine(made.order.zone.name, made.order.machine)
        if machine is not None and machine.state is MachineState.READY:
            return await self.kept(course, made, machine, await _keep(course, made, machine))
        if machine is not None and machine.state in {MachineState.LOST, MachineState.ENDING}:
            return self.give_back("the machine was lost before it was ready")
        return self._wait(course, made, standing)

    async def _without_request(self, course: Course, made: Plan) -> Move | Ended:
        """Not there yet, refused after all, or taken away by somebody."""
        name = course.notes["operation"]
        change = await capacity_of(course.context).provisioner.operation(name) if name else None
        if change is not None and change.refusal is not None:
            await recent.refused(course.context, made.order, change.refusal)
            return await self.nothing(course, refused(made, change.refusal))
        if change is not None and not change.done:
            return Move(self._at("waiting"), wait_s=1.0)
        return self.give_back(_VANISHED)

    def _wait(self, course: Course, made: Plan, standing: CapacityRequest) -> Move:
        since, now = datetime.fromisoformat(course.notes[ASKED_AT]), course.context.now
        if now - since > timedelta(seconds=made.order.wait_s or 0) + GRACE:
            return self.give_back(f"it was still {standing.state} after {duration((now - since).total_seconds())}")
        progress = waits(course.work_id, made, standing.state, now - since)
        return Move(self._at("waiting"), wait_s=pause_s(since, now), progress=progress)

    async def _withdraw(self, course: Course) -> Move:
        """Take back what was asked for."""
        made = plan_of(course)
        capacity, may = capacity_of(course.context), leave(course.yes)
        zone = made.order.zone.name
        if not await capacity.provisioner.delete(may, zone, made.order.name) and await _left(course, made) is not None:
            await capacity.machines.delete(may, zone, made.order.machine)
        since = course.notes.get("withdrawn_at", course.context.now.isoformat())
        return Move(self._at("withdrawn"), {"withdrawn_at": since}, wait_s=1.0)

    async def _verify(self, course: Course) -> Move | Ended:
        """Until request and machine are both verified gone."""
        made = plan_of(course)
        provisioner = capacity_of(course.context).provisioner
        standing = await provisioner.request(made.order.zone.name, made.order.name)
        if standing is not None or await _left(course, made):
            return self._not_gone(course, made, again=standing is None or standing.state is not RequestState.DELETING)
        await _forget_end(course, made)
        why = course.notes[WHY]
        if why == _VANISHED:
            return await self.nothing(course, vanished(made))
        kind = RefusalKind(course.notes[KIND]) if course.notes[KIND] else None
        return await self.nothing(course, withdrawn(made, why, kind))

    def _not_gone(self, course: Course, made: Plan, *, again: bool) -> Move | Ended:
        since, now = datetime.fromisoformat(course.notes["withdrawn_at"]), course.context.now
        if now - since > PATIENCE:
            return Ended(stuck(made, now - since))
        return Move(self._at("withdrawing" if again else "withdrawn"), wait_s=pause_s(since, now))


def plan_of(course: Course) -> Plan:
    """What is made, as noted."""
    return Plan.model_validate_json(course.notes[PLAN])


def _why(standing: CapacityRequest) -> str:
    if standing.error:
        return standing.error
    return f"the request is {standing.state}, and Google does not say why"


def _kind(standing: CapacityRequest) -> str:
    return standing.refusal.kind.value if standing.refusal is not None else ""


async def _keep(course: Course, made: Plan, machine: Machine) -> datetime:
    """Write down its end, and for kinds that never end by themselves begin the work that ends it."""
    ends = machine.ends_at or (machine.created_at or course.context.now) + made.lasts
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
    took = course.context.now - datetime.fromisoformat(course.notes[ASKED_AT])
    await recent.came(course.context, order, took.total_seconds())
    if order.provisioning is not ProvisioningModel.FLEX_START:
        await machine_expire.schedule(course.context, lease, made)
    return ends


async def _left(course: Course, made: Plan) -> Machine | None:
    """The machine that this very work made, if it outlived its request. What another made under that name is not touched."""
    machine = await capacity_of(course.context).machines.machine(made.order.zone.name, made.order.machine)
    return machine if machine is not None and machine.labels.get("work") == leave(course.yes).work_id else None


async def _forget_end(course: Course, made: Plan) -> None:
    """The recorded end goes with the machine, where it is this work's own."""
    services, place = course.context.services, (made.order.zone.name, made.order.machine)
    leases = services.leases
    known = await leases.all(services.team_id) if leases is not None else ()
    if leases is not None and any((one.zone, one.machine) == place and one.work == course.work_id for one in known):
        await leases.drop(services.team_id, *place)
