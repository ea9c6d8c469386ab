"""`find`: asks many zones at once for one machine, under a ceiling; the first that is ready is kept, the rest taken back."""

import asyncio
from datetime import datetime, timedelta

from bot.errors import PersonMovesNext
from bot.nouns import Effect, Machine, MachineState, ProvisioningModel, Role, SeenBy
from bot.operations import find_view, find_zone, machine_expire, recent
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, begun, capacity_of, never_shown
from bot.operations.execute import leave
from bot.operations.find_plan import FindArguments, Search, plan
from bot.operations.find_zones import Stand, Zones, ZoneStand, fresh, hopeless, may_ask, next_look, pick
from bot.operations.machine_plan import Plan
from bot.operations.machines import UNASSIGNED
from bot.operations.money import hourly
from bot.operations.operation import Consent, Context, Operation, Preview, Queue, Started
from bot.operations.wording import count, duration, money
from bot.ports import Lease
from bot.serving.recent_capacity import closed_until, waits
from bot.view import Line, bold, line

PATIENCE = timedelta(minutes=30)
"""Our choice: what is not gone by then needs a person to look."""

_SEARCH, _ZONES, _WHY, _WON, _CLOSED_AT, _READY_AT, _CANCELLED = (
    "search",
    "zones",
    "why",
    "won",
    "closed_at",
    "ready_at",
    "others",
)


async def preview(context: Context, arguments: FindArguments) -> Preview:
    """That it takes and bills the first machine, the ceiling, and the most it can cost."""
    search = await plan(context, arguments)
    least, dearest = min(one.usd for one in search.choices), max(one.usd for one in search.choices)
    price = f"{money(least)}/h" if least == dearest else f"{money(least)} to {money(dearest)}/h"
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line(bold(f"Find a {find_view.kind_of(search)}"), f" in {count(len(search.choices), 'zone')}, {price}"),
        lines=_told(search),
        button=f"Find and bill one, at most {money(search.most_usd)}"[:75],
        usd=search.most_usd,
    )


def _told(search: Search) -> tuple[Line, ...]:
    lasts, held = duration(search.run_s), "held and then deleted" if search.hold else "kept"
    out = [f"{search.out} surely cannot"] if search.out else []
    out += [f"{search.unpriced} without a known price"] if search.unpriced else []
    left = line(f"Not asked: {' and '.join(out)}.") if out else ()
    told = (
        line(f"It takes and bills the first machine that is ready: {held} for {lasts}, at most {money(search.most_usd)}."),
        line(
            f"{search.together} at once, never more than {money(search.ceiling)}/h together; "
            "all others are cancelled and verified gone."
        ),
        find_view.looks_until(search, "; waiting is free, and it can be stopped."),
        left,
    )
    return tuple(one for one in told if one)


async def run(context: Context, arguments: FindArguments) -> Started:
    """Begin. Where and for how much is worked out here once and for all."""
    known = await begun(context, "find", "looking for a machine")
    if known is not None:
        return known
    search = await plan(context, arguments)
    tried = await recent.known(context.services, search.piece, search.provisioning)
    closed = {one.zone: held for one in search.choices if (held := closed_until(tried, one.zone)) is not None}
    notes = {
        _SEARCH: search.model_dump_json(),
        _ZONES: fresh(search, closed).model_dump_json(exclude_defaults=True),
        BILLS: f"what it asked for may become machines for up to {money(search.ceiling)}/h: look with /gemma machines",
    }
    said = f"looking for a {find_view.kind_of(search)} in {count(len(search.choices), 'zone')}"
    return await begin(context, "find", arguments, said, notes)


async def first(course: Course) -> Move:
    """Our key goes into every order, so it is written down before the first one. A key that cannot be had takes only the way to
    deploy on the machine that comes, not the machine."""
    search, engines = _read(course)[0], course.context.services.engines
    if engines is None or search.deployment == UNASSIGNED:
        return await sweep(course)
    try:
        key = await engines.hosts.public_key(leave(course.yes), search.deployment)
    except PersonMovesNext:
        return await sweep(course)
    return Move("sweeping", {_SEARCH: search.model_copy(update={"ssh_keys": (key,)}).model_dump_json()})


