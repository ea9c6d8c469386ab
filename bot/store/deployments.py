"""The deployments that people know by name: from the settings, from `deployments.toml`, then from the store."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from redis.asyncio import Redis

from bot.errors import PersonMovesNext
from bot.nouns import Deployment
from bot.store import keys


def from_settings(base_url: str | None) -> tuple[Deployment, ...]:
    """MODEL_BASE_URL alone makes the deployment `default`."""
    return (Deployment(name="default", base_url=base_url, origin="settings"),) if base_url else ()


def from_file(path: Path) -> tuple[Deployment, ...]:
    """The tables of a TOML file, a table each; no file is none. Raises PersonMovesNext naming the table that is wrong."""
    try:
        tables: dict[str, Any] = tomllib.loads(path.read_text())
    except FileNotFoundError:
        return ()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PersonMovesNext(f"{path.name} cannot be read: {error}", next_step=f"Correct {path.name}.") from error
    return tuple(_table(path, name, table) for name, table in tables.items())


def _table(path: Path, name: str, table: object) -> Deployment:
    if not isinstance(table, dict):
        raise PersonMovesNext(
            f"{path.name}: {name} is not a table.", next_step=f"Write [{name}] on a line of its own in {path.name}."
        )
    try:
        return Deployment.model_validate({**table, "name": name, "origin": path.name})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "table"
        raise PersonMovesNext(f"{path.name}: [{name}] {where}: {first['msg']}", next_step=f"Correct {path.name}.") from error


STANDS = ("base_url", "model_id", "accelerator", "zone", "machine", "image", "context", "owner", "ends_at", "address_before")
"""Where a deployment stands: what we know better than the settings once we brought it up."""


class DeploymentStore:
    """Implements `bot.ports.Deployments` and `Setups`: what was configured comes first, what was set up from Slack adds to it,
    and where a deployment stands since we brought it up goes over both.
    """

    def __init__(self, redis: Redis | None, configured: tuple[Deployment, ...]) -> None:
        """Without `redis` (terminal reads) only what was configured is known."""
        self._redis = redis
        self._configured = configured

    async def all(self, team_id: str) -> tuple[Deployment, ...]:
        """Every deployment, each name once."""
        known = {deployment.name: deployment for deployment in self._configured}
        for deployment in await self._stored(keys.deployments(team_id)):
            known.setdefault(deployment.name, deployment)
        for settled in await self._stored(keys.settled(team_id)):
            known[settled.name] = _over(known.get(settled.name, settled), settled)
        return tuple(known.values())

    async def _stored(self, key: str) -> list[Deployment]:
        if self._redis is None:
            return []
        raw = await self._redis.hgetall(key)
        return [Deployment.model_validate_json(value) for _, value in sorted(raw.items())]

    async def put(self, team_id: str, deployment: Deployment) -> None:
        """Remember a deployment that was set up from Slack; where it stood before no longer counts."""
        pipe = self._kept().pipeline(transaction=True)
        pipe.hset(keys.deployments(team_id), deployment.name, deployment.model_dump_json())
        pipe.hdel(keys.settled(team_id), deployment.name)
        await pipe.execute()

    async def settle(self, team_id: str, deployment: Deployment) -> None:
        """Where it stands from now on, with the address that it had until now. A repeat finds its own address there and keeps
        the one before."""
        redis = self._kept()
        known = next((one for one in await self.all(team_id) if one.name == deployment.name), None)
        before = known.address_before if known is not None else None
        if known is not None and known.base_url not in {None, deployment.base_url}:
            before = known.base_url
        made = deployment.model_copy(update={"address_before": before, "origin": "store"})
        await redis.hset(keys.settled(team_id), deployment.name, made.model_dump_json())

    def _kept(self) -> Redis:
        if self._redis is None:
            raise PersonMovesNext("Deployments cannot be kept without Redis.", next_step="Set REDIS_URL.")
        return self._redis

    async def prefer(self, team_id: str, channel: str, name: str) -> None:
        """Have this channel mean this deployment when none is named."""
        if self._redis is not None:
            await self._redis.hset(keys.preferred(team_id), channel, name)

    async def preferred(self, team_id: str, channel: str) -> str | None:
        """The name that this channel means, or None."""
        raw = None if self._redis is None else await self._redis.hget(keys.preferred(team_id), channel)
        return raw.decode() if isinstance(raw, bytes) else raw


def _over(configured: Deployment, settled: Deployment) -> Deployment:
    """The configured one where it stands now."""
    return configured.model_copy(update={name: getattr(settled, name) for name in STANDS})
