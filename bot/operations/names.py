"""A name that was left out: the ones there are, to be pressed instead of typed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from bot.errors import BotError, UsageError
from bot.operations.command_line import MissingNameError, words_of
from bot.operations.values import Thing
from bot.ports import Services

SHOWN = 5
LOOK_WITHIN_S = 4.0
"""For the names; when they take longer, the usage is told as for any other value."""

Look = Callable[[Services], Awaitable[tuple[str, ...]]]


async def _machines(services: Services) -> tuple[str, ...]:
    """Of machines, and of requests that have none yet."""
    fleet = await services.cloud.fleet()
    there = {(one.zone.name, one.name) for one in fleet.machines}
    waiting = [one.name for one in fleet.requests if (one.zone.name, one.machine) not in there]
    return tuple(dict.fromkeys([*sorted(one.name for one in fleet.machines), *sorted(waiting)]))


async def _works(services: Services) -> tuple[str, ...]:
    """Of long work that can be stopped, the newest first."""
    found = await services.work.under_way(services.team_id)
    return tuple(one.id for one in reversed(found) if one.kind != "request" and not (one.stopping or one.unstoppable))


async def _deployments(services: Services) -> tuple[str, ...]:
    return tuple(one.name for one in await services.deployments.all(services.team_id))


async def _incidents(services: Services) -> tuple[str, ...]:
    """All that stand, the newest first."""
    if services.alerting is None:
        return ()
    return tuple(one.incident.id for one in reversed(await services.alerting.incidents.standing(services.team_id)))


LOOKS: Mapping[Thing, Look] = {
    Thing.MACHINE: _machines,
    Thing.WORK: _works,
    Thing.DEPLOYMENT: _deployments,
    Thing.INCIDENT: _incidents,
}
ALL: Mapping[Thing, str] = {
    Thing.MACHINE: "machines",
    Thing.WORK: "work",
    Thing.DEPLOYMENT: "deployments",
    Thing.INCIDENT: "incidents",
}
"""The word that lists them all."""


async def to_choose(services: Services, missing: MissingNameError, typed: str) -> UsageError:
    """The error that offers the names, each where it was left out; the one that was raised, where they cannot be learnt."""
    try:
        async with asyncio.timeout(LOOK_WITHIN_S):
            names = await LOOKS[missing.thing](services)
    except (BotError, TimeoutError):
        return missing
    if not names:
        return UsageError(f"There is no {missing.thing} to choose from.", next_step=f"/gemma {ALL[missing.thing]} looks again.")
    path, rest = missing.operation.words, words_of(typed)[len(missing.operation.words) :]
    more = f"The first {SHOWN} of {len(names)}; all: /gemma {ALL[missing.thing]}" if len(names) > SHOWN else "Choose one:"
    return UsageError(
        f"Which {missing.thing}?", near=tuple(" ".join((*path, name, *rest)) for name in names[:SHOWN]), next_step=more
    )
