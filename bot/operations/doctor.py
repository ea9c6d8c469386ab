"""`doctor`: each prerequisite, whether it is met, and what to do when it is not. No secret is ever part of a finding."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping

from pydantic import BaseModel

from bot.errors import BotError, NotConnectedError, WeMoveNext
from bot.nouns import Conformance, Deployment, Effect, Role, SeenBy, Verdict
from bot.operations.access import grants_of
from bot.operations.doctor_scopes import missing
from bot.operations.operation import Context, NoArguments, Operation
from bot.operations.wording import count, listed
from bot.ports import House, Memory
from bot.requests import Door
from bot.view import Line, Shape, View, bold, line

REDIS_NEEDED = (6, 2)
"""Redis 6.2 brought what our Lua calls and sorted sets use (redis.io, command history)."""

PROCESSES = ("web", "clock", "reads", "answers", "steps", "benchmarks")
"""`web`, `clock` and a worker for each queue."""

EVENTS = {Door.MENTION: "mentions", Door.MESSAGE: "direct messages", Door.HOME: "openings of the Home tab"}

TOOL_FLAGS = "--enable-auto-tool-choice --tool-call-parser gemma4 --reasoning-parser gemma4"
"""What vLLM needs to call tools with Gemma 4 (its recipe)."""

SHOWN = 7

TERMINAL = "terminal"
"""The place of what is typed in a terminal (`handlers.terminal`): no channel that anybody could be a member of."""


class Finding(BaseModel):
    """One prerequisite. `met` None: it could not be learnt. `fix` says what to do, with what to type or set in it."""

    what: str
    met: bool | None
    found: str
    fix: str = ""


class Findings(BaseModel):
    """All of them, in the order of the way from Slack to the model."""

    findings: tuple[Finding, ...]


Check = Callable[[Context], Awaitable[tuple[Finding, ...]]]


async def run(context: Context, _arguments: NoArguments) -> Findings:
    """Look at everything at once; what does not answer is a finding, and the rest still counts."""
    found = await asyncio.gather(*(_careful(context, name, check) for name, check in CHECKS.items()))
    return Findings(findings=tuple(finding for group in found for finding in group))


async def _careful(context: Context, name: str, check: Check) -> tuple[Finding, ...]:
    try:
        return await check(context)
    except WeMoveNext:
        raise
    except NotConnectedError as error:
        return (Finding(what=name, met=None, found="not connected", fix=f"Set {error.setting} and restart."),)
    except BotError as error:
        return (Finding(what=name, met=False, found=str(error), fix=error.telling.next_step),)


def _house(context: Context) -> House:
    if context.services.house is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    return context.services.house


async def slack(context: Context) -> tuple[Finding, ...]:
    """The token, and what the app may do. Raises NotConnectedError where this process has nothing to ask Slack with."""
    if context.services.house is None:
        raise NotConnectedError("Slack", "SLACK_BOT_TOKEN and REDIS_URL")
    granted = await context.services.house.probes.scopes()
    token = Finding(what="Slack token", met=True, found="accepted")
    if granted is None:
        return token, Finding(what="Slack permissions", met=None, found="Slack did not say")
    lacking = missing(granted)
    if not lacking:
        return token, Finding(what="Slack permissions", met=True, found=f"all {len(granted)} granted")
    told = listed([f"{what} ({scope})" for what, scope in lacking.items()], most=3)
    fix = "Take slack-manifest.json as the app's manifest, then install the app again."
    return token, Finding(what="Slack permissions", met=False, found=f"I cannot {told}", fix=fix)


async def events(context: Context) -> tuple[Finding, ...]:
    """Whether Slack brings events at all: no call tells the app's subscriptions, but what came shows them."""
    came = await _house(context).probes.events()
    told = ", ".join(f"{came.get(door, 0)} {name}" for door, name in EVENTS.items())
    if any(came.values()):
        return (Finding(what="Slack events", met=True, found=f"came so far: {told}"),)
    fix = "Mention me in a channel. If nothing comes, take slack-manifest.json as the app's manifest: it subscribes to them."
    return (Finding(what="Slack events", met=None, found="none came so far", fix=fix),)


