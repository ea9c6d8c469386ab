"""`machine start NAME` and `machine stop NAME`: for the kinds that can be; for the others, why not."""

from datetime import datetime, timedelta

from pydantic import BaseModel

from bot.errors import PersonMovesNext, RefusedError
from bot.nouns import Effect, MachineState, ProvisioningModel, Role, SeenBy
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
from bot.operations.machine_words import asks, described, rate
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Queue, Started
from bot.operations.values import MachineName
from bot.operations.wording import duration
from bot.ports.stores import UNSTOPPABLE
from bot.view import Button, Line, Shape, View, When, bold, line

PATIENCE = timedelta(minutes=30)
"""Our choice: a machine that has not arrived by then needs a person to look."""


class PowerArguments(Arguments):
    """The name of a machine, or the beginning of only one."""

    name: MachineName


class Switched(BaseModel):
    """What is switched, as it was found when the work began."""

    name: str
    zone: str
    others: bool
    rate: str
    asked_at: datetime


async def _may_be_switched(context: Context, name: str) -> Found:
    """The machine. Raises PersonMovesNext with the reason when its kind can only be deleted (Google's pages on flex-start and on
    queued resources)."""
    found = await machine.find(context, name)
    if found.machine_state is None:
        raise PersonMovesNext(f"{found.name} is a request without a machine yet.", next_step="There is nothing to start or stop.")
    why = None
    if found.provisioning is ProvisioningModel.FLEX_START:
        why = "it is flex-start, which Google deletes and never stops"
    elif found.request is not None:
        why = f"it was made by the request {found.request}, and Google does not stop or start such machines"
    if why is not None:
        raise PersonMovesNext(
            f"{found.name} cannot be stopped or started: {why}.",
            untouched="I changed nothing.",
            billing=f"It bills {rate(found.usd_per_hour)}.",
            next_step=f"To end it: /gemma machine destroy {found.name}",
        )
    return found


async def preview_start(context: Context, arguments: PowerArguments) -> Preview:
    """What it will bill again, and for how long: until somebody stops it."""
    capacity_of(context)
    found = await _may_be_switched(context, arguments.name)
    second = not found.ours
    bills = line(f"From then on it bills {rate(found.usd_per_hour)} until somebody stops or destroys it.")
    return Preview(
        needs=Consent.SECOND_PERSON if second else Consent.CONFIRM,
        verdict=asks(context, Role.OPERATOR, f"start {found.name}", second_person=second),
        lines=(line(f"{described(found)}, {found.machine_state} now."), bills),
        button=f"Start {found.name}"[:75],
    )


async def preview_stop(context: Context, arguments: PowerArguments) -> Preview:
    """What it cuts off. It comes back only when the zone has capacity then."""
    capacity_of(context)
    found = await _may_be_switched(context, arguments.name)
    use = await machine_use.use_of(context, found)
    second = machine_use.needs(found, use) is Consent.SECOND_PERSON
    return Preview(
        needs=Consent.SECOND_PERSON if second else Consent.CONFIRM,
        verdict=asks(context, Role.OPERATOR, f"stop {found.name}", second_person=second),
        lines=(line(f"{described(found)}."), _cut_off(use), line("It starts again only if its zone has capacity then.")),
        button=f"Stop {found.name}"[:75],
    )


def _cut_off(use: Use) -> Line:
    return (
        line(f"It still serves {use.deployment}: {use.said}; those are cut off.") if use.serves else line("It serves nobody now.")
    )


async def run_start(context: Context, arguments: PowerArguments) -> Started:
    """Begin."""
    return await _begin(context, arguments, "machine.start", "is being started")


async def run_stop(context: Context, arguments: PowerArguments) -> Started:
    """Begin."""
    return await _begin(context, arguments, "machine.stop", "is being stopped")


async def _begin(context: Context, arguments: PowerArguments, path: str, doing: str) -> Started:
    """Raises RefusedError when it needs a stricter yes by now than the one that was given."""
    before = await begun(context, path, f"{arguments.name} {doing}")
    if before is not None:
        return before
    found = await _may_be_switched(context, arguments.name)
    second = await second_person_said_yes(context)
    serves = path == "machine.stop" and (await machine_use.use_of(context, found)).serves
    if (serves or not found.ours) and not second:
        why = "serves now" if serves else "is not ours"
        raise RefusedError(f"{found.name} {why}: that needs a second person's yes.", next_step="Ask again.")
    switched = Switched(
        name=found.name,
        zone=found.zone,
        others=second and not found.ours,
        rate=rate(found.usd_per_hour),
        asked_at=context.now,
    )
    bills = f"{found.name} bills {switched.rate} unless it is stopped: look with /gemma machine {found.name}"
    return await begin(
        context,
        path,
        arguments,
        f"{found.name} {doing}",
        {"switched": switched.model_dump_json(), BILLS: bills, UNSTOPPABLE: "Google has taken the change"},
    )


