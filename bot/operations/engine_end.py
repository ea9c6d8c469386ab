"""`engine stop` and `engine remove`: the engine ends with grace for its requests; its machine stays and bills."""

from bot.nouns import ContainerState, ContainerStatus, Deployment, Effect, Role, SeenBy
from bot.operations import choice, engine_cuts, engine_progress, engine_wanted
from bot.operations.course import BILLS, Course, Ended, Move, begin, begun, never_shown
from bot.operations.engine_up import OTHERS, PLACE, engines_of, place_of
from bot.operations.engine_wanted import EngineArguments
from bot.operations.execute import leave
from bot.operations.machine_words import asks
from bot.operations.operation import Consent, Context, Operation, Preview, Queue, Started
from bot.ports.stores import UNSTOPPABLE
from bot.view import Button, Line, Shape, View, When, bold, line

_KEPT = {
    "stop": "Its container stays, so a start needs no download; programs that were compiled are kept.",
    "remove": "Its container goes; image and compiled programs stay on the machine.",
}


async def preview_stop(context: Context, arguments: EngineArguments) -> Preview:
    """Whom it cuts off, and that the machine bills on."""
    return await _preview(context, arguments, "stop")


async def preview_remove(context: Context, arguments: EngineArguments) -> Preview:
    """The same for removing."""
    return await _preview(context, arguments, "remove")


async def _preview(context: Context, arguments: EngineArguments, doing: str) -> Preview:
    deployment = await choice.deployment(context, arguments.deployment)
    seen = await engine_cuts.cuts(context, deployment)
    second = seen.needs is Consent.SECOND_PERSON
    asked = asks(context, Role.OPERATOR, f"{doing} {deployment.name}'s engine", second_person=second)
    price = await engine_wanted.hourly_rate(context, deployment)
    return Preview(
        needs=seen.needs,
        verdict=(*asked, *line(f" on {deployment.machine}: {seen.said}")),
        lines=(
            engine_cuts.requests_end(seen),
            line(_KEPT[doing]),
            line(engine_wanted.bills(deployment, price)),
            await _to_start(context, deployment),
        ),
        button=f"{doing.capitalize()} {deployment.name}"[:75],
    )


async def _to_start(context: Context, deployment: Deployment) -> Line:
    team, wishes = context.services.team_id, engines_of(context).wishes
    if await wishes.current(team, deployment.name) is None:
        return line("I did not start this engine, so I could not start it again.")
    starts = await wishes.starts(team, deployment.name)
    told = f" ({engine_progress.last_starts(starts)})" if starts else ""
    return line(f"To start it again takes {engine_progress.expected(starts)}{told}.")


async def run_stop(context: Context, arguments: EngineArguments) -> Started:
    """Begin."""
    return await _begin(context, arguments, "engine.stop", "is being stopped")


async def run_remove(context: Context, arguments: EngineArguments) -> Started:
    """Begin."""
    return await _begin(context, arguments, "engine.remove", "is being removed")


async def _begin(context: Context, arguments: EngineArguments, path: str, doing: str) -> Started:
    """Raises RefusedError when it needs a stricter yes by now than the one that was given."""
    before = await begun(context, path, f"the engine {doing}")
    if before is not None:
        return before
    deployment = await choice.deployment(context, arguments.deployment)
    others = await engine_cuts.allowed(context, await engine_cuts.cuts(context, deployment))
    price = await engine_wanted.hourly_rate(context, deployment)
    notes = {
        PLACE: deployment.model_dump_json(),
        OTHERS: "1" if others else "",
        BILLS: engine_wanted.bills(deployment, price),
        UNSTOPPABLE: "it takes half a minute",
    }
    return await begin(context, path, arguments, f"{deployment.name}'s engine {doing}", notes)


async def stop(course: Course) -> Move | Ended:
    """End it; what has ended already is as good."""
    place, engines = place_of(course.notes), engines_of(course.context)
    may = leave(course.yes, others=bool(course.notes.get(OTHERS)))
    status = await engines.control.stop(await engines.hosts.host(place), may)
    return Ended(_ended(course, place, status, "is stopped"))


async def remove(course: Course) -> Move | Ended:
    """End it, with grace, then take the container away; what is gone already is as good."""
    place, engines = place_of(course.notes), engines_of(course.context)
    may = leave(course.yes, others=bool(course.notes.get(OTHERS)))
    host = await engines.hosts.host(place)
    await engines.control.stop(host, may)
    return Ended(_ended(course, place, await engines.control.remove(host, may), "is removed"))


def _ended(course: Course, place: Deployment, status: ContainerStatus, said: str) -> View:
    gone = status.state is ContainerState.ABSENT
    what = f"{place.name}'s engine {'is gone' if gone and said == 'is stopped' else said}"
    code = f" · it ended with code {status.exit_code}" if status.exit_code else ""
    return View(
        verdict=line(bold(what), " since ", When(at=status.since or course.context.now), code),
        shape=Shape.CONCERN,
        lines=(line(course.notes[BILLS]),),
        buttons=(
            Button(label=f"Start {place.name}"[:75], words=f"engine start {place.name}"),
            Button(label=f"Destroy {place.machine}"[:75], words=f"machine destroy {place.machine}"),
        ),
    )


ENGINE_STOP = Operation(
    path="engine.stop",
    summary="end the engine; its machine stays and bills",
    when_to_use="When an engine shall not serve for a while and its machine is still needed.",
    example="engine stop prod",
    arguments=EngineArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    preview=preview_stop,
    run=run_stop,
    show=never_shown,
    steps={"new": stop},
)

ENGINE_REMOVE = Operation(
    path="engine.remove",
    summary="end the engine and take its container away",
    when_to_use="When another engine shall have the TPU of this machine.",
    example="engine remove prod",
    arguments=EngineArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=30.0,
    preview=preview_remove,
    run=run_remove,
    show=never_shown,
    steps={"new": remove},
)
