"""Looking for what is wrong, so that people are told once, and told again when it is over."""

import asyncio
from datetime import UTC, datetime, timedelta

import structlog

from bot.errors import BotError, RetryLater
from bot.nouns import Actor, Deployment, Handling, Happened, Incident, Watch
from bot.operations.incident_look import Seen, at_work, look, unknown_kinds
from bot.operations.incident_rules import EngineSeen, Judged
from bot.operations.sources import attempt
from bot.ports import Alerting, OpenWork
from bot.requests import Door, Place, Request
from bot.services import Runtime
from bot.store import keys
from bot.store.work import INCIDENT

log = structlog.get_logger()

QUEUE = "reads"
AUDIT_BACK = timedelta(hours=2)
ENTRIES = 200


class Watcher:
    """Looks by time slots; of several clocks only one takes a slot, and an incident goes by an id that all give it alike."""

    def __init__(self, runtime: Runtime, every_s: float) -> None:
        """`every_s` is the length of a slot in seconds; 0 watches nothing."""
        self._runtime = runtime
        self._every_s = every_s

    async def look(self) -> None:
        """Once in a slot: look at everything, open what is new, close what is over."""
        services = self._runtime.services
        if services.alerting is None or self._every_s <= 0:
            return
        now = services.clock.now()
        if not await self._mine(int(now.timestamp() // self._every_s)):
            return
        seen = await self._seen(services.alerting, now)
        judged, sightings = look(seen)
        await self._settle(services.alerting, judged, seen)
        await services.alerting.sightings.keep(services.team_id, sightings)

    async def _mine(self, slot: int) -> bool:
        key = keys.once(f"watch:{self._runtime.services.team_id}:{slot}")
        return bool(await self._runtime.redis.set(key, "1", nx=True, px=int(self._every_s * 2000)))

    async def _seen(self, alerting: Alerting, now: datetime) -> Seen:
        services, team = self._runtime.services, self._runtime.services.team_id
        deployments, works = await services.deployments.all(team), await services.work.under_way(team)
        asked = [one for one in deployments if one.base_url]
        engines = await asyncio.gather(*(self._engine(one, works) for one in asked))
        fleet = await attempt(services.cloud.fleet())
        since = now - timedelta(seconds=alerting.idle_s)
        windows = await asyncio.gather(*(services.history.windows(team, one.name, since, now) for one in deployments))
        return Seen(
            now=now,
            deployments=deployments,
            engines={one.name: found for one, found in zip(asked, engines, strict=True)},
            fleet=fleet.value,
            leases=await services.leases.all(team) if services.leases is not None else (),
            works=works,
            entries=await services.house.trail.since(team, now - AUDIT_BACK, ENTRIES) if services.house is not None else (),
            before=await alerting.sightings.all(team),
            windows={one.name: found for one, found in zip(deployments, windows, strict=True)},
            prices=services.prices,
            idle_s=alerting.idle_s,
        )

    async def _engine(self, deployment: Deployment, works: tuple[OpenWork, ...]) -> EngineSeen:
        """What the sampler found; and where that is silence, one look more before anybody is woken."""
        services, team = self._runtime.services, self._runtime.services.team_id
        if services.happenings is None:
            return EngineSeen(None, None, None, ours_at_work=False)
        watched = await services.happenings.watched(team, deployment.name)
        if watched is None or watched.answering is not False:
            return EngineSeen(watched, None, None, ours_at_work=False)
        newest = await services.happenings.since(team, deployment.name, datetime.fromtimestamp(0, UTC), 20)
        silent_at = next((one.at for one in newest if one.kind is Happened.SILENT), None)
        return EngineSeen(watched, silent_at, await self._answers(deployment), ours_at_work=at_work(deployment, works))

    async def _answers(self, deployment: Deployment) -> bool | None:
        """False when nothing came back, or that it is not healthy; None when what came back tells neither."""
        try:
            return await self._runtime.services.engine.healthy(deployment)
        except RetryLater:
            return False
        except BotError:
            return None

    async def _settle(self, alerting: Alerting, judged: tuple[Judged, ...], seen: Seen) -> None:
        """Open, leave or close; what was judged of nothing any more is gone."""
        team = self._runtime.services.team_id
        standing = {(one.incident.kind, one.incident.subject): one for one in await alerting.incidents.standing(team)}
        for one in judged:
            await self._one(alerting, one, standing, seen.now)
        named = {(one.kind, one.subject) for one in judged}
        for (kind, subject), found in standing.items():
            if (kind, subject) not in named and kind not in unknown_kinds(seen.fleet) and not _silent(found, seen):
                await self._close(alerting, found, seen.now, _gone(kind))

    async def _one(self, alerting: Alerting, one: Judged, standing: dict[tuple[Watch, str], Handling], now: datetime) -> None:
        known = standing.get((one.kind, one.subject))
        other = (
            known is not None and one.incident is not None and one.kind is Watch.LEASE and known.incident.id != one.incident.id
        )
        if known is not None and (one.stands is False or other):
            await self._close(alerting, known, now, one.how or "it ends later now")
            known = None
        elif known is not None and one.stands:
            await self._tell(known.incident)
        if one.stands and one.incident is not None and known is None:
            await self._open(alerting, one.incident, standing)

    async def _open(self, alerting: Alerting, incident: Incident, standing: dict[tuple[Watch, str], Handling]) -> None:
        """A machine whose engine was told as down already is one more fact of that incident, and no second message."""
        team = self._runtime.services.team_id
        down = standing.get((Watch.DOWN, incident.deployment or ""))
        if incident.kind is Watch.LOST and down is not None:
            await alerting.incidents.learn(
                team, down.incident.id, f"Its machine {incident.subject} is gone, and I did not end it."
            )
            return
        if await alerting.incidents.open(team, incident):
            await self._runtime.counters.add("incidents", incident.kind)
            log.info("incident", id=incident.id, kind=incident.kind, subject=incident.subject)
        found = await alerting.incidents.get(team, incident.id)
        if found is not None and found.resolved_at is None:
            standing[incident.kind, incident.subject] = found
            await self._tell(incident)

    async def _tell(self, incident: Incident) -> None:
        """Have the work that tells people, once for each incident; what a clock that died left out, the next look makes good."""
        services = self._runtime.services
        if await self._runtime.work.is_open(incident.id):
            return
        request = Request(
            id=incident.id,
            door=Door.SCHEDULE,
            actor=Actor(team_id=services.team_id, user_id="clock"),
            place=Place(channel="none"),
            words=f"{incident.kind} {incident.subject}",
            at=incident.since,
        )
        await self._runtime.work.accept(request, work_id=incident.id, kind=INCIDENT, queue=QUEUE)

    async def _close(self, alerting: Alerting, found: Handling, now: datetime, how: str) -> None:
        team = self._runtime.services.team_id
        if await alerting.incidents.resolve(team, found.incident.id, now, how):
            log.info("incident resolved", id=found.incident.id, how=how)


def _gone(kind: Watch) -> str:
    return {Watch.DOWN: "there is no such deployment any more"}.get(kind, "the machine is gone")


def _silent(found: Handling, seen: Seen) -> bool:
    """Whether its zone could not be asked."""
    return seen.fleet is not None and found.incident.zone in seen.fleet.unreachable and found.incident.kind is not Watch.LEASE
