"""`deploy DEPLOYMENT`: a machine of ours that fits, or a new one with an end; its engine; and where it answers then."""

from datetime import datetime

from bot.errors import RefusedError
from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations import deploy_view, engine_cuts, engine_not_up, engine_progress, engine_up, engine_wanted
from bot.operations.bring_up import FIRST, WRITE_SCRIPT, BringUp, Stands, bills, recorded
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, begun, never_shown
from bot.operations.deploy_plan import Also, Bringing, DeployArguments, work_out
from bot.operations.engine_outcome import Failure
from bot.operations.machine_steps import PLAN, plan_of
from bot.operations.machine_use import use_of_engine
from bot.operations.operation import Context, Operation, Preview, Queue, Started
from bot.view import View

ALSO, BEFORE = "also", "address_before"


async def preview(context: Context, arguments: DeployArguments) -> Preview:
    """What it makes or uses, what fits, the most that it costs, its end, how long it takes, what else of ours would bill on."""
    found = await work_out(context, arguments)
    starts = await engine_up.engines_of(context).wishes.starts(context.services.team_id, found.deployment.name)
    usual = engine_progress.usual(starts)
    if found.on is None:
        return deploy_view.asked_new(found, usual)
    seen = await engine_cuts.cuts(context, _place(found))
    needs = seen.needs
    return deploy_view.asked_on(found, usual, needs, engine_cuts.requests_end(seen), context)


async def run(context: Context, arguments: DeployArguments) -> Started:
    """Look once more, then begin. Raises RefusedError when it would cost more by now than what was said yes to."""
    before = await begun(context, "deploy", f"{arguments.deployment} is being brought up")
    if before is not None:
        return before
    found = await work_out(context, arguments)
    await must_cost_no_more(context, found.usd)
    notes = {
        engine_up.WANTED: found.wanted.model_dump_json(),
        BEFORE: found.deployment.base_url or "",
        ALSO: "\n".join(one.model_dump_json() for one in found.also),
        **(await _on(context, found) if found.on is not None else _new(found)),
    }
    where = found.on.name if found.on is not None else "a new machine"
    return await begin(context, "deploy", arguments, f"{found.deployment.name} is being brought up on {where}", notes)


def _new(found: Bringing) -> dict[str, str]:
    assert found.made is not None
    return {PLAN: found.made.model_dump_json(), BILLS: bills(found.made)}


async def _on(context: Context, found: Bringing) -> dict[str, str]:
    """Its machine stands and bills anyhow; a container of somebody else's there needs a second person's yes."""
    place = _place(found)
    others = await engine_cuts.allowed(context, await engine_cuts.cuts(context, place))
    price = await engine_wanted.hourly_rate(context, place)
    return {
        engine_up.PLACE: place.model_copy(update={"ends_at": await _end(context, place)}).model_dump_json(),
        engine_up.OTHERS: "1" if others else "",
        WRITE_SCRIPT: "1",
        BILLS: engine_wanted.bills(place, price),
    }


async def must_cost_no_more(context: Context, usd: float | None) -> None:
    """Raises RefusedError when it became dearer than what the yes was given to: a machine went, or a price changed."""
    approval = context.request.approval if context.request is not None else None
    question = await context.services.approvals.get(approval) if approval is not None else None
    if question is None or question.usd is None:
        return
    if usd is None or usd > question.usd + 0.01:
        raise RefusedError("It would cost more now than what was said yes to: something changed since.", next_step="Ask again.")


def _place(found: Bringing) -> Deployment:
    assert found.on is not None
    on = found.on
    update = {"machine": on.name, "zone": on.zone.name, "accelerator": on.accelerator, "ends_at": on.ends_at}
    same = found.deployment.machine == found.on.name
    return found.deployment.model_copy(update=update if same else {**update, "base_url": None})


async def _end(context: Context, place: Deployment) -> datetime | None:
    leases = context.services.leases
    known = await leases.all(context.services.team_id) if leases is not None else ()
    mine = next((one.ends_at for one in known if (one.zone, one.machine) == (place.zone, place.machine)), None)
    return mine or place.ends_at


async def first(course: Course) -> Move:
    """To a machine that is to be made, or to the engine on one that stands."""
    return Move(FIRST if PLAN in course.notes else engine_up.FIRST)


async def answers(course: Course, stands: Stands) -> Ended:
    """Announce it."""
    price = await engine_wanted.hourly_rate(course.context, stands.place)
    also = tuple(Also.model_validate_json(one) for one in course.notes[ALSO].splitlines())
    made = plan_of(course) if PLAN in course.notes else None
    return Ended(deploy_view.answers(stands, made, price, also))


async def no_machine(_course: Course, told: View) -> Ended:
    """There is none, and nothing bills."""
    return Ended(told)


async def failed(course: Course, told: Failure) -> Ended:
    """Its machine stands and bills, its engine does not come up. What served before is left as it is; where nothing does, the
    deployment stands on the new machine from now on, so that `engine restart` reaches it."""
    place, wanted, context = engine_up.place_of(course.notes), engine_up.wanted_of(course.notes), course.context
    team, house = context.services.team_id, context.services.house
    now = next((one for one in await context.services.deployments.all(team) if one.name == place.name), place)
    serves = now.base_url is not None and now.machine != place.machine and (await use_of_engine(context, now)).answers
    if house is not None and not serves:
        await house.setups.settle(team, recorded(place, wanted, now.base_url if now.machine == place.machine else None))
    starts = await engine_up.engines_of(context).wishes.starts(team, place.name)
    price = await engine_wanted.hourly_rate(context, place)
    view = engine_not_up.view(place, wanted, told, starts, price)
    return Ended(deploy_view.still_served(view, now) if serves else view)


async def stop(course: Course) -> Move | Ended:
    """Somebody asked to stop. A machine that is not there yet is taken back; one that is ready stays until somebody ends it."""
    if engine_up.PLACE not in course.notes:
        return BRINGS.gets.give_back("it was stopped") if PLAN in course.notes else Move(FIRST)
    place = engine_up.place_of(course.notes)
    return Ended(deploy_view.stopped(place, course.notes[BILLS]))


BRINGS = BringUp(answers, no_machine, failed)

DEPLOY = Operation(
    path="deploy",
    summary="a deployment on one machine of ours, from capacity to the first right answer",
    when_to_use="When a deployment shall serve: for the day, after its machine ended, or for the first time.",
    example="deploy prod for 8h zone us-east5-a",
    arguments=DeployArguments,
    effect=Effect.SPENDS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    tool=True,
    preview=preview,
    run=run,
    show=never_shown,
    steps={"new": first, STOP: stop, **BRINGS.steps},
    was=("manage_queued_resource",),
)
