"""Roles given from Slack, and the one-time code that makes the first admin."""

import hashlib
import hmac
import secrets
from typing import cast

from redis.asyncio import Redis

from bot.nouns import Role
from bot.ports import Grants
from bot.store import keys
from bot.store.scripts import Scripts

CODE_LIFE_S = 3600
"""Whoever starts the bot reads its log then; an hour later the code in the log is worth nothing."""


def new_code() -> str:
    """Eighty random bits in four groups that can be read out: `0a1b2-c3d4e-5f607-18293`."""
    digits = secrets.token_hex(10)
    return "-".join(digits[at : at + 5] for at in range(0, 20, 5))


def _stored(digest: str) -> str:
    """What is kept of a digest: nobody can use what stands in Redis as if it were the code."""
    return hashlib.sha256(digest.encode()).hexdigest()


class RoleStore:
    """Implements `bot.ports.Roles`: a hash of user or group id to role, for each workspace."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)

    async def given(self, team_id: str) -> Grants:
        """All of them; an unknown word for a role gives none."""
        raw = cast(dict[bytes, bytes], await self._redis.hgetall(keys.roles(team_id)))
        by_role: dict[bytes, list[str]] = {b"admin": [], b"operator": []}
        for name, role in sorted(raw.items()):
            by_role.get(role, []).append(name.decode())
        return Grants(admins=tuple(by_role[b"admin"]), operators=tuple(by_role[b"operator"]))

    async def give(self, team_id: str, name: str, role: Role) -> None:
        """Give a user or a user group a role, or with VIEWER take it away."""
        if role in {Role.ADMIN, Role.OPERATOR}:
            await self._redis.hset(keys.roles(team_id), name, role.name.lower())
        else:
            await self._redis.hdel(keys.roles(team_id), name)

    async def offer(self, team_id: str, digest: str) -> None:
        """Have the code with this digest make the first admin, within an hour; an older code is worth nothing then."""
        await self._redis.set(keys.setup_code(team_id), _stored(digest), ex=CODE_LIFE_S)

    async def first_admin(self, team_id: str, digest: str, user_id: str) -> bool:
        """Spend the code and give the role in one call. False: another code, none, or somebody is admin already."""
        raw = await self._redis.get(keys.setup_code(team_id))
        known = raw.decode() if isinstance(raw, bytes) else ""
        if not known or not hmac.compare_digest(known, _stored(digest)):
            return False
        done = await self._scripts.call("first_admin", [keys.setup_code(team_id), keys.roles(team_id)], [known, user_id])
        return bool(done)
