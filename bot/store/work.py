"""Work records: what somebody asked for, until its last message stands. The record is the truth; RQ is only a kick."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import orjson
from redis.asyncio import Redis

from bot.ports import OpenWork
from bot.ports.stores import UNSTOPPABLE
from bot.requests import Request
from bot.store import keys
from bot.store.scripts import Scripts
from bot.view import View

KEEP_DONE_S = 24 * 3600
"""How long a finished record answers a repeated trigger with "seen already"."""

KICKS_KEPT = 10_000
"""Notes beyond this are dropped: without workers nobody reads them, and the clock writes new ones."""

VERSION = 1

INCIDENT = "incident"
"""The kind of work that tells people of an incident: it is shown by `incidents`, not as work."""


@dataclass(frozen=True)
class Work:
    """One open record as its holder sees it. `fence` is the number of this lease: only its holder may write."""

    id: str
    kind: str
    state: str
    queue: str
    request: Request
    fence: int
    created_ms: int
    data: Mapping[str, str] = field(default_factory=dict)


class WorkStore:
    """Accepts work once, leases it, moves it by compare-and-set. All times are those of the Redis server."""

    def __init__(self, redis: Redis, *, lease_s: float, kick_s: float) -> None:
        """`lease_s`: life of a lease without renewal, in seconds; `kick_s`: wait for the first kick before the clock kicks."""
        self._redis = redis
        self._scripts = Scripts(redis)
        self.lease_s = lease_s
        self._lease_ms = int(lease_s * 1000)
        self._kick_ms = int(kick_s * 1000)

    async def accept(self, request: Request, *, work_id: str, kind: str, queue: str) -> bool:
        """De-duplicate, record, set due, note the kick and count in one call. False: this very work is here already."""
        fields = new_work(request, work_id=work_id, kind=kind, queue=queue)
        fresh = await self._scripts.call(
            "accept",
            [keys.work(work_id), keys.DUE, keys.open_work(request.actor.team_id), keys.KICKS, keys.counters()],
            [work_id, self._kick_ms, kick(work_id, queue), request.door, *fields],
        )
        return bool(fresh)

    async def ring(self, work_id: str, queue: str) -> None:
        """Note that a worker of `queue` shall look at this work now; at most 10,000 notes are kept."""
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.lpush(keys.KICKS, kick(work_id, queue))
            pipe.ltrim(keys.KICKS, 0, KICKS_KEPT - 1)
            await pipe.execute()

    async def claim(self, work_id: str) -> Work | None:
        """Take the lease. None: unknown, ended, not due yet, or held by somebody else."""
        found = await self._scripts.call("claim", [keys.work(work_id), keys.DUE], [work_id, self._lease_ms])
        return _read(found) if found else None

    async def renew(self, work: Work) -> bool:
        """Keep the lease. False: it is lost, and nothing more may be written or sent."""
        return bool(await self._scripts.call("renew", [keys.work(work.id), keys.DUE], [work.id, work.fence, self._lease_ms]))

    async def advance(self, work: Work, to: str, *, wait_s: float | None = None, **fields: str) -> bool:
        """Move from the state that `work` shows to `to`, writing `fields` with it.

        `wait_s` ends the lease and sets the next look in that many seconds; None keeps the lease. False: the lease or the
        state was somebody else's by now, and nothing was written.
        """
        wait = -1 if wait_s is None else int(wait_s * 1000)
        flat: list[str | int | bytes] = [part for pair in fields.items() for part in pair] or ["v", VERSION]
        done = await self._scripts.call(
            "advance",
            [keys.work(work.id), keys.DUE, keys.open_work(work.request.actor.team_id)],
            [work.id, work.fence, work.state, to, wait, KEEP_DONE_S, *flat],
        )
        return bool(done)

    async def due(self, limit: int = 100) -> list[tuple[str, str]]:
        """Up to `limit` pairs (work id, queue) that are due and held by nobody; each is put off by one lease,
        and by twice as long with every kick that nobody took (at most a minute), so that a long outage piles up no kicks."""
        prefix = keys.work("")
        flat = await self._scripts.call("claim_due", [keys.DUE], [limit, self._lease_ms, prefix])
        texts = [part.decode() for part in flat]
        return list(zip(texts[::2], texts[1::2], strict=True))

    async def under_way(self, team_id: str) -> tuple[OpenWork, ...]:
        """A workspace's open work, oldest first, for people to look at; at most 50."""
        ids = cast(list[bytes], await self._redis.zrange(keys.open_work(team_id), 0, 49))
        found = []
        for work_id in ids:
            fields = await self._redis.hgetall(keys.work(work_id.decode()))
            if fields and fields.get(b"kind") != INCIDENT.encode():
                found.append(_seen(_read([part for pair in fields.items() for part in pair])))
        return tuple(found)

    async def answer(self, work_id: str) -> tuple[Request, View] | None:
        """What was asked and answered by this work, while it is remembered."""
        request, view = await self._redis.hmget(keys.work(work_id), ["request", "view"])
        if request is None or view is None:
            return None
        return Request.model_validate_json(request), View.model_validate_json(view)

    async def unfinished(self) -> int:
        """How much work is open, over all workspaces."""
        return int(await self._redis.zcard(keys.DUE))

    async def ask_to_stop(self, work_id: str) -> bool:
        """Leave word that the work shall end at its next boundary, and make it due now. False: there is no such open work."""
        if await self._redis.zscore(keys.DUE, work_id) is None:
            return False
        await self._redis.hset(keys.work(work_id), mapping={"stop": "1", "not_before": "0"})
        await self._redis.zadd(keys.DUE, {work_id: 0}, xx=True)
        return True

    async def asked_to_stop(self, work_id: str) -> bool:
        """Whether word was left that it shall end."""
        return bool(await self._redis.hexists(keys.work(work_id), "stop"))

    async def is_open(self, work_id: str) -> bool:
        """Whether this work has not ended yet."""
        return await self._redis.zscore(keys.DUE, work_id) is not None

    async def next_name(self, team_id: str, kind: str) -> str:
        """The next name that people see, for instance bench-12."""
        return f"{kind}-{await self._redis.incr(keys.number(team_id, kind))}"


