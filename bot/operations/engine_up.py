"""Steps of long work that bring one engine up on a machine that stands: put into any operation's `steps`.

They read the notes `wanted` (an EngineSpecification as JSON) and `place` (a Deployment as JSON: name, machine, zone); with the
note `afresh` a container that runs as wanted is ended first. `then` is called once the engine answered a known question,
`failed` when it surely does not come up; both say how the work goes on. What is wanted is remembered (`Wishes`) before the
container is touched, so that after a failure `engine restart` tries the same again and `rollback` goes to the one before.
Each step may be taken again after a crash: it looks before it acts, and sends nothing twice.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

from bot.errors import NotConnectedError, PersonMovesNext, RetryLater
from bot.machine.start_report import look
from bot.machine.ways import is_loopback
from bot.nouns import Container, ContainerState, ContainerStatus, Deployment, EngineStart, Wish
from bot.operations import engine_failure, engine_progress
from bot.operations.course import Course, Ended, Move, pause_s
from bot.operations.engine_outcome import Failure, Up
from bot.operations.execute import leave
from bot.operations.health_probes import Probe, body, wrong
from bot.operations.operation import Context
from bot.operations.wording import duration
from bot.ports import Authorised, Engines, Host, KeyRefusedError
from bot.serving.container import container_of
from bot.serving.places import PHASE_KEY, PHASE_NAMESPACE
from bot.serving.specification import EngineExposure, EngineSpecification

FIRST = "engine"
PREPARING, STOPPING, STARTING, WATCHING, ASKING = (
    f"{FIRST}-{what}" for what in ("preparing", "stopping", "starting", "watching", "asking")
)
WANTED, PLACE, AFRESH, OTHERS = "wanted", "place", "afresh", "others"
_BEGAN, _STARTED, _FRESH, _WRONG = "engine_began", "engine_started", "engine_fresh", "engine_wrong"

KEY_PATIENCE = timedelta(minutes=5)
"""Our choice. A key in metadata takes up to a minute until the machine knows it (gcloud tries for 50 s)."""
SCRIPT_PATIENCE = timedelta(minutes=40)
"""How old a phase of the start-up script may be and still count as going on: pulling the image takes up to 30 minutes."""
ANSWER_S = 20.0
WRONG_LIMIT = 3
"""Wrong answers in a row after which it counts as not working."""
_SCRIPT_WORKS = {"booting", "docker", "secrets", "pulling", "starting"}
_RUNS = {ContainerState.RUNNING, ContainerState.RESTARTING}

Step = Callable[[Course], Awaitable[Move | Ended]]
Then = Callable[[Course, Up], Awaitable[Move | Ended]]
Failed = Callable[[Course, Failure], Awaitable[Move | Ended]]


def steps(then: Then, failed: Failed) -> dict[str, Step]:
    """The steps, to be merged into an operation's own; the first one is FIRST."""

    async def ask(course: Course) -> Move | Ended:
        return await _ask(course, then, failed)

    async def watch(course: Course) -> Move | Ended:
        return await _watch(course, failed)

    async def prepare(course: Course) -> Move | Ended:
        return await _prepare(course, failed)

    bounded = {PREPARING: prepare, STOPPING: _stop, STARTING: _start, WATCHING: watch, ASKING: ask}
    return {FIRST: _begin, **{state: _bounded(state, step, failed) for state, step in bounded.items()}}


def engines_of(context: Context) -> Engines:
    """The engines. Raises NotConnectedError where no machine can be reached."""
    if context.services.engines is None:
        raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
    return context.services.engines


def wanted_of(notes: Mapping[str, str]) -> EngineSpecification:
    """What is wanted, as noted."""
    return EngineSpecification.model_validate_json(notes[WANTED])


def place_of(notes: Mapping[str, str]) -> Deployment:
    """Where, as noted."""
    return Deployment.model_validate_json(notes[PLACE])