async def channel(context: Context) -> tuple[Finding, ...]:
    """Whether the bot is where it was asked."""
    if context.place.channel == TERMINAL:
        return ()
    if context.place.direct:
        return (Finding(what="This channel", met=True, found="a direct message"),)
    inside = await _house(context).probes.in_channel(context.place.channel)
    fix = "" if inside else "Say /invite @gemma here."
    words = {True: "I am a member", False: "I am not a member, so answers for all come by direct message", None: "unknown"}
    return (Finding(what="This channel", met=inside, found=words[inside], fix=fix),)


async def roles(context: Context) -> tuple[Finding, ...]:
    """Whether somebody may change and spend."""
    grants = await grants_of(context.services)
    if not grants.admins:
        fix = "The log of the web process shows a code: /gemma setup CODE. Or set ADMINS."
        return (Finding(what="Admins", met=False, found="nobody is admin", fix=fix),)
    operators = count(len(grants.operators), "operator or group", "operators or groups") if grants.operators else "no operators"
    fix = "" if grants.operators else "Set OPERATORS to user ids or a user group, or admins do it all."
    found = f"{count(len(grants.admins), 'admin')}, {operators}"
    return (Finding(what="Roles", met=True if grants.operators else None, found=found, fix=fix),)


async def memory(context: Context) -> tuple[Finding, ...]:
    """Version, append-only file, eviction."""
    about = await _house(context).probes.memory()
    return _version(about), _append_only(about), _eviction(about)


def _version(about: Memory) -> Finding:
    parts = re.match(r"(\d+)\.(\d+)", about.version or "")
    met = None if parts is None else (int(parts[1]), int(parts[2])) >= REDIS_NEEDED
    return Finding(what="Redis version", met=met, found=about.version or "unknown", fix="" if met else "Use 6.2 or newer.")


def _append_only(about: Memory) -> Finding:
    words = {True: "on", False: "off: a crash loses what was promised", None: "it does not let me look"}
    fix = "" if about.append_only else "Set appendonly yes."
    return Finding(what="Redis append-only file", met=about.append_only, found=words[about.append_only], fix=fix)


def _eviction(about: Memory) -> Finding:
    met = None if about.eviction is None else about.eviction == "noeviction"
    found = about.eviction or "it does not let me look"
    return Finding(what="Redis eviction", met=met, found=found, fix="" if met else "Set maxmemory-policy noeviction.")


async def processes(context: Context) -> tuple[Finding, ...]:
    """A sign of life of each process in the last seconds."""
    alive = await _house(context).probes.alive()
    gone = [name for name in PROCESSES if not alive.get(name)]
    if not gone:
        told = ", ".join(f"{alive[name]} {name}" for name in PROCESSES)
        return (Finding(what="Processes", met=True, found=told),)
    fix = "Start " + listed([f"gemma {name}" for name in dict.fromkeys(_command(one) for one in gone)]) + "."
    return (Finding(what="Processes", met=False, found=f"no sign of life: {listed(gone, most=6)}", fix=fix),)


def _command(process: str) -> str:
    return process if process in {"web", "clock"} else "worker"


async def google(context: Context) -> tuple[Finding, ...]:
    """Credentials and API by listing the zones, roles by listing what is in them."""
    zones = await context.services.cloud.zones()
    fleet = await context.services.cloud.fleet()
    asked = Finding(what="Google credentials and TPU API", met=True, found=f"{count(len(zones), 'zone')} listed")
    if not fleet.unreachable:
        return asked, Finding(what="Google zones", met=True, found=f"all {fleet.zones_asked} answered")
    told = listed([f"{zone} ({why})" for zone, why in sorted(fleet.unreachable.items())], most=3)
    fix = "Give the service account roles/tpu.viewer, or name the zones you use in TPU_ZONES."
    return asked, Finding(what="Google zones", met=False, found=f"not answering: {told}", fix=fix)