async def start(course: Course) -> Move:
    """Ask for it; a repeat finds it starting."""
    switched = _switched(course)
    may = leave(course.yes, others=switched.others)
    operation = await capacity_of(course.context).machines.start(may, switched.zone, switched.name)
    return Move("settling", {"operation": operation.name if operation is not None else ""}, wait_s=1.0)


async def stop(course: Course) -> Move:
    """Ask for it; a repeat finds it stopping."""
    switched = _switched(course)
    may = leave(course.yes, others=switched.others)
    operation = await capacity_of(course.context).machines.stop(may, switched.zone, switched.name)
    return Move("settling", {"operation": operation.name if operation is not None else ""}, wait_s=1.0)


async def until_started(course: Course) -> Move | Ended:
    """Until it is ready."""
    return await _settled(course, MachineState.READY, "runs again")


async def until_stopped(course: Course) -> Move | Ended:
    """Until it is stopped."""
    return await _settled(course, MachineState.STOPPED, "is stopped")


async def _settled(course: Course, wanted: MachineState, said: str) -> Move | Ended:
    """The change must be done, and the machine in its state: on the way down it is shown as stopped before it is."""
    switched, now = _switched(course), course.context.now
    capacity = capacity_of(course.context)
    change = await capacity.provisioner.operation(course.notes["operation"]) if course.notes["operation"] else None
    if change is not None and change.refusal is not None:
        return Ended(_refused(switched, change.refusal.text))
    found = await capacity.machines.machine(switched.zone, switched.name)
    if found is None:
        return Ended(View(verdict=line(bold(f"{switched.name} is gone"), " · somebody deleted it"), shape=Shape.CONCERN))
    if found.state is wanted and (change is None or change.done):
        return Ended(_arrived(switched, said, now, billing=wanted is MachineState.READY))
    if now - switched.asked_at > PATIENCE:
        waited = duration((now - switched.asked_at).total_seconds())
        return Ended(_refused(switched, f"it is {found.state} after {waited}, and I stopped looking"))
    return Move("settling", wait_s=pause_s(switched.asked_at, now))


def _switched(course: Course) -> Switched:
    return Switched.model_validate_json(course.notes["switched"])


def _arrived(switched: Switched, said: str, now: datetime, *, billing: bool) -> View:
    bills = (
        f"It bills {switched.rate} until somebody stops or destroys it." if billing else f"It no longer bills {switched.rate}."
    )
    return View(
        verdict=line(bold(f"{switched.name} {said}"), " since ", When(at=now)),
        shape=Shape.GOOD,
        lines=(line(bills),),
        buttons=(Button(label=f"Look at {switched.name}"[:75], words=f"machine {switched.name}"),),
    )


def _refused(switched: Switched, why: str) -> View:
    return View(
        verdict=line(bold(f"{switched.name} was not switched"), f": {why}"),
        shape=Shape.BAD,
        lines=(line(f"While it is ready it bills {switched.rate}."),),
        buttons=(Button(label=f"Look at {switched.name}"[:75], words=f"machine {switched.name}"),),
    )


MACHINE_START = Operation(
    path="machine.start",
    summary="start a stopped machine, or why it cannot be",
    when_to_use="When a machine was stopped and shall serve again.",
    example="machine start prod-1",
    arguments=PowerArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=20.0,
    tool=True,
    preview=preview_start,
    run=run_start,
    show=never_shown,
    steps={"new": start, "settling": until_started},
    was=("start_v6e4",),
)

MACHINE_STOP = Operation(
    path="machine.stop",
    summary="stop a machine, or why it cannot be",
    when_to_use="When a machine shall not run for a while, and is of a kind that can be stopped.",
    example="machine stop prod-1",
    arguments=PowerArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=20.0,
    tool=True,
    preview=preview_stop,
    run=run_stop,
    show=never_shown,
    steps={"new": stop, "settling": until_stopped},
    was=("stop_v6e4",),
)