async def sweep(course: Course) -> Move:
    """One round: ask those that were picked, look at those that wait, take back what came to nothing, pick the next."""
    search, zones = _read(course)
    if course.context.now >= search.deadline:
        return _close(course, zones, f"its time is over ({search.deadline:%H:%M} UTC)")
    zones = await _ask(course, search, zones)
    zones, machine = await _look(course, search, zones)
    if machine is not None:
        return Move("won", {_ZONES: _write(zones), _WON: machine.zone.name, _READY_AT: course.context.now.isoformat()})
    zones = await _take_back(course, search, zones, zones.among(Stand.LEAVING))
    zones = pick(search, zones, course.context.now)
    if hopeless(search, zones):
        return _close(course, zones, "every zone said no for longer than it may look")
    tried = await recent.known(course.context.services, search.piece, search.provisioning)
    shown = find_view.progress(course.work_id, search, zones, waits(tried), course.context.now)
    fresh_ones = any(one.at == course.context.now for one in zones.among(Stand.PICKED))
    wait = None if fresh_ones else 1.0 if zones.among(Stand.PICKED) else next_look(search, zones, course.context.now)
    return Move("sweeping", {_ZONES: _write(zones)}, wait_s=wait, progress=shown)


async def _ask(course: Course, search: Search, zones: Zones) -> Zones:
    """Ask all that were picked, as fast as Google lets all workers together; the others stay picked."""
    picked = zones.among(Stand.PICKED)
    creates = course.context.services.creates
    places = len(picked) if creates is None or not picked else await creates.places(len(picked))
    return zones.with_(await asyncio.gather(*(find_zone.ask(course, search, one) for one in picked[:places])))


async def _look(course: Course, search: Search, zones: Zones) -> tuple[Zones, Machine | None]:
    """All that wait, and the machine that is ready: the one that was to be asked first when there are several."""
    waiting = zones.among(Stand.WAITS)
    others = len(may_ask(search, zones, course.context.now)) > 0
    came = await asyncio.gather(*(find_zone.look(course, search, one, others=others) for one in waiting))
    changed = [one for one in came if isinstance(one, ZoneStand)]
    return zones.with_(changed), next((one for one in came if isinstance(one, Machine)), None)


async def _take_back(course: Course, search: Search, zones: Zones, which: tuple[ZoneStand, ...]) -> Zones:
    came = await asyncio.gather(*(find_zone.take_back(course, search, one) for one in which))
    wasted = zones.wasted + sum(cost for _, cost in came)
    return zones.with_(one for one, _ in came).model_copy(update={"wasted": wasted})


async def keep(course: Course) -> Move:
    """Write down the end of the machine that is kept, before anything else: from here on it bills."""
    search, zones = _read(course)
    zone, now = course.notes[_WON], course.context.now
    machine = await _winner(course, search)
    if machine is None:
        return _close(course, zones, "the machine that came was lost again")
    ends = machine.ends_at or (machine.created_at or now) + timedelta(seconds=search.run_s)
    lease, services = _lease(course, search, ends), course.context.services
    if services.leases is not None:
        await services.leases.put(services.team_id, lease)
    one = next(one for one in zones.zones if one.zone == zone)
    order = search.order(course.context, course.work_id, zone, max(one.attempt, 1))
    await recent.came(course.context, order, (now - (one.at or now)).total_seconds())
    if search.provisioning is not ProvisioningModel.FLEX_START:
        price = hourly(services.prices, search.piece.name, zone, search.provisioning)
        await machine_expire.schedule(course.context, lease, Plan(order=order, run_s=search.run_s, usd_per_hour=price))
    others = sum(one.stands for one in zones.zones) - 1
    bills = f"{lease.machine} in {zone} bills {money(one.usd)}/h: end it with /gemma machine destroy {lease.machine}"
    return Move("settling", {"ends": ends.isoformat(), _CANCELLED: str(others), BILLS: bills, _CLOSED_AT: now.isoformat()})