async def engines(context: Context) -> tuple[Finding, ...]:
    """Each deployment: that it answers, and the window it says."""
    known = await context.services.deployments.all(context.services.team_id)
    if not known:
        raise NotConnectedError("Model", "MODEL_BASE_URL, or use /gemma setup,")
    found = await asyncio.gather(*(_careful(context, f"Model {one.name}", _one(one)) for one in known))
    return tuple(finding for group in found for finding in group)


def _one(deployment: Deployment) -> Check:
    async def check(context: Context) -> tuple[Finding, ...]:
        served = await context.services.engine.models(deployment)
        what = f"Model {deployment.name}"
        if not served:
            return (Finding(what=what, met=False, found="it answers, and serves nothing", fix="Look at the engine's log."),)
        window = f"window {served[0].context:,} tokens" if served[0].context else "window unknown"
        whole = Finding(what=what, met=True, found=f"{served[0].id}, {window}")
        store = context.services.conformances
        seen = None if store is None else await store.last(context.services.team_id, deployment.name)
        return (whole if seen is None else _with_conformance(whole, seen),)

    return check


def _with_conformance(whole: Finding, seen: Conformance) -> Finding:
    """What it does right, as it was seen when it started or changed. What only costs a detour is no fault of its own."""
    failed = [one for one in seen.checks if one.verdict is Verdict.FAILED]
    passed = sum(one.verdict is Verdict.PASSED for one in seen.checks)
    told = f"{whole.found}; answers with tools: {passed} of {len(seen.checks)} checks passed"
    if not failed:
        return whole.model_copy(update={"found": told})
    named = listed([f"{one.name} ({one.seen})" for one in failed], most=2)
    fix = f"Questions may be answered less well. Start vLLM with {TOOL_FLAGS}."
    return whole.model_copy(update={"met": None, "found": f"{told}; not: {named}", "fix": fix})


CHECKS: Mapping[str, Check] = {
    "Slack": slack,
    "Slack events": events,
    "This channel": channel,
    "Roles": roles,
    "Redis": memory,
    "Processes": processes,
    "Google": google,
    "Model": engines,
}


def show(found: Findings, _context: Context) -> View:
    """What is wrong first, with its fix; then what could not be learnt; then what is well."""
    order: dict[bool | None, int] = {False: 0, None: 1, True: 2}
    ranked = sorted(found.findings, key=lambda one: order[one.met])
    wrong = sum(1 for one in ranked if one.met is False)
    unknown = sum(1 for one in ranked if one.met is None)
    lines = tuple(_line(one) for one in ranked)
    return View(
        verdict=_verdict(wrong, unknown, len(ranked)),
        shape=Shape.BAD if wrong else Shape.CONCERN if unknown else Shape.GOOD,
        lines=lines[:SHOWN],
        details=lines[SHOWN:],
    )


def _verdict(wrong: int, unknown: int, of: int) -> Line:
    if wrong:
        return line(bold(f"{count(wrong, 'thing')} to put right"), f" · {of - wrong - unknown} of {of} are well")
    if unknown:
        return line(bold("Nothing is wrong that I can see"), f" · {unknown} of {of} could not be looked at")
    return line(bold(f"All {of} prerequisites are met"))


def _line(one: Finding) -> Line:
    shape = {True: Shape.GOOD, False: Shape.BAD, None: Shape.CONCERN}[one.met]
    return line(f"{shape.value} {one.what}: {one.found}" + (f" → {one.fix}" if one.fix else ""))


DOCTOR = Operation(
    path="doctor",
    summary="each prerequisite with its fix",
    when_to_use="After installing, and whenever something does not work as it should.",
    example="doctor",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    timeout=20.0,
    run=run,
    show=show,
)
