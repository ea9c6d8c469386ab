"""`change` and `rollback`: the engine with other values on the same machine, what differs and whom it cuts off said first."""

from pydantic import Field

from bot.errors import UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations import change_view, engine_cuts, engine_not_up, engine_up, engine_wanted
from bot.operations.bring_up import WRITE_SCRIPT, BringUp, Stands
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, begun, never_shown
from bot.operations.engine_outcome import Failure
from bot.operations.engine_restart import stop
from bot.operations.engine_wanted import EngineArguments, Meant, RestartArguments, differences, must_fit
from bot.operations.operation import Context, Operation, Preview, Queue, Started
from bot.operations.values import RestOfLine
from bot.serving.specification import EngineSpecification
from bot.view import View

DIFFERS = "differs"


class ChangeArguments(RestartArguments):
    """What is to differ. `flags` takes the rest of the line, `flags=none` takes all further flags away."""

    image: str | None = Field(default=None, max_length=400)
    flags: RestOfLine | None = None


async def preview_change(context: Context, arguments: ChangeArguments) -> Preview:
    """The difference, whether it fits, whom it cuts off and for how long."""
    return await _preview(context, await _changed(context, arguments), "change")


async def preview_rollback(context: Context, arguments: EngineArguments) -> Preview:
    """The same, back to what was wanted before."""
    return await _preview(context, await _before(context, arguments), "roll back")


async def _preview(context: Context, found: Meant, doing: str) -> Preview:
    seen = await engine_cuts.cuts(context, found.deployment)
    back = await engine_cuts.back_in(context, found.deployment)
    return change_view.asked(context, found, seen, back, doing)


async def _changed(context: Context, arguments: ChangeArguments) -> Meant:
    """Raises UsageError when nothing would differ."""
    found = await engine_wanted.meant(context, arguments)
    if not found.differences:
        name = found.deployment.name
        raise UsageError(
            f"Nothing would differ: {name} is wanted so already.",
            usage=f"change {name} context=32K utilization=0.92 image=vllm/vllm-tpu:v0.26.0 cache=fp8",
            next_step=f"To start the same afresh: engine restart {name}.",
        )
    return found


async def _before(context: Context, arguments: EngineArguments) -> Meant:
    """The newest wish that differs from the present one. Raises UsageError when there is none."""
    now = await engine_wanted.meant(context, EngineArguments(deployment=arguments.deployment))
    past = await engine_up.engines_of(context).wishes.past(context.services.team_id, now.deployment.name)
    wish = next((one for one in past if one.fingerprint != now.wanted.fingerprint), None)
    if wish is None:
        raise UsageError(
            f"{now.deployment.name} was never wanted otherwise, so there is nothing to go back to.",
            next_step=f"To change it: change {now.deployment.name} context=32K.",
        )
    wanted = must_fit(EngineSpecification.model_validate_json(wish.specification))
    if wanted.piece != now.wanted.piece:
        raise UsageError(
            f"Before, it was wanted on a {wanted.piece.name}, and its machine is a {now.wanted.piece.name}.",
            near=(f"deploy {now.deployment.name} {wanted.piece.name}",),
            next_step="That takes another machine:",
        )
    return Meant(now.deployment, wanted, differences(now.wanted, wanted))


async def run_change(context: Context, arguments: ChangeArguments) -> Started:
    """Begin. What is changed is worked out here once and for all."""
    before = await begun(context, "change", "the engine is being changed")
    return before or await _begin(context, arguments, "change", await _changed(context, arguments))


async def run_rollback(context: Context, arguments: EngineArguments) -> Started:
    """Begin."""
    before = await begun(context, "rollback", "the engine goes back")
    return before or await _begin(context, arguments, "rollback", await _before(context, arguments))


async def _begin(context: Context, arguments: EngineArguments, path: str, found: Meant) -> Started:
    """Raises RefusedError when it needs a stricter yes by now than the one that was given."""
    others = await engine_cuts.allowed(context, await engine_cuts.cuts(context, found.deployment))
    price = await engine_wanted.hourly_rate(context, found.deployment)
    notes = {
        engine_up.WANTED: found.wanted.model_dump_json(),
        engine_up.PLACE: found.deployment.model_dump_json(),
        engine_up.OTHERS: "1" if others else "",
        WRITE_SCRIPT: "1",
        DIFFERS: "\n".join(found.differences),
        "address_before": found.deployment.base_url or "",
        BILLS: engine_wanted.bills(found.deployment, price),
    }
    return await begin(context, path, arguments, f"{found.deployment.name} is being changed", notes)


async def first(_course: Course) -> Move:
    """On to the steps that all starts share."""
    return Move(engine_up.FIRST)


async def answers(course: Course, stands: Stands) -> Ended:
    """It answers, as it is wanted now."""
    context = course.context
    starts = await engine_up.engines_of(context).wishes.starts(context.services.team_id, stands.place.name)
    return Ended(change_view.answers(stands, tuple(course.notes[DIFFERS].splitlines()), starts))


async def failed(course: Course, told: Failure) -> Ended:
    """Why it does not come up. Going back is offered where the engine before was ended for it."""
    place, wanted, context = engine_up.place_of(course.notes), engine_up.wanted_of(course.notes), course.context
    wishes, team = engine_up.engines_of(context).wishes, context.services.team_id
    starts, current = await wishes.starts(team, place.name), await wishes.current(team, place.name)
    view = engine_not_up.view(place, wanted, told, starts, await engine_wanted.hourly_rate(context, place))
    ended = current is not None and current.fingerprint == wanted.fingerprint
    return Ended(change_view.can_go_back(view, place, starts) if ended else change_view.untouched(view, place))


async def no_machine(_course: Course, told: View) -> Ended:
    """Never: the machine stands."""
    return Ended(told)


STEPS = {"new": first, STOP: stop, **BringUp(answers, no_machine, failed).steps}

CHANGE = Operation(
    path="change",
    summary="other values for the engine (context, cache, image, flags), with a way back",
    when_to_use="When the engine shall run otherwise than it does, on the machine that it has.",
    example="change prod context=32K utilization=0.92",
    arguments=ChangeArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    tool=True,
    preview=preview_change,
    run=run_change,
    show=never_shown,
    steps=STEPS,
)

ROLLBACK = Operation(
    path="rollback",
    summary="the engine as it was wanted before the last change",
    when_to_use="When a change made it worse, or what was changed does not start.",
    example="rollback prod",
    arguments=EngineArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    tool=True,
    preview=preview_rollback,
    run=run_rollback,
    show=never_shown,
    steps=STEPS,
)