async def settle(course: Course) -> Move | Ended:
    """Until everything but the machine that is kept is verified gone. Then its end is told."""
    search, zones = _read(course)
    won = course.notes[_WON]
    zones = await _take_back(course, search, zones, tuple(one for one in zones.zones if one.stands and one.zone != won))
    left = [one for one in zones.zones if one.stands and one.zone != won]
    if left and not _out_of_patience(course):
        return Move("settling", {_ZONES: _write(zones)}, wait_s=2.0)
    machine = await _winner(course, search)
    if machine is None:
        return _close(course, zones, "the machine that came was lost again")
    if left:
        others = zones.model_copy(update={"zones": tuple(left)})
        return Ended(find_view.stuck(course.work_id, search, others))
    ends, ready_at = datetime.fromisoformat(course.notes["ends"]), datetime.fromisoformat(course.notes[_READY_AT])
    return Ended(find_view.won(search, zones, machine, ends, int(course.notes[_CANCELLED]), ready_at))


async def stop(course: Course) -> Move:
    """Somebody asked to stop. A machine that is kept already stays kept."""
    if _WON in course.notes and course.notes[_WON] and "ends" in course.notes:
        return Move("settling")
    return _close(course, _read(course)[1], "it was stopped")


def _close(course: Course, zones: Zones, why: str) -> Move:
    return Move("closing", {_ZONES: _write(zones), _WHY: why, _WON: "", _CLOSED_AT: course.context.now.isoformat()})


async def close(course: Course) -> Move | Ended:
    """Until all that was asked for is verified gone."""
    search, zones = _read(course)
    zones = await _take_back(course, search, zones, tuple(one for one in zones.zones if one.stands))
    if not any(one.stands for one in zones.zones):
        services = course.context.services
        if "ends" in course.notes and services.leases is not None:
            for one in zones.zones:
                await services.leases.drop(services.team_id, one.zone, search.machine(course.work_id))
        return Ended(find_view.nothing(course.work_id, search, zones, course.notes[_WHY], course.context.now))
    if _out_of_patience(course):
        return Ended(find_view.stuck(course.work_id, search, zones))
    return Move("closing", {_ZONES: _write(zones)}, wait_s=2.0)


async def _winner(course: Course, search: Search) -> Machine | None:
    machine = await capacity_of(course.context).machines.machine(course.notes[_WON], search.machine(course.work_id))
    return machine if machine is not None and machine.state is MachineState.READY else None


def _lease(course: Course, search: Search, ends: datetime) -> Lease:
    name = search.machine(course.work_id)
    return Lease(
        machine=name,
        zone=course.notes[_WON],
        request=f"{name}-request",
        ends_at=ends,
        owner=course.context.actor.user_id,
        work=course.work_id,
    )


def _out_of_patience(course: Course) -> bool:
    return course.context.now - datetime.fromisoformat(course.notes[_CLOSED_AT]) > PATIENCE


def _read(course: Course) -> tuple[Search, Zones]:
    return Search.model_validate_json(course.notes[_SEARCH]), Zones.model_validate_json(course.notes[_ZONES])


def _write(zones: Zones) -> str:
    """Compact: a step writes it whole."""
    return zones.model_dump_json(exclude_defaults=True)


FIND = Operation(
    path="find",
    summary="asks many zones at once and takes the first machine",
    when_to_use="When it does not matter where a machine stands; it looks until a time, under a ceiling in $/h.",
    example="find v6e-4 flex until 07:00 max $22/h",
    arguments=FindArguments,
    effect=Effect.SPENDS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=20.0,
    tool=True,
    preview=preview,
    run=run,
    show=never_shown,
    steps={"new": first, "sweeping": sweep, "won": keep, "settling": settle, STOP: stop, "closing": close},
    was=("find_tpu",),
)
