"""What came of asking for capacity, and how fast all workers together may ask."""

from redis.asyncio import Redis

from bot.nouns import ProvisioningModel, Tried
from bot.store import keys
from bot.store.pace import spacing
from bot.store.scripts import Scripts

CREATES_PER_MINUTE = 60
"""Below the 91 a minute that were seen as Google's limit on creates (issue 6198 of marin-community/marin): other tools in the
project ask too."""

KEEP_S = 35 * 86400
"""Longer than the longest that a refusal holds."""


class TryStore:
    """Implements `bot.ports.Tries` and `bot.ports.CreatePace`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def remember(self, team_id: str, tried: Tried) -> None:
        """See `bot.ports.Tries.remember`."""
        key = keys.tries(team_id, tried.slice, tried.provisioning.value)
        kind = tried.refusal.value if tried.refusal is not None else "worked"
        await self._redis.hset(key, f"{tried.zone}/{kind}", tried.model_dump_json())
        await self._redis.expire(key, KEEP_S)

    async def all(self, team_id: str, piece: str, provisioning: ProvisioningModel) -> tuple[Tried, ...]:
        """See `bot.ports.Tries.all`."""
        raw = await self._redis.hvals(keys.tries(team_id, piece, provisioning.value))
        return tuple(sorted((Tried.model_validate_json(one) for one in raw), key=lambda one: (one.at, one.zone)))

    async def places(self, wanted: int) -> int:
        """See `bot.ports.CreatePace.places`."""
        gap, burst = spacing(CREATES_PER_MINUTE)
        for got in range(wanted):
            if int(await self._scripts.call("book", [keys.pace("tpu.create", "cloud")], [0, gap, burst])) < 0:
                return got
        return wanted
