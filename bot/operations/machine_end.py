"""`machine end NAME idle 40m`: said yes to once, it waits until no request ran for so long, and then ends the machine."""

from datetime import datetime

from pydantic import Field

from bot.errors import UsageError
from bot.nouns import Effect, MachineState, Role, SeenBy
from bot.operations import machine, machine_use
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin, begun, capacity_of, never_shown, second_person_said_yes
from bot.operations.incident_rules import idle_since
from bot.operations.machine_destroy import Doomed, delete, watch
from bot.operations.machine_found import Found
from bot.operations.machine_words import asks, described, rate
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Queue, Started
from bot.operations.values import MachineName, Seconds
from bot.operations.wording import duration
from bot.view import View, When, bold, line

LOOK_S = 60.0


class EndArguments(Arguments):
    """The machine, and for how long no request may have run, in seconds."""

    name: MachineName
    idle: Seconds = Field(default=2400, ge=600, le=86400)


async def preview(context: Context, arguments: EndArguments) -> Preview:
    """What will go, and when. Raises UsageError for a machine of which nobody can tell whether it is idle."""
    capacity_of(context)
    found = await _found(context, arguments.name)
    needs = Consent.CONFIRM if found.ours else Consent.SECOND_PERSON
    what = f"end {found.name} once no request ran for {duration(arguments.idle)}"
    return Preview(
        needs=needs,
        verdict=asks(context, Role.OPERATOR, what, second_person=needs is Consent.SECOND_PERSON),
        lines=(
            line(f"{described(found)}. Until then nothing changes, and you can stop it."),
            line(f"Then it is deleted with its compile cache. Saves {rate(found.usd_per_hour)}. Time nobody saw is not idle."),
        ),
        button=f"End {found.name} when idle {duration(arguments.idle)}"[:75],
    )


async def _found(context: Context, name: str) -> Found:
    found = await machine.find(context, name)
    if found.machine_state is None or await _deployment(context, found) is None:
        why = "is a request" if found.machine_state is None else "serves no deployment that I know"
        raise UsageError(
            f"{found.name} {why}, so I cannot tell whether it is idle.",
            near=(f"machine destroy {found.name}",),
            next_step="End it now instead?",
        )
    return found


async def _deployment(context: Context, found: Found) -> str | None:
    known = await context.services.deployments.all(context.services.team_id)
    named = (one.name for one in known if found.name == one.machine or one.name == found.deployment)
    return next(named, None)


async def run(context: Context, arguments: EndArguments) -> Started:
    """Begin to wait."""
    said = f"{arguments.name} ends once no request ran for {duration(arguments.idle)}"
    before = await begun(context, "machine.end", said)
    if before is not None:
        return before
    found = await _found(context, arguments.name)
    doomed = Doomed(
        name=found.name,
        zone=found.zone,
        request=found.request,
        machine=found.name,
        stood=True,
        others=not found.ours and await second_person_said_yes(context),
        created_at=found.created_at,
        usd_per_hour=found.usd_per_hour,
        asked_at=context.now,
    )
    notes = {
        "doomed": doomed.model_dump_json(),
        "deployment": await _deployment(context, found) or "",
        BILLS: f"{found.name} still bills {rate(found.usd_per_hour)}: end it with /gemma machine destroy {found.name}",
    }
    return await begin(context, "machine.end", arguments, said, notes)


async def hold(course: Course) -> Move | Ended:
    """Until it was idle for long enough, by what was seen and by a look just now; or until it is gone anyhow."""
    doomed, now = Doomed.model_validate_json(course.notes["doomed"]), course.context.now
    standing = await capacity_of(course.context).machines.machine(doomed.zone, doomed.name)
    if standing is None or standing.state in {MachineState.LOST, MachineState.ENDING}:
        return Ended(View(verdict=line(bold(f"{doomed.name} is gone already"), ": there was nothing to end when it got idle")))
    since = await _idle_since(course, course.arguments.idle, now)
    if since is None:
        return Move("holding", wait_s=LOOK_S, progress=_waits(course, doomed))
    gone = doomed.model_copy(update={"asked_at": now})
    return Move("ending", {"doomed": gone.model_dump_json(), "ending": "1"})


async def _idle_since(course: Course, idle_s: int, now: datetime) -> datetime | None:
    services = course.context.services
    began = datetime.fromtimestamp(now.timestamp() - idle_s, now.tzinfo)
    windows = await services.history.windows(services.team_id, course.notes["deployment"], began, now)
    since = idle_since(windows, now, idle_s)
    if since is None or isinstance(since, bool):
        return None
    found = await machine.find(course.context, course.arguments.name)
    use = await machine_use.use_of(course.context, found)
    return None if use.serves else since


def _waits(course: Course, doomed: Doomed) -> View:
    return View(
        verdict=line(bold(f"{course.work_id}: {doomed.name} ends once no request ran for {duration(course.arguments.idle)}")),
        lines=(line("Asked ", When(at=doomed.asked_at, date=True), f". Until then it bills {rate(doomed.usd_per_hour)}."),),
    )


async def stop(course: Course) -> Move | Ended:
    """Somebody wants to keep it. What Google has begun to delete cannot be kept."""
    if course.notes.get("ending"):
        return Move("going")
    doomed = Doomed.model_validate_json(course.notes["doomed"])
    return Ended(View(verdict=line(bold(f"{doomed.name} stays"), f", and bills {rate(doomed.usd_per_hour)}: it was stopped")))


MACHINE_END = Operation(
    path="machine.end",
    summary="end a machine once no request ran for a while",
    when_to_use="When a machine may go as soon as nobody uses it any more.",
    example="machine end prod-2 idle 40m",
    arguments=EndArguments,
    effect=Effect.DESTROYS,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.STEPS,
    timeout=20.0,
    tool=True,
    preview=preview,
    run=run,
    show=never_shown,
    steps={"new": hold, "holding": hold, STOP: stop, "ending": delete, "going": watch},
)
