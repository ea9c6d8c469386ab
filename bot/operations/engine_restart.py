"""`engine start` and `engine restart`: the engine as it was wanted last, or with other values, until it answers rightly."""

from bot.nouns import ContainerState, Deployment, Effect, Role, SeenBy
from bot.operations import engine_cuts, engine_not_up, engine_up, engine_wanted
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, begun, never_shown
from bot.operations.engine_outcome import Failure, Up
from bot.operations.engine_wanted import EngineArguments, Meant, RestartArguments
from bot.operations.machine_words import asks
from bot.operations.operation import Consent, Context, Operation, Preview, Queue, Started
from bot.operations.wording import duration
from bot.view import Button, Line, Shape, View, When, bold, line


async def preview_start(context: Context, arguments: EngineArguments) -> Preview:
    """What would run, and how long until it answers."""
    return await _preview(context, arguments, "start")


async def preview_restart(context: Context, arguments: RestartArguments) -> Preview:
    """Whom it cuts off and for how long, and what differs afterwards."""
    return await _preview(context, arguments, "restart")


async def _preview(context: Context, arguments: EngineArguments, doing: str) -> Preview:
    found = await engine_wanted.meant(context, arguments)
    seen = await engine_cuts.cuts(context, found.deployment)
    name = found.deployment.name
    second = seen.needs is Consent.SECOND_PERSON
    asked = asks(context, Role.OPERATOR, f"{doing} {name}'s engine", second_person=second)
    return Preview(
        needs=seen.needs,
        verdict=(*asked, *line(f" on {found.deployment.machine}: {seen.said}")),
        lines=(engine_cuts.requests_end(seen), *_differs(found), await engine_cuts.back_in(context, found.deployment)),
        button=f"{doing.capitalize()} {name}"[:75],
    )


def _differs(found: Meant) -> tuple[Line, ...]:
    return (line(f"It starts with {', '.join(found.differences)}."),) if found.differences else ()


async def run_start(context: Context, arguments: EngineArguments) -> Started:
    """Begin; what runs as wanted is left alone."""
    return await _begin(context, arguments, "engine.start", "is being started")


async def run_restart(context: Context, arguments: RestartArguments) -> Started:
    """Begin; what runs is ended first, also when it is as wanted."""
    return await _begin(context, arguments, "engine.restart", "is being restarted", afresh=True)


async def _begin(context: Context, arguments: EngineArguments, path: str, doing: str, *, afresh: bool = False) -> Started:
    """Raises RefusedError when it needs a stricter yes by now than the one that was given."""
    before = await begun(context, path, f"the engine {doing}")
    if before is not None:
        return before
    found = await engine_wanted.meant(context, arguments)
    others = await engine_cuts.allowed(context, await engine_cuts.cuts(context, found.deployment))
    price = await engine_wanted.hourly_rate(context, found.deployment)
    notes = {
        engine_up.WANTED: found.wanted.model_dump_json(),
        engine_up.PLACE: found.deployment.model_dump_json(),
        engine_up.AFRESH: "1" if afresh else "",
        engine_up.OTHERS: "1" if others else "",
        BILLS: engine_wanted.bills(found.deployment, price),
    }
    return await begin(context, path, arguments, f"{found.deployment.name}'s engine {doing}", notes)


async def first(_course: Course) -> Move:
    """On to the steps that all starts share."""
    return Move(engine_up.FIRST)


async def stop(course: Course) -> Ended:
    """Somebody asked to stop. What the machine was told to start goes on there: ending it is another wish."""
    place, engines = engine_up.place_of(course.notes), engine_up.engines_of(course.context)
    status = await engines.control.status(await engines.hosts.host(place))
    runs = status.state is ContainerState.RUNNING
    stays = "its container runs, and goes on by itself" if runs else f"its container is {status.state}"
    other = Button(label=f"Stop {place.name}" if runs else f"Start {place.name}", words=f"engine {_other(runs)} {place.name}")
    return Ended(
        View(
            verdict=line(bold(f"I stopped watching {place.name}"), f": {stays}"),
            shape=Shape.CONCERN,
            buttons=(_status(place), other),
        )
    )


def _other(runs: bool) -> str:
    return "stop" if runs else "start"


async def up(course: Course, told: Up) -> Ended:
    """It answers."""
    place, context = engine_up.place_of(course.notes), course.context
    took = f" · answers after {duration(told.took_s)}" if told.fresh else " · it ran as wanted already, so I left it alone"
    phases = " · ".join(
        f"{one.name} {duration(one.seconds)}" for one in told.phases if one.seconds is not None and one.seconds >= 1
    )
    return Ended(
        View(
            verdict=line(bold(f"{place.name} answers"), " since ", When(at=context.now), took),
            shape=Shape.GOOD,
            lines=(line(f"Its start: {phases}."),) if phases and told.fresh else (),
            buttons=(Button(label=f"Status of {place.name}"[:75], words=f"status {place.name}"), _status(place)),
        )
    )


async def failed(course: Course, told: Failure) -> Ended:
    """It does not; why, and what would do."""
    place, context = engine_up.place_of(course.notes), course.context
    starts = await engine_up.engines_of(context).wishes.starts(context.services.team_id, place.name)
    price = await engine_wanted.hourly_rate(context, place)
    return Ended(engine_not_up.view(place, engine_up.wanted_of(course.notes), told, starts, price))


def _status(place: Deployment) -> Button:
    return Button(label="Engine status", words=f"engine status {place.name}")


STEPS = {"new": first, STOP: stop, **engine_up.steps(up, failed)}

ENGINE_START = Operation(
    path="engine.start",
    summary="start the engine as it was wanted last, and watch until it answers",
    when_to_use="When the machine is up and its engine is stopped or gone.",
    example="engine start prod",
    arguments=EngineArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    tool=True,
    preview=preview_start,
    run=run_start,
    show=never_shown,
    steps=STEPS,
    was=("manage_vllm_docker",),
)

ENGINE_RESTART = Operation(
    path="engine.restart",
    summary="end the engine and start it again, also with another context or cache",
    when_to_use="When the engine hangs or died, or its start failed and another value would do.",
    example="engine restart prod utilization=0.92",
    arguments=RestartArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    tool=True,
    preview=preview_restart,
    run=run_restart,
    show=never_shown,
    steps=STEPS,
)
