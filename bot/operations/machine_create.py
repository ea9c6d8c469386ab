"""`machine create NAME slice zone Z`: one machine, for whom has a zone in mind; waiting for capacity is no failure."""

from datetime import datetime

from bot.nouns import Effect, Machine, Role, SeenBy
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, never_shown
from bot.operations.machine_made import ready
from bot.operations.machine_plan import CreateArguments, Plan, plan
from bot.operations.machine_steps import ASKED_AT, PLAN, MachineSteps
from bot.operations.machine_terms import costs, must_be_free, must_be_possible, terms
from bot.operations.machine_words import rate
from bot.operations.operation import Consent, Context, Operation, Preview, Queue, Started
from bot.view import View, bold, line


async def preview(context: Context, arguments: CreateArguments) -> Preview:
    """Price, the most it can cost, the end. Raises UsageError when it exists already or cannot stand in that zone."""
    made = plan(context, arguments)
    await must_be_free(context, made)
    await must_be_possible(context, made)
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line(bold(f"Create {made.order.machine}: {made.order.piece.name}"), f" in {made.order.zone.name}, {costs(made)}"),
        lines=terms(made),
        button=f"Create {made.order.machine}, {'price unknown' if made.usd is None else rate(made.usd_per_hour)}"[:75],
        usd=made.usd,
    )


async def run(context: Context, arguments: CreateArguments) -> Started:
    """Begin. What the machine is to be is worked out here once and for all."""
    made = plan(context, arguments)
    order = made.order
    may = f"{order.name} may stand in {order.zone.name} and become a machine for {rate(made.usd_per_hour)}"
    notes = {
        PLAN: made.model_dump_json(),
        ASKED_AT: context.now.isoformat(),
        BILLS: f"{may}: look with /gemma machine {order.machine}",
    }
    said = f"asking for {order.machine}, a {order.piece.name} in {order.zone.name}"
    return await begin(context, "machine.create", arguments, said, notes)


async def _ready(course: Course, made: Plan, machine: Machine, ends: datetime) -> Ended:
    return Ended(ready(made, machine, ends, course.context.now))


async def _nothing(_course: Course, told: View) -> Ended:
    return Ended(told)


GETS = MachineSteps(_ready, _nothing)


async def stop(_course: Course) -> Move:
    """Somebody asked to stop: whatever was asked for is taken back."""
    return GETS.give_back("it was stopped")


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
    steps={**GETS.steps, STOP: stop},
    was=("create_tpu_queued_resource",),
)