def kick(work_id: str, queue: str) -> str:
    """The note for one piece of work."""
    return f"{queue} {work_id}"


def new_work(request: Request, *, work_id: str, kind: str, queue: str) -> list[str | int | bytes]:
    """The fields of a fresh record, flat, as the Lua calls take them."""
    return [
        *("v", VERSION, "id", work_id, "kind", kind, "state", "new", "queue", queue),
        *("team", request.actor.team_id, "request", request.model_dump_json()),
    ]


_OWN = frozenset(
    {"v", "id", "kind", "state", "queue", "team", "request", "fence", "lease_until", "created_ms", "not_before", "kicks"}
)


def _seen(work: Work) -> OpenWork:
    return OpenWork(
        id=work.id,
        kind=work.kind,
        state=work.state,
        words=work.request.words,
        asked_by=work.request.actor.user_id,
        channel=work.request.place.channel,
        since=datetime.fromtimestamp(work.created_ms / 1000, UTC),
        stopping="stop" in work.data,
        unstoppable=orjson.loads(work.data.get("notes", "{}")).get(UNSTOPPABLE),
        approval=work.request.approval,
    )


def _read(flat: list[Any]) -> Work:
    fields = {flat[i].decode(): flat[i + 1].decode() for i in range(0, len(flat), 2)}
    return Work(
        id=fields["id"],
        kind=fields["kind"],
        state=fields["state"],
        queue=fields["queue"],
        request=Request.model_validate_json(fields["request"]),
        fence=int(fields["fence"]),
        created_ms=int(fields["created_ms"]),
        data={name: value for name, value in fields.items() if name not in _OWN},
    )
