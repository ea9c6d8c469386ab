"""`changes`: what changed at a deployment, the first question of every incident."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.errors import NotConnectedError
from bot.nouns import Deployment, Effect, Happening, Role, SeenBy
from bot.operations import changes_view, choice
from bot.operations.changes_audit import concerning
from bot.operations.changes_result import Change, Changes
from bot.operations.changes_words import told
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import GivenName, Seconds
from bot.ports import Happenings

MOST = 60
"""Changes that one answer holds; the newest first."""

ENTRIES_READ = 500
"""Entries of the audit that are looked through for those about this deployment."""


class ChangesArguments(Arguments):
    """Which deployment, the first one when none is named; how far back, in seconds."""

    deployment: GivenName | None = None
    since: Seconds = 24 * 3600


async def run(context: Context, arguments: ChangesArguments) -> Changes:
    """Read what the clock saw and what people did, and put both in one order. Raises NotConnectedError without Redis."""
    deployment = await choice.deployment(context, arguments.deployment)
    happenings = context.services.happenings
    if happenings is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    since = context.now - timedelta(seconds=arguments.since)
    team = context.services.team_id
    watched, seen, entries = await asyncio.gather(
        happenings.watched(team, deployment.name),
        _seen(happenings, team, deployment, since),
        _entries(context, since),
    )
    done = concerning(deployment, entries)
    both = sorted((*seen, *done), key=lambda one: one.at, reverse=True)
    return Changes(
        deployment=deployment.name,
        at=context.now,
        seconds=arguments.since,
        changes=tuple(both[:MOST]),
        more=len(both) > MOST or len(entries) > ENTRIES_READ,
        watched_since=watched.since if watched else None,
        looked_at=watched.at if watched else None,
    )


async def _seen(happenings: Happenings, team: str, deployment: Deployment, since: datetime) -> tuple[Change, ...]:
    return tuple(_change(one) for one in await happenings.since(team, deployment.name, since, MOST + 1))


def _change(one: Happening) -> Change:
    return Change(at=one.at, what=told(one), source=one.source)


async def _entries(context: Context, since: datetime) -> tuple[Mapping[str, str], ...]:
    house = context.services.house
    return () if house is None else await house.trail.since(context.services.team_id, since, ENTRIES_READ + 1)


CHANGES = Operation(
    path="changes",
    summary="what changed: restarts, versions, settings, and who did what",
    when_to_use="The first question of every incident: what was different before it began.",
    example="changes prod since 24h",
    arguments=ChangesArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    show=changes_view.show,
)
