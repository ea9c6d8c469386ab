"""The talk of each thread: whose turn it is, and what was said."""

from typing import cast

from redis.asyncio import Redis

from bot.nouns import Exchange
from bot.ports import Thread
from bot.store import keys
from bot.store.scripts import Scripts

KEEP_S = 24 * 3600
"""A talk is remembered for a day after its last word. Our choice: an incident is over by then."""

KEPT = 6
"""Questions of a thread that are remembered: more than any window takes beside a new one."""


class ConversationStore:
    """Implements `bot.ports.Conversations`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def my_turn(self, thread: Thread, work_id: str, order: float) -> bool:
        """See `bot.ports.Conversations.my_turn`."""
        line = keys.line(thread.team_id, thread.channel, thread.thread)
        mine = await self._scripts.call("my_turn", [line, f"{line}:holder", keys.DUE], [work_id, repr(order), KEEP_S])
        return bool(mine)

    async def wake_next(self, thread: Thread, ended: str) -> None:
        """See `bot.ports.Conversations.wake_next`."""
        line = keys.line(thread.team_id, thread.channel, thread.thread)
        await self._scripts.call("wake_next", [line, keys.DUE, keys.KICKS], [keys.work(""), ended])

    async def exchanges(self, thread: Thread) -> tuple[Exchange, ...]:
        """The latest few, oldest first."""
        key = keys.conversation(thread.team_id, thread.channel, thread.thread)
        raw = cast(list[bytes], await self._redis.hvals(key))
        found = sorted((Exchange.model_validate_json(one) for one in raw), key=lambda one: one.at)
        return tuple(found[-KEPT:])

    async def remember(self, thread: Thread, exchange: Exchange) -> None:
        """Keep it, and let go of the oldest beyond the latest few."""
        key = keys.conversation(thread.team_id, thread.channel, thread.thread)
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.hset(key, exchange.id, exchange.model_dump_json())
            pipe.expire(key, KEEP_S)
            await pipe.execute()
        raw = cast(list[bytes], await self._redis.hvals(key))
        found = sorted((Exchange.model_validate_json(one) for one in raw), key=lambda one: one.at)
        if len(found) > KEPT:
            await self._redis.hdel(key, *(one.id for one in found[:-KEPT]))
