"""Until when each of our machines was bought."""

from redis.asyncio import Redis

from bot.ports import Lease
from bot.store import keys


class LeaseStore:
    """Implements `bot.ports.Leases`."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis

    async def put(self, team_id: str, lease: Lease) -> None:
        """See `bot.ports.Leases.put`."""
        await self._redis.hset(keys.lease(team_id), f"{lease.zone}/{lease.machine}", lease.model_dump_json())

    async def all(self, team_id: str) -> tuple[Lease, ...]:
        """See `bot.ports.Leases.all`."""
        raw = await self._redis.hvals(keys.lease(team_id))
        return tuple(sorted((Lease.model_validate_json(one) for one in raw), key=lambda lease: lease.ends_at))

    async def drop(self, team_id: str, zone: str, machine: str) -> None:
        """See `bot.ports.Leases.drop`."""
        await self._redis.hdel(keys.lease(team_id), f"{zone}/{machine}")
