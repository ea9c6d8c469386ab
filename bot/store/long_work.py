"""Long work: its record under a name that people see, and where its first message stands.

One rule for names: long work that a person sees is called by the first word of its operation and a number (`machine-12`); the
request that asked for it keeps its own id (`r-…`, or that of the yes, `ask-…`), which nobody need ever type. Both are tied
together here, so that a request that is carried out twice begins its work once.
"""

from collections.abc import Mapping
from typing import cast

import orjson
from redis.asyncio import Redis

from bot.requests import Request
from bot.store import keys
from bot.store.scripts import Scripts
from bot.store.work import VERSION

KEEP_NAME_S = 30 * 86400
"""As long as a yes is remembered: for so long its repeat finds the work that it began."""


class LongWorkStore:
    """Implements `bot.ports.LongWork`. `queue` is where steps run unless said otherwise; `kick_s` how
    long they may wait for their first kick."""

    def __init__(self, redis: Redis, *, queue: str, kick_s: float) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)
        self._queue = queue
        self._kick_ms = int(kick_s * 1000)

    async def begin(
        self, request: Request, path: str, arguments: str, notes: Mapping[str, str], *, queue: str | None = None
    ) -> str:
        """See `bot.ports.LongWork.begin`."""
        team, family = request.actor.team_id, path.partition(".")[0]
        record: dict[str, str | int | bytes] = {
            "v": VERSION,
            "kind": path,
            "state": "new",
            "queue": queue or self._queue,
            "team": team,
            "request": request.model_dump_json(),
            "origin": request.id if request.approval else f"r-{request.id}",
            "arguments": arguments,
            "notes": orjson.dumps(dict(notes)).decode(),
        }
        name: bytes = await self._scripts.call(
            "begin",
            [
                keys.long_work(team, path, request.id),
                keys.number(team, family),
                keys.DUE,
                keys.open_work(team),
                keys.KICKS,
            ],
            [
                keys.work(""),
                family,
                self._kick_ms,
                queue or self._queue,
                KEEP_NAME_S,
                *(part for pair in record.items() for part in pair),
            ],
        )
        return name.decode()

    async def begun(self, request: Request, path: str) -> str | None:
        """See `bot.ports.LongWork.begun`."""
        found = await self._redis.get(keys.long_work(request.actor.team_id, path, request.id))
        return found.decode() if isinstance(found, bytes) else found

    async def is_open(self, work_id: str) -> bool:
        """Whether this work has not ended yet."""
        return await self._redis.zscore(keys.DUE, work_id) is not None

    async def first_message(self, origin: str, parts: tuple[str, ...]) -> tuple[str, str] | None:
        """(channel, ts) of the first of these parts of the request's own answer that stands."""
        for part in parts:
            found = cast(list[bytes | None], await self._redis.hmget(keys.delivery(origin, part), ["channel", "ts"]))
            channel, ts = found
            if channel is not None and ts is not None:
                return channel.decode(), ts.decode()
        return None
