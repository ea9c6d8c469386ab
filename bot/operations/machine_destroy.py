"""`machine destroy NAME`: deleted by force with its request, polled, verified gone; then what it cost."""

from datetime import datetime, timedelta

from pydantic import BaseModel

from bot.errors import RefusedError
from bot.nouns import Effect, MachineState, Quantity, Role, SeenBy
from bot.operations import machine, machine_use
from bot.operations.course import (
    BILLS,
    Course,
    Ended,
    Move,
    begin,
    begun,
    capacity_of,
    never_shown,
    pause_s,
    second_person_said_yes,
)
from bot.operations.execute import leave
from bot.operations.machine_found import Found
from bot.operations.machine_use import Use
from bot.operations.machine_words import asks, cost, described, rate
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Queue, Started
from bot.operations.values import MachineName, RestOfLine
from bot.operations.wording import duration, money
from bot.ports import Authorised
from bot.ports.stores import UNSTOPPABLE
from bot.view import Button, Line, Shape, View, When, bold, line

PATIENCE = timedelta(minutes=30)
"""Our choice: a machine that is not gone by then needs a person to look."""


class DestroyArguments(Arguments):
    """The name of a machine or of a request, or the beginning of only one of them; and why, for whoever must say yes."""

    name: MachineName
    because: RestOfLine | None = None


class Doomed(BaseModel):
    """What is to go, as it was found when the work began. `machine` is what stands or what the request may still make; `stood`
    says which. `others`: a second person gave leave for what is not ours."""

    name: str
    zone: str
    request: str | None
    machine: str | None
    stood: bool
    others: bool
    created_at: datetime | None
    usd_per_hour: Quantity | None
    asked_at: datetime
    lost_at: datetime | None = None
    """When it was first seen to be gone, of a machine that was not meant to go yet."""


async def preview(context: Context, arguments: DestroyArguments) -> Preview:
    """What goes, whose it is, what it cuts off and what it saves; that decides who must say yes."""
    capacity_of(context)
    found = await machine.find(context, arguments.name)
    use = await machine_use.use_of(context, found)
    needs = machine_use.needs(found, use)
    second = needs is Consent.SECOND_PERSON
    asked = asks(context, Role.OPERATOR, f"destroy {found.name}", second_person=second)
    return Preview(
        needs=needs,
        verdict=(*asked, *line(_standing(found, use))),
        lines=(line(f"{described(found)}."), *_ends(found, use), *_why(arguments)),
        button=f"Destroy {found.name}"[:75],
    )


def _standing(found: Found, use: Use) -> str:
    if use.serves:
        return f". It still serves {use.deployment}: {use.said}"
    if found.machine_state is None:
        return f". It is a request: {found.request_state}"
    return ". It serves nobody now" if use.deployment else ". I know of no deployment on it"


def _ends(found: Found, use: Use) -> tuple[Line, ...]:
    if found.machine_state is None:
        return (line("It bills nothing while it waits; it counts against the quota until it is gone."),)
    lost = "Ends: those requests and its compile cache." if use.serves else "Its compile cache goes with it."
    return (line(f"{lost} Saves {rate(found.usd_per_hour)}."),)


def _why(arguments: DestroyArguments) -> tuple[Line, ...]:
    return (line(f"Reason: {arguments.because}"),) if arguments.because else ()


async def run(context: Context, arguments: DestroyArguments) -> Started:
    """Look once more, then begin. Raises RefusedError when it needs a stricter yes by now than the one that was given."""
    before = await begun(context, "machine.destroy", f"{arguments.name} is being destroyed")
    if before is not None:
        return before
    found = await machine.find(context, arguments.name)
    second = await second_person_said_yes(context)
    use = await machine_use.use_of(context, found)
    if machine_use.needs(found, use) is Consent.SECOND_PERSON and not second:
        raise RefusedError(
            f"{found.name} {'serves now' if use.serves else 'is not ours'}: that needs a second person's yes.",
            next_step="Ask again.",
        )
    stood = found.machine_state is not None
    doomed = Doomed(
        name=found.name,
        zone=found.zone,
        request=found.request,
        machine=found.name if stood else await _made_by(context, found),
        stood=stood,
        others=second and not found.ours,
        created_at=found.created_at if stood else None,
        usd_per_hour=found.usd_per_hour,
        asked_at=context.now,
    )
    notes = {
        "doomed": doomed.model_dump_json(),
        BILLS: _bills(doomed),
        UNSTOPPABLE: "what Google has begun to delete cannot be kept",
    }
    return await begin(context, "machine.destroy", arguments, f"{found.name} is being destroyed", notes)


async def _made_by(context: Context, found: Found) -> str | None:
    """The machine that a request may still make."""
    if found.request is None:
        return None
    standing = await capacity_of(context).provisioner.request(found.zone, found.request)
    return standing.machine if standing is not None else None


