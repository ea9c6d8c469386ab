"""What the house keeps about itself: who was given a role, what was set up from Slack, the budget, and how well its parts are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.nouns import Deployment, Noun, Role
from bot.requests import Door


@dataclass(frozen=True)
class Grants:
    """Who was given a role by hand: Slack user ids (U…, W…) and user group ids (S…)."""

    admins: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()


class Roles(Protocol):
    """Roles that were given from Slack, beside those of the settings."""

    async def given(self, team_id: str) -> Grants:
        """All of them."""

    async def give(self, team_id: str, name: str, role: Role) -> None:
        """Give a user or a user group a role, or with VIEWER take it away."""

    async def first_admin(self, team_id: str, digest: str, user_id: str) -> bool:
        """Make this user an admin for the one-time code with this digest. False: no such code waits (any more)."""


class Setups(Protocol):
    """Deployments that were set up from Slack, and which one a channel means when none is named."""

    async def put(self, team_id: str, deployment: Deployment) -> None:
        """Remember a deployment as somebody set it up; where it stood before no longer counts."""

    async def settle(self, team_id: str, deployment: Deployment) -> None:
        """Remember where a deployment stands now that we brought it up: address, model, machine, image, context, owner and end
        come before what was configured. The address before is kept. Repeated, it changes nothing.
        """

    async def prefer(self, team_id: str, channel: str, name: str) -> None:
        """Have this channel mean this deployment."""

    async def preferred(self, team_id: str, channel: str) -> str | None:
        """The name that this channel means, or None."""


class Limit(Noun):
    """How much may be spent in a calendar month (UTC), in USD, with who set it and when."""

    usd: float
    by: str
    at: datetime


class Budget(Protocol):
    """The monthly limit of a workspace."""

    async def limit(self, team_id: str) -> Limit | None:
        """The limit, or None when there is none."""

    async def set_limit(self, team_id: str, limit: Limit | None) -> None:
        """Set it, or take it away."""


class Trail(Protocol):
    """Reading back what was written to the audit."""

    async def since(self, team_id: str, since: datetime, most: int) -> tuple[Mapping[str, str], ...]:
        """The newest `most` entries since then, newest first."""


class Memory(Noun):
    """What Redis says of itself. None: it does not let us look (managed ones often refuse CONFIG)."""

    version: str | None
    append_only: bool | None
    eviction: str | None


class Probes(Protocol):
    """Looking at our own parts. Each call raises the errors of its adapter when what it asks does not answer."""

    async def scopes(self) -> frozenset[str] | None:
        """What the bot token may do, as Slack says; None when Slack does not say."""

    async def in_channel(self, channel: str) -> bool | None:
        """Whether the bot is a member there; None when that cannot be learnt."""

    async def memory(self) -> Memory:
        """What Redis says of itself."""

    async def alive(self) -> Mapping[str, int]:
        """How many of each process gave a sign of life: `web`, `clock`, and a worker by its queue."""

    async def events(self) -> Mapping[Door, int]:
        """How many events Slack has brought so far: mentions, direct messages, openings of the Home tab. None came: 0."""


@dataclass(frozen=True)
class House:
    """All of it. The terminal without Redis has none."""

    roles: Roles
    setups: Setups
    budget: Budget
    trail: Trail
    probes: Probes
