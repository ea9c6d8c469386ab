"""What a search does in one zone: ask, look, take back. Each may be done twice: it looks before it makes, and names say whose."""

from bot.errors import PersonMovesNext, RefusedError, RetryLater
from bot.nouns import CapacityRequest, Machine, MachineState, Refusal, RefusalKind, RequestState
from bot.operations import recent
from bot.operations.course import Course, capacity_of
from bot.operations.execute import leave
from bot.operations.find_plan import OVERLAP_S, Search
from bot.operations.find_zones import TURN, Stand, ZoneStand

WAITING = {RequestState.CREATING, RequestState.WAITING, RequestState.PROVISIONING, RequestState.UNKNOWN}


async def ask(course: Course, search: Search, one: ZoneStand) -> ZoneStand:
    """Ask one zone, or adopt what an earlier try of this very attempt asked. No answer leaves it as it is: it is asked again."""
    now = course.context.now
    order = search.order(course.context, course.work_id, one.zone, one.attempt)
    try:
        placed = await capacity_of(course.context).provisioner.create(leave(course.yes), order)
    except RetryLater:
        return one
    except PersonMovesNext:
        kind = RefusalKind.OTHER
        return one.refused(kind, now).model_copy(update={"again_at": search.deadline})
    if isinstance(placed, Refusal):
        return await _no(course, search, one, placed, leaves=False)
    return one.becomes(Stand.WAITS, now, operation=placed.operation.name if placed.operation is not None else "")


async def look(course: Course, search: Search, one: ZoneStand, *, others: bool) -> ZoneStand | Machine:
    """How it stands there; the machine once it is ready. `others`: another zone could be asked in the place of this one."""
    now, provisioner = course.context.now, capacity_of(course.context).provisioner
    try:
        standing = await provisioner.request(one.zone, _request(course, search))
        if standing is None:
            return await _without_request(course, search, one)
        if standing.state is RequestState.ACTIVE:
            return await _machine(course, search, one)
    except RetryLater:
        return one
    if standing.state not in WAITING:
        left = await _no(course, search, one, _why(standing), leaves=True)
        return left.model_copy(update={"dead": standing.state is RequestState.FAILED})
    waited = now - (one.at or now)
    if others and waited > TURN and standing.state is not RequestState.PROVISIONING:
        away = Refusal(kind=RefusalKind.STOCKOUT, text="it waited for capacity")
        return (await _no(course, search, one, away, leaves=True)).model_copy(update={"dead": False})
    return one


async def take_back(course: Course, search: Search, one: ZoneStand) -> tuple[ZoneStand, float]:
    """Delete what was asked for there and see whether all of it is gone; and what its machine cost meanwhile, once it is."""
    capacity, may, now = capacity_of(course.context), leave(course.yes), course.context.now
    name = search.machine(course.work_id)
    one = one if one.stand is Stand.LEAVING else one.becomes(Stand.LEAVING, now)
    try:
        machine = await capacity.machines.machine(one.zone, name)
        if machine is not None and one.since is None:
            one = one.model_copy(update={"since": machine.created_at or now, "dead": False})
        going = await capacity.provisioner.delete(may, one.zone, _request(course, search))
        if not going and machine is not None and machine.labels.get("work") == may.work_id:
            await capacity.machines.delete(may, one.zone, name)
        if not await capacity.provisioner.gone(one.zone, _request(course, search), name):
            return one, 0.0
    except (RetryLater, RefusedError):
        return one, 0.0
    cost = one.usd * (now - one.since).total_seconds() / 3600 if one.since is not None else 0.0
    return one.becomes(Stand.OPEN, now, operation="", since=None, dead=False), cost


async def _machine(course: Course, search: Search, one: ZoneStand) -> ZoneStand | Machine:
    """The request is active: its machine, once it is ready."""
    name, now = search.machine(course.work_id), course.context.now
    machine = await capacity_of(course.context).machines.machine(one.zone, name)
    if machine is not None and machine.state is MachineState.READY:
        return machine
    lost = machine is not None and machine.state in {MachineState.LOST, MachineState.ENDING}
    if lost or (now - (one.since or now)).total_seconds() > OVERLAP_S:
        gave_up = Refusal(kind=RefusalKind.OTHER, text="the machine did not become ready")
        return (await _no(course, search, one, gave_up, leaves=True)).model_copy(update={"dead": False})
    return one.model_copy(update={"since": one.since or now})


async def _without_request(course: Course, search: Search, one: ZoneStand) -> ZoneStand:
    """Not there yet, refused after all, or taken away by somebody."""
    provisioner, now = capacity_of(course.context).provisioner, course.context.now
    change = await provisioner.operation(one.operation) if one.operation else None
    if change is not None and change.refusal is not None:
        return await _no(course, search, one, change.refusal, leaves=False)
    if change is not None and not change.done:
        return one
    return one.refused(RefusalKind.OTHER, now, leaves=True).model_copy(update={"dead": False})


async def _no(course: Course, search: Search, one: ZoneStand, refusal: Refusal, *, leaves: bool) -> ZoneStand:
    order = search.order(course.context, course.work_id, one.zone, max(one.attempt, 1))
    await recent.refused(course.context, order, refusal)
    return one.refused(refusal.kind, course.context.now, leaves=leaves)


def _why(standing: CapacityRequest) -> Refusal:
    return standing.refusal or Refusal(kind=RefusalKind.OTHER, text=standing.error or f"the request is {standing.state}")


def _request(course: Course, search: Search) -> str:
    return f"{search.machine(course.work_id)}-request"