def _bounded(state: str, step: Step, failed: Failed) -> Step:
    """The same with an end: to its time, and for every no that is not passing trouble."""

    async def taken(course: Course) -> Move | Ended:
        since = course.context.now - datetime.fromisoformat(course.notes[_BEGAN])
        deadline = engines_of(course.context).start_deadline
        if since > deadline:
            return await failed(course, await _too_late(course, deadline))
        try:
            return await step(course)
        except KeyRefusedError as error:
            if since < KEY_PATIENCE:
                return Move(state, wait_s=10.0)
            return await failed(course, Failure.of(error))
        except PersonMovesNext as error:
            return await failed(course, Failure.of(error))

    return taken


async def _begin(course: Course) -> Move:
    """The time counts from here."""
    return Move(PREPARING, {_BEGAN: course.context.now.isoformat(), _STARTED: "", _FRESH: "", _WRONG: "0"})


async def _prepare(course: Course, failed: Failed) -> Move | Ended:
    """Until secrets and image are there; the old engine serves on meanwhile. A start-up script that is at work is waited for."""
    engines, container = engines_of(course.context), _container(course)
    works = await _script_works(course)
    if works is not None:
        return await _wait(course, PREPARING, f"its machine's start-up script is at “{works}”")
    host = await engines.hosts.host(place_of(course.notes))
    found = await engines.control.status(host, container)
    if _runs_as_wanted(found) and not course.notes.get(AFRESH):
        return Move(WATCHING, {_STARTED: _since(course, found)})
    prepared = await engines.control.prepare(host, container, _may(course))
    if prepared.failed is not None:
        return await failed(course, engine_failure.unprepared(host, prepared))
    if not prepared.done:
        return await _wait(course, PREPARING, prepared.doing)
    return Move(STOPPING)


async def _stop(course: Course) -> Move:
    """End what runs otherwise, or is to be started afresh, with grace for its requests."""
    engines = engines_of(course.context)
    host = await engines.hosts.host(place_of(course.notes))
    found = await engines.control.status(host, _container(course))
    if found.state in _RUNS and not (_runs_as_wanted(found) and not course.notes.get(AFRESH)):
        await engines.control.stop(host, _may(course))
    return Move(STARTING)


async def _start(course: Course) -> Move:
    """Start what is wanted; what this step started before a crash runs as wanted and stays."""
    engines = engines_of(course.context)
    host = await engines.hosts.host(place_of(course.notes))
    await _remember(course, engines)
    found = await engines.control.start(host, _container(course), _may(course))
    return Move(WATCHING, {_STARTED: _since(course, found), _FRESH: "1"}, wait_s=1.0)


async def _watch(course: Course, failed: Failed) -> Move | Ended:
    """Until its log says that it serves. A container that ended, or a known failure in the log, is the end at once."""
    engines, container = engines_of(course.context), _container(course)
    host = await engines.hosts.host(place_of(course.notes))
    sight = await look(engines.control, host, container)
    if sight.start.state == "ready":
        return Move(ASKING)
    if sight.start.state in {"failed", "absent", "stopped"} or sight.status.restarts:
        return await failed(course, await engine_failure.why(engines, host, sight))
    return await _wait(course, WATCHING, engine_progress.phase(sight.start, course.context.now))


async def _ask(course: Course, then: Then, failed: Failed) -> Move | Ended:
    """Ready is what answers a known question, asked on the machine's own port through SSH."""
    engines, container = engines_of(course.context), _container(course)
    place = place_of(course.notes)
    host = await engines.hosts.host(place)
    async with engines.shell.forward_local(host, container.port) as forward:
        reached = place.model_copy(update={"base_url": f"http://127.0.0.1:{forward.port}"})
        served = await course.context.services.engine.models(reached)
        if not served:
            return await _wait(course, ASKING, "it lists no model yet")
        answer = await course.context.services.engine.chat(reached, body(Probe.ARITHMETIC, served[0].id), ANSWER_S)
    why = wrong(Probe.ARITHMETIC, answer)
    if why is None:
        return await then(course, await _up(course, engines, host))
    count = int(course.notes[_WRONG]) + 1
    if count >= WRONG_LIMIT:
        return await failed(course, Failure(what=f"it answers, but wrongly: asked for 17 + 25, {why}"))
    return Move(ASKING, {_WRONG: str(count)}, wait_s=5.0)


