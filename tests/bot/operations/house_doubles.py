"""The house in memory, for operations that read or change it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.errors import BotError
from bot.nouns import Actor, Deployment, Role
from bot.operations import OPERATIONS
from bot.operations.execute import Outcome, execute
from bot.ports import Grants, House, Limit, Memory, Services
from bot.requests import Door, Place, Request

ALL_WELL = Memory(version="7.2.4", append_only=True, eviction="noeviction")
ALIVE = {"web": 1, "clock": 1, "reads": 2, "answers": 1, "steps": 1, "benchmarks": 1}
SCOPES = frozenset(
    {"app_mentions:read", "channels:history", "chat:write", "commands", "files:write", "groups:history", "im:history"}
    | {"im:write", "usergroups:read", "users:read"}
)


@dataclass
class HouseInMemory:
    """Every port of the house at once. An error in the place of an answer is raised."""

    grants: Grants = field(default_factory=Grants)
    code: str | None = None
    stored: dict[str, Deployment] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    bound: Limit | None = None
    entries: list[dict[str, str]] = field(default_factory=list)
    allowed: frozenset[str] | BotError | None = SCOPES
    inside: bool | None = True
    about: Memory = ALL_WELL
    mentions: int = 3
    living: Mapping[str, int] = field(default_factory=lambda: dict(ALIVE))

    def house(self) -> House:
        return House(self, self, self, self, self)

    async def given(self, team_id: str) -> Grants:
        del team_id
        return self.grants

    async def give(self, team_id: str, name: str, role: Role) -> None:
        del team_id
        admins = tuple(one for one in self.grants.admins if one != name)
        operators = tuple(one for one in self.grants.operators if one != name)
        self.grants = Grants(
            (*admins, name) if role is Role.ADMIN else admins, (*operators, name) if role is Role.OPERATOR else operators
        )

    async def first_admin(self, team_id: str, digest: str, user_id: str) -> bool:
        del team_id
        if self.code is None or digest != self.code:
            return False
        self.code, self.grants = None, Grants(admins=(user_id,))
        return True

    async def put(self, team_id: str, deployment: Deployment) -> None:
        del team_id
        self.stored[deployment.name] = deployment

    async def settle(self, team_id: str, deployment: Deployment) -> None:
        del team_id
        self.stored[deployment.name] = deployment

    async def prefer(self, team_id: str, channel: str, name: str) -> None:
        del team_id
        self.channels[channel] = name

    async def preferred(self, team_id: str, channel: str) -> str | None:
        del team_id
        return self.channels.get(channel)

    async def limit(self, team_id: str) -> Limit | None:
        del team_id
        return self.bound

    async def set_limit(self, team_id: str, limit: Limit | None) -> None:
        del team_id
        self.bound = limit

    async def note(self, team_id: str, entry: Mapping[str, str]) -> None:
        del team_id
        self.entries.append(dict(entry))

    async def since(self, team_id: str, since: datetime, most: int) -> tuple[Mapping[str, str], ...]:
        del team_id
        return tuple(one for one in reversed(self.entries) if datetime.fromisoformat(one["at"]) >= since)[:most]

    async def scopes(self) -> frozenset[str] | None:
        if isinstance(self.allowed, BotError):
            raise self.allowed
        return self.allowed

    async def in_channel(self, channel: str) -> bool | None:
        del channel
        return self.inside

    async def memory(self) -> Memory:
        return self.about

    async def alive(self) -> Mapping[str, int]:
        return self.living

    async def events(self) -> Mapping[Door, int]:
        return {Door.MENTION: self.mentions, Door.MESSAGE: 0, Door.HOME: 0}


async def ask(world: Any, inside: HouseInMemory, words: str, user: str = "U1", channel: str = "C1") -> Outcome:
    """What this user gets who types these words in this channel."""
    services: Services = replace(world.services(), house=inside.house(), audit=inside)
    actor = Actor(team_id="T1", user_id=user)
    place = Place(channel=channel)
    asked = Request(id="r1", door=Door.COMMAND, actor=actor, place=place, words=words, at=world.now)
    return await execute(OPERATIONS, services, asked)
