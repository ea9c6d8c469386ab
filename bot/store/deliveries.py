"""Messages that a work owes: the intent is written before the message is sent, its place after."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from redis.asyncio import Redis

from bot.store import keys
from bot.store.scripts import Scripts
from bot.store.work import KEEP_DONE_S, Work


@dataclass(frozen=True)
class Delivery:
    """What is known of one owed message.

    `standing`: "untried"; "unknown" when it was tried and may have arrived; "sent" with `channel` and `ts`; "lost" when the
    lease is somebody else's and nothing may be sent. `since` is the time of the first try.
    """

    standing: Literal["untried", "unknown", "sent", "lost"]
    since: datetime | None = None
    channel: str | None = None
    ts: str | None = None


class DeliveryStore:
    """Keeps each owed message for as long as its work is remembered."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def begin(self, work: Work, part: str, now: datetime) -> Delivery:
        """Write the intent under the work's fence and learn what came of earlier tries."""
        answer = await self._scripts.call(
            "begin_delivery",
            [keys.work(work.id), keys.delivery(work.id, part)],
            [work.fence, repr(now.timestamp()), KEEP_DONE_S],
        )
        match answer:
            case [0, since]:
                return Delivery("untried", since=_time(since))
            case [1, since]:
                return Delivery("unknown", since=_time(since))
            case [2, channel, ts]:
                return Delivery("sent", channel=channel.decode(), ts=ts.decode())
            case _:
                return Delivery("lost")

    async def sent(self, work: Work, part: str, channel: str, ts: str) -> None:
        """Note where the message stands."""
        await self._redis.hset(keys.delivery(work.id, part), mapping={"channel": channel, "ts": ts})


def _time(raw: bytes) -> datetime:
    return datetime.fromtimestamp(float(raw), UTC)