async def _up(course: Course, engines: Engines, host: Host) -> Up:
    """What came up, with the time that its start took; kept for those who ask how long it usually takes."""
    wanted, services = wanted_of(course.notes), course.context.services
    sight = await look(engines.control, host, _container(course))
    since, fresh = datetime.fromisoformat(course.notes[_STARTED]), bool(course.notes[_FRESH])
    took = (course.context.now - since).total_seconds()
    if fresh:
        start = EngineStart(at=course.context.now, seconds=took, work=course.work_id, fingerprint=wanted.fingerprint)
        await engines.wishes.note_start(services.team_id, wanted.deployment, start)
    return Up(base_url=_address(wanted, host), since=since, took_s=took, phases=sight.start.startup.phases, fresh=fresh)


async def _remember(course: Course, engines: Engines) -> None:
    """What is wanted from now on; the same again is no new wish, or going back would lead nowhere."""
    wanted, context = wanted_of(course.notes), course.context
    current = await engines.wishes.current(context.services.team_id, wanted.deployment)
    if current is not None and current.fingerprint == wanted.fingerprint:
        return
    made = Wish(
        deployment=wanted.deployment,
        specification=wanted.model_dump_json(),
        fingerprint=wanted.fingerprint,
        at=context.now,
        by=context.actor.user_id,
        work=course.work_id,
        why=context.request.words[:300] if context.request is not None else context.asked,
    )
    await engines.wishes.put(context.services.team_id, made)


async def _too_late(course: Course, deadline: timedelta) -> Failure:
    """Where it stood when the time was over, as far as that can be told."""
    engines = engines_of(course.context)
    try:
        host = await engines.hosts.host(place_of(course.notes))
        sight = await look(engines.control, host, _container(course))
    except (RetryLater, PersonMovesNext) as error:
        return Failure(what=f"it did not answer within {duration(deadline.total_seconds())}; {error}")
    return engine_failure.too_late(sight, deadline, course.context.now)


async def _script_works(course: Course) -> str | None:
    """The phase that the machine's start-up script is in, while it brings things up itself; None when it is not at work.

    Anybody with root on the machine writes this: it is only waited for, and not longer than a script may take.
    """
    place, capacity = place_of(course.notes), course.context.services.capacity
    if capacity is None or place.zone is None or place.machine is None:
        return None
    name = f"{PHASE_NAMESPACE}/{PHASE_KEY}"
    told = (await capacity.machines.guest_attributes(place.zone, place.machine, name)).get(name, "")
    word, _, moment = told.partition(" ")
    if word not in _SCRIPT_WORKS or not moment.isascii() or not moment.isdigit() or len(moment) > 12:
        return None
    age = course.context.now.timestamp() - int(moment)
    return word if age < SCRIPT_PATIENCE.total_seconds() else None


async def _wait(course: Course, state: str, said: str) -> Move:
    """Look again later, and tell where it is meanwhile."""
    place, now, context = place_of(course.notes), course.context.now, course.context
    began = datetime.fromisoformat(course.notes[_BEGAN])
    starts = await engines_of(context).wishes.starts(context.services.team_id, place.name)
    view = engine_progress.view(course.work_id, place, said, now - began, starts)
    return Move(state, wait_s=pause_s(began, now), progress=view)


def _may(course: Course) -> Authorised:
    """Leave to write; also to what is not ours where a second person said yes to that."""
    return leave(course.yes, others=bool(course.notes.get(OTHERS)))


def _runs_as_wanted(found: ContainerStatus) -> bool:
    return found.state in _RUNS and not found.drift and found.ours


def _address(wanted: EngineSpecification, host: Host) -> str:
    """Where it answers. A machine that is itself reached over loopback has no address that others could use."""
    if wanted.exposure is EngineExposure.PRIVATE and not is_loopback(host.address):
        return f"http://{host.address}:{wanted.port}"
    return f"ssh://{host.name}:{wanted.port}"


def _since(course: Course, found: ContainerStatus) -> str:
    """When the container started, as its machine tells."""
    return (found.since or course.context.now).isoformat()


def _container(course: Course) -> Container:
    return container_of(wanted_of(course.notes))
