"""Which local port leads to which engine, from this machine: known as long as whoever holds the tunnel says so."""

import os
import socket
from pathlib import Path

from redis.asyncio import Redis

from bot.store import keys

LIFE_S = 20
"""A tunnel whose holder was not heard of for so long is gone."""


def here() -> str:
    """What processes that share a loopback share: the machine's boot and the network name space; elsewhere the host's name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}-{os.stat('/proc/self/ns/net').st_ino}"
    except OSError:
        return socket.gethostname()


class TunnelStore:
    """Implements `bot.ports.Tunnels`. A port is of use to processes on the same loopback alone, so each place has its own."""

    def __init__(self, redis: Redis, place: str | None = None) -> None:
        """Nothing is sent before the first call; `place` is where we are, found out when it is None."""
        self._redis = redis
        self._place = place or here()

    async def port(self, team_id: str, deployment: str) -> int | None:
        """See `bot.ports.Tunnels.port`."""
        raw = await self._redis.get(keys.tunnel(self._place, team_id, deployment))
        return int(raw) if raw is not None else None

    async def hold(self, team_id: str, deployment: str, port: int) -> None:
        """See `bot.ports.Tunnels.hold`."""
        await self._redis.set(keys.tunnel(self._place, team_id, deployment), port, ex=LIFE_S)

    async def drop(self, team_id: str, deployment: str) -> None:
        """See `bot.ports.Tunnels.drop`."""
        await self._redis.delete(keys.tunnel(self._place, team_id, deployment))
