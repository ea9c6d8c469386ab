"""`replace`: a new machine beside the old one, switched to when it answers a known question; only then the old one is ended."""

from datetime import datetime, timedelta

from pydantic import Field

from bot.errors import PersonMovesNext, RefusedError
from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations import choice, engine_up, machine, machine_destroy, replace_view
from bot.operations.bring_up import FIRST, BringUp, Stands, bills
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, begun, never_shown
from bot.operations.deploy import must_cost_no_more
from bot.operations.deploy_plan import Bringing, DeployArguments, work_out
from bot.operations.engine_outcome import Failure
from bot.operations.machine_destroy import Doomed
from bot.operations.machine_plan import LONGEST_S, SHORTEST_S
from bot.operations.machine_steps import PLAN
from bot.operations.machine_use import use_of_engine
from bot.operations.operation import Arguments, Context, Operation, Preview, Queue, Started
from bot.operations.values import Bought, ClockTime, GivenName, Seconds, ZoneName
from bot.view import View

OLD, DOOMED, STANDS, DRAINS, CUT = "old", "doomed", "replaced_by", "drains_since", "cut"
DRAIN = timedelta(minutes=10)
"""Our choice: how long the old engine is left its open requests once nobody is sent there any more."""
SILENCE = timedelta(minutes=2)
"""Our choice: one that says nothing for so long is ended. By then a lost way to it (`gemma tunnel`) stands again."""


class ReplaceArguments(Arguments):
    """Which deployment, how long its new machine runs, and where it is to stand."""

    deployment: GivenName | None = None
    for_: Seconds | None = Field(default=None, ge=SHORTEST_S, le=LONGEST_S)
    until: ClockTime | None = None
    zone: ZoneName | None = None
    bought: Bought | None = None


async def preview(context: Context, arguments: ReplaceArguments) -> Preview:
    """The new machine with price and end, and what both cost while they overlap."""
    found, doomed = await _work_out(context, arguments)
    starts = await engine_up.engines_of(context).wishes.starts(context.services.team_id, found.deployment.name)
    return replace_view.asked(found, doomed, starts)


async def _work_out(context: Context, arguments: ReplaceArguments) -> tuple[Bringing, Doomed]:
    """What is made, and what goes then. Raises PersonMovesNext where there is no machine to replace, RefusedError where it is
    not ours."""
    deployment = await choice.deployment(context, arguments.deployment)
    asked = DeployArguments.model_validate({**arguments.model_dump(), "deployment": deployment.name})
    found = await work_out(context, asked, beside=True)
    name = found.deployment.machine
    if name is None:
        raise PersonMovesNext(
            f"{found.deployment.name} has no machine that I know of.", next_step=f"/gemma deploy {found.deployment.name}"
        )
    old = await machine.find(context, name)
    if old.machine_state is None:
        raise PersonMovesNext(f"{name} does not stand any more.", next_step=f"/gemma deploy {found.deployment.name}")
    if not old.ours:
        raise RefusedError(f"{name} was not made by me, so I do not end it.", next_step="Ask its owner.")
    doomed = Doomed(
        name=old.name,
        zone=old.zone,
        request=old.request,
        machine=old.name,
        stood=True,
        others=False,
        created_at=old.created_at,
        usd_per_hour=old.usd_per_hour,
        asked_at=context.now,
    )
    return found, doomed


async def run(context: Context, arguments: ReplaceArguments) -> Started:
    """Look once more, then begin. Raises RefusedError when it would cost more by now than what was said yes to."""
    before = await begun(context, "replace", "a new machine is being asked for")
    if before is not None:
        return before
    found, doomed = await _work_out(context, arguments)
    assert found.made is not None
    await must_cost_no_more(context, found.usd)
    notes = {
        engine_up.WANTED: found.wanted.model_dump_json(),
        PLAN: found.made.model_dump_json(),
        OLD: found.deployment.model_dump_json(),
        DOOMED: doomed.model_dump_json(),
        "address_before": found.deployment.base_url or "",
        BILLS: bills(found.made),
    }
    said = f"{doomed.name} is being replaced by {found.made.order.machine}; it serves on until that answers"
    return await begin(context, "replace", arguments, said, notes)


async def first(_course: Course) -> Move:
    """On to the new machine."""
    return Move(FIRST)


async def answers(course: Course, stands: Stands) -> Move:
    """From here on the new one is asked. The old one is left its open requests."""
    return Move("draining", {STANDS: stands.model_dump_json(), DRAINS: course.context.now.isoformat(), CUT: ""})


async def drain(course: Course) -> Move:
    """Until nothing runs on the old engine, or it had its time. Unknown is waited for like work; silence is, for a while: the way
    to the engine may be what is lost."""
    now, doomed = course.context.now, _doomed(course)
    use = await use_of_engine(course.context, Deployment.model_validate_json(course.notes[OLD]))
    waited = now - datetime.fromisoformat(course.notes[DRAINS])
    idle = (use.running, use.waiting) == (0, 0) if use.answers else waited > SILENCE
    late = waited > DRAIN
    if not idle and not late:
        return Move("draining", wait_s=5.0, progress=replace_view.drains(course.work_id, doomed, use))
    cut = "" if idle else use.said
    return Move("ending", {DOOMED: doomed.model_copy(update={"asked_at": now}).model_dump_json(), CUT: cut})


async def watch(course: Course) -> Move | Ended:
    """Until the old machine is verified gone."""
    came = await machine_destroy.watch(course)
    return Ended(replace_view.replaced(_stands(course), came.view, course.notes[CUT])) if isinstance(came, Ended) else came


async def failed(course: Course, told: Failure) -> Move:
    """The new engine does not come up: its machine is given back, the old one serves on untouched."""
    move = BRINGS.gets.give_back(f"its engine did not come up: {told.what}"[:300])
    return Move(move.to, {**move.notes, "log": "\n".join(told.log)})


async def no_machine(course: Course, told: View) -> Ended:
    """Nothing is left of the new one."""
    return Ended(replace_view.not_replaced(_doomed(course), told, course.notes.get("log", "").splitlines()))


async def stop(course: Course) -> Move | Ended:
    """Somebody asked to stop: the new machine is given back, unless it serves already; then the old one is left standing."""
    if STANDS in course.notes:
        return Ended(replace_view.kept_both(_stands(course), _doomed(course)))
    return BRINGS.gets.give_back("it was stopped")


def _doomed(course: Course) -> Doomed:
    return Doomed.model_validate_json(course.notes[DOOMED])


def _stands(course: Course) -> Stands:
    return Stands.model_validate_json(course.notes[STANDS])


BRINGS = BringUp(answers, no_machine, failed)

REPLACE = Operation(
    path="replace",
    summary="a new machine beside the old one, switched to when it answers",
    when_to_use="When the machine of a deployment ends soon or is unwell, and nobody shall notice.",
    example="replace prod for 8h",
    arguments=ReplaceArguments,
    effect=Effect.SPENDS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    tool=True,
    preview=preview,
    run=run,
    show=never_shown,
    steps={
        "new": first,
        STOP: stop,
        **BRINGS.steps,
        "draining": drain,
        "ending": machine_destroy.delete,
        "going": watch,
    },
)
