"""`watch on|off|list`: what a channel hears of when something goes wrong. All of it is on by default."""

import re
from typing import Annotated

from pydantic import BaseModel

from bot.errors import NotConnectedError
from bot.nouns import Effect, Role, SeenBy, Watch
from bot.operations.operation import Arguments, Context, NoArguments, Operation
from bot.operations.values import Form
from bot.operations.wording import duration, listed
from bot.ports import Alerting
from bot.view import Line, Mention, View, bold, line

KIND = Form("watch", re.compile("|".join(Watch), re.I), "idle", str.lower)


class WatchArguments(Arguments):
    """One kind; all of them when none is named."""

    kind: Annotated[Watch, KIND] | None = None


class Watching(BaseModel):
    """What this channel said: kind to on or off; what it did not say goes the usual way. `changed`: what was just switched."""

    said: dict[Watch, bool]
    changed: tuple[Watch, ...] = ()
    on: bool = True
    oncall: str | None = None
    fallback: str | None = None
    idle_s: float = 3600.0


async def run_on(context: Context, arguments: WatchArguments) -> Watching:
    """This channel hears of it, of whatever deployment it is."""
    return await _switch(context, arguments, on=True)


async def run_off(context: Context, arguments: WatchArguments) -> Watching:
    """This channel hears of it no more."""
    return await _switch(context, arguments, on=False)


async def _switch(context: Context, arguments: WatchArguments, *, on: bool) -> Watching:
    kinds = (arguments.kind,) if arguments.kind is not None else tuple(Watch)
    for kind in kinds:
        await _alerting(context).watches.put(context.services.team_id, context.place.channel, kind, on=on)
    found = await run_list(context, NoArguments())
    return found.model_copy(update={"changed": kinds, "on": on})


async def run_list(context: Context, _arguments: NoArguments) -> Watching:
    """What this channel said. Raises NotConnectedError without Redis."""
    alerting = _alerting(context)
    switched = await alerting.watches.all(context.services.team_id)
    here = {kind: on for (channel, kind), on in switched.items() if channel == context.place.channel}
    return Watching(said=here, oncall=alerting.oncall, fallback=alerting.channel, idle_s=alerting.idle_s)


def _alerting(context: Context) -> Alerting:
    if context.services.alerting is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    return context.services.alerting


def show(found: Watching, _context: Context) -> View:
    """What was switched, then each kind; then who is named and where the rest goes."""
    if found.changed:
        what = "everything I watch" if len(found.changed) == len(Watch) else listed([str(one) for one in found.changed])
        verdict = line(bold(f"This channel hears {'of' if found.on else 'no more of'} {what}"))
    else:
        off = [str(kind) for kind, on in found.said.items() if not on]
        verdict = line(bold("All is watched"), f" · off in this channel: {listed(off, most=5)}" if off else "")
    return View(verdict=verdict, lines=(*(_kind(kind, found) for kind in Watch), _where(found)))


def _kind(kind: Watch, found: Watching) -> Line:
    said = found.said.get(kind)
    state = "the usual way" if said is None else "on here" if said else "off here"
    what = {
        Watch.DOWN: "an engine that answered does not (three looks)",
        Watch.LOST: "a machine is gone that we did not end",
        Watch.LEASE: "a machine ends: in time to replace it, and 15 min before",
        Watch.IDLE: f"a machine runs without a request for {duration(found.idle_s)}",
        Watch.ORPHAN: "a machine of ours that no deployment and no lease knows",
    }[kind]
    return line(bold(str(kind)), f" {state} · {what}")


def _where(found: Watching) -> Line:
    usual = "The usual way: the deployment's channels"
    usual += f", else #{found.fallback}" if found.fallback else ", else ALERTS_CHANNEL (not set)"
    named = line(" Urgent ones name ", Mention(id=found.oncall), ".") if found.oncall else line(" ONCALL_GROUP is not set.")
    return line(f"{usual}, else the owner alone.", *named)


WATCH_ON = Operation(
    path="watch.on",
    summary="have this channel told of what goes wrong",
    when_to_use="When a channel shall hear of a kind of trouble, or of all.",
    example="watch on down",
    arguments=WatchArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    run=run_on,
    show=show,
)

WATCH_OFF = Operation(
    path="watch.off",
    summary="have this channel told no more",
    when_to_use="When a channel hears of what it does not care for.",
    example="watch off idle",
    arguments=WatchArguments,
    effect=Effect.CHANGES,
    role=Role.OPERATOR,
    seen_by=SeenBy.CHANNEL,
    run=run_off,
    show=show,
)

WATCH_LIST = Operation(
    path="watch.list",
    summary="what is watched, and where alerts go",
    when_to_use="To see what this channel hears of, and what it does not.",
    example="watch list",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run_list,
    show=show,
)
