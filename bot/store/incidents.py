"""Incidents with who sees to them, what channels switched on or off, and what was seen of machines."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from redis.asyncio import Redis

from bot.nouns import Handling, Incident, Sighting, Watch
from bot.store import keys

KEEP_S = 90 * 86400
"""How long a resolved incident is remembered: as long as changes are."""


class IncidentStore:
    """Implements `bot.ports.Incidents`: a hash for each, and a sorted set of those that stand by their beginning."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def open(self, team_id: str, incident: Incident) -> bool:
        """See `bot.ports.Incidents.open`. After a crash half-way the next call puts right what is missing."""
        key = keys.incident(team_id, incident.id)
        fresh = bool(await self._redis.hsetnx(key, "incident", incident.model_dump_json()))
        if fresh or not await self._redis.hexists(key, "resolved_at"):
            await self._redis.zadd(keys.incidents(team_id), {incident.id: incident.since.timestamp()}, nx=True)
        return fresh

    async def standing(self, team_id: str) -> tuple[Handling, ...]:
        """See `bot.ports.Incidents.standing`."""
        ids = cast(list[bytes], await self._redis.zrange(keys.incidents(team_id), 0, -1))
        found = [await self.get(team_id, one.decode()) for one in ids]
        return tuple(one for one in found if one is not None and one.resolved_at is None)

    async def get(self, team_id: str, incident_id: str) -> Handling | None:
        """See `bot.ports.Incidents.get`."""
        raw = cast(dict[bytes, bytes], await self._redis.hgetall(keys.incident(team_id, incident_id)))
        fields = {name.decode(): value.decode() for name, value in raw.items()}
        if "incident" not in fields:
            return None
        return Handling.model_validate({**fields, "incident": Incident.model_validate_json(fields["incident"])})

    async def take(self, team_id: str, incident_id: str, user_id: str, at: datetime) -> bool:
        """See `bot.ports.Incidents.take`."""
        key = keys.incident(team_id, incident_id)
        if not await self._redis.hsetnx(key, "taken_by", user_id):
            return False
        await self._redis.hset(key, "taken_at", at.isoformat())
        await self._wake(incident_id)
        return True

    async def snooze(self, team_id: str, incident_id: str, user_id: str, until: datetime) -> None:
        """See `bot.ports.Incidents.snooze`."""
        values: dict[Any, Any] = {"snoozed_by": user_id, "snoozed_until": until.isoformat()}
        await self._redis.hset(keys.incident(team_id, incident_id), mapping=values)
        await self._wake(incident_id)

    async def learn(self, team_id: str, incident_id: str, fact: str) -> None:
        """See `bot.ports.Incidents.learn`."""
        await self._redis.hset(keys.incident(team_id, incident_id), "fact", fact)
        await self._wake(incident_id)

    async def resolve(self, team_id: str, incident_id: str, at: datetime, how: str) -> bool:
        """See `bot.ports.Incidents.resolve`. Time and words are written together; the first to write them counts."""
        key = keys.incident(team_id, incident_id)
        first = bool(await self._redis.hsetnx(key, "resolved_at", at.isoformat()))
        if first:
            await self._redis.hset(key, "how", how)
        await self._redis.expire(key, KEEP_S)
        await self._redis.zrem(keys.incidents(team_id), incident_id)
        await self._wake(incident_id)
        return first

    async def _wake(self, incident_id: str) -> None:
        """The work that tells of it bears its id: it looks at once."""
        if await self._redis.zscore(keys.DUE, incident_id) is None:
            return
        await self._redis.hset(keys.work(incident_id), "not_before", "0")
        await self._redis.zadd(keys.DUE, {incident_id: 0}, xx=True)


class WatchStore:
    """Implements `bot.ports.Watches`: one hash for a workspace."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def put(self, team_id: str, channel: str, kind: Watch, *, on: bool) -> None:
        """See `bot.ports.Watches.put`."""
        await self._redis.hset(keys.watches(team_id), f"{channel} {kind}", "on" if on else "off")

    async def all(self, team_id: str) -> Mapping[tuple[str, Watch], bool]:
        """See `bot.ports.Watches.all`."""
        raw = cast(dict[bytes, bytes], await self._redis.hgetall(keys.watches(team_id)))
        found = {}
        for name, value in raw.items():
            channel, _, kind = name.decode().partition(" ")
            found[channel, Watch(kind)] = value == b"on"
        return found


class SightingStore:
    """Implements `bot.ports.Sightings`: one hash for a workspace, written by the clock that holds the time slot."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def all(self, team_id: str) -> tuple[Sighting, ...]:
        """See `bot.ports.Sightings.all`."""
        raw = cast(list[bytes], await self._redis.hvals(keys.sightings(team_id)))
        return tuple(sorted((Sighting.model_validate_json(one) for one in raw), key=lambda one: (one.zone, one.name)))

    async def keep(self, team_id: str, seen: tuple[Sighting, ...]) -> None:
        """See `bot.ports.Sightings.keep`. Replaced as a whole, or not at all."""
        key = keys.sightings(team_id)
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(key)
            if seen:
                pipe.hset(key, mapping={f"{one.zone}/{one.name}": one.model_dump_json() for one in seen})
            await pipe.execute()