def _bills(doomed: Doomed) -> str:
    if not doomed.stood:
        return f"{doomed.name} may still stand; a request bills nothing."
    return f"{doomed.name} may still stand and bill {rate(doomed.usd_per_hour)}: look with /gemma machine {doomed.name}"


async def delete(course: Course) -> Move:
    """Ask for it, with all that belongs to it. A repeat finds it going or gone."""
    doomed = _doomed(course)
    await _delete(course, doomed)
    return Move("going", wait_s=1.0, progress=_going(course, doomed))


async def _delete(course: Course, doomed: Doomed) -> None:
    capacity, may = capacity_of(course.context), _leave(course, doomed)
    if doomed.request is not None and await capacity.provisioner.delete(may, doomed.zone, doomed.request):
        return
    if doomed.machine is not None:
        await capacity.machines.delete(may, doomed.zone, doomed.machine)


def _leave(course: Course, doomed: Doomed) -> Authorised:
    return leave(course.yes, others=doomed.others)


async def watch(course: Course) -> Move | Ended:
    """Until request and machine are both verified gone: only then nothing bills."""
    doomed, now = _doomed(course), course.context.now
    if await _is_gone(course, doomed):
        if course.context.services.leases is not None:
            await course.context.services.leases.drop(course.context.services.team_id, doomed.zone, doomed.name)
        return Ended(_gone(doomed, now))
    if now - doomed.asked_at > PATIENCE:
        return Ended(_stuck(doomed, now))
    await _again_if_left(course, doomed)
    return Move("going", wait_s=pause_s(doomed.asked_at, now))


async def _is_gone(course: Course, doomed: Doomed) -> bool:
    capacity = capacity_of(course.context)
    if doomed.request is not None:
        return await capacity.provisioner.gone(doomed.zone, doomed.request, doomed.machine)
    return doomed.machine is None or await capacity.machines.machine(doomed.zone, doomed.machine) is None


async def _again_if_left(course: Course, doomed: Doomed) -> None:
    """A machine whose request went without it, or that came after all, is asked for once more."""
    if doomed.machine is None:
        return
    capacity = capacity_of(course.context)
    standing = await capacity.machines.machine(doomed.zone, doomed.machine)
    if standing is not None and standing.state is not MachineState.ENDING:
        await _delete(course, doomed)


def _doomed(course: Course) -> Doomed:
    return Doomed.model_validate_json(course.notes["doomed"])


def _going(course: Course, doomed: Doomed) -> View:
    return View(
        verdict=line(bold(f"{course.work_id}: {doomed.name} is being destroyed")),
        lines=(line("It bills until it is gone; I look every few seconds and say when."),) if doomed.stood else (),
    )


def _gone(doomed: Doomed, now: datetime) -> View:
    """The verdict with what it cost: from its making until it was seen gone, so rather too much than too little."""
    if not doomed.stood:
        return View(verdict=line(bold(f"{doomed.name} is gone"), " · it never had a machine"), shape=Shape.GOOD)
    spent = cost(doomed.usd_per_hour, doomed.created_at, doomed.lost_at or now)
    price = "cost unknown" if spent is None else f"cost about {money(spent.value)}"
    lines = [line(f"{_source(doomed, spent)}{doomed.zone}. Request and machine were both looked for and are not there.")]
    said = "was lost before its end" if doomed.lost_at is not None else "is gone"
    return View(
        verdict=line(bold(f"{doomed.name} {said}"), " · billing stopped at ", When(at=doomed.lost_at or now), f", {price}"),
        shape=Shape.CONCERN if doomed.lost_at is not None else Shape.GOOD,
        lines=tuple(lines),
        buttons=(Button(label="All machines", words="machines"),),
    )


def _source(doomed: Doomed, spent: Quantity | None) -> str:
    if spent is None or doomed.usd_per_hour is None:
        return ""
    day = f"{spent.at.day} {spent.at:%b}"
    return f"{rate(doomed.usd_per_hour)} by the list price of {day}; your invoice may differ. "


def _stuck(doomed: Doomed, now: datetime) -> View:
    waited = duration((now - doomed.asked_at).total_seconds())
    return View(
        verdict=line(bold(f"{doomed.name} is not gone after {waited}")),
        shape=Shape.BAD,
        lines=(
            line("Google took the deletion and has not carried it out; I stopped looking."),
            line(_bills(doomed)),
            line(f"Next: /gemma machine destroy {doomed.name} once more, then Google's support."),
        ),
        buttons=(Button(label=f"Look at {doomed.name}"[:75], words=f"machine {doomed.name}"),),
    )


MACHINE_DESTROY = Operation(
    path="machine.destroy",
    summary="delete a machine or a request, verified gone, with what it cost",
    when_to_use="When a machine or a request is no longer needed and shall stop billing or counting.",
    example="machine destroy prod-2",
    arguments=DestroyArguments,
    effect=Effect.DESTROYS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=20.0,
    tool=True,
    preview=preview,
    run=run,
    show=never_shown,
    steps={"new": delete, "going": watch},
    was=("destroy_queued_resource",),
)
