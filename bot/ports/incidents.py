"""Incidents, what each channel wants to hear of, and what was seen of machines."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.nouns import Handling, Incident, Sighting, Watch


class Incidents(Protocol):
    """What is wrong now, and for 90 days what was."""

    async def open(self, team_id: str, incident: Incident) -> bool:
        """Remember it, once. False: it is known already, as standing or as resolved."""

    async def standing(self, team_id: str) -> tuple[Handling, ...]:
        """All that are not resolved, the oldest first."""

    async def get(self, team_id: str, incident_id: str) -> Handling | None:
        """One of them, resolved or not; None when nobody remembers it."""

    async def take(self, team_id: str, incident_id: str, user_id: str, at: datetime) -> bool:
        """Somebody is on it. False: somebody was before."""

    async def snooze(self, team_id: str, incident_id: str, user_id: str, until: datetime) -> None:
        """Ask nobody again until then."""

    async def learn(self, team_id: str, incident_id: str, fact: str) -> None:
        """Remember what more is known of it."""

    async def resolve(self, team_id: str, incident_id: str, at: datetime, how: str) -> bool:
        """It is over. False: it was before."""


class Watches(Protocol):
    """What each channel switched on or off."""

    async def put(self, team_id: str, channel: str, kind: Watch, *, on: bool) -> None:
        """Switch one kind on or off in one channel."""

    async def all(self, team_id: str) -> Mapping[tuple[str, Watch], bool]:
        """By channel and kind, what was switched; what nobody switched is not in it."""


class Sightings(Protocol):
    """What the clock saw of machines."""

    async def all(self, team_id: str) -> tuple[Sighting, ...]:
        """Every machine that is remembered."""

    async def keep(self, team_id: str, seen: tuple[Sighting, ...]) -> None:
        """Remember these, and no others."""


@dataclass(frozen=True)
class Alerting:
    """All of it, with the settings: the group that urgent ones name, the channel for what no channel watches, and after how many
    seconds without a request a machine counts as idle."""

    incidents: Incidents
    watches: Watches
    sightings: Sightings
    oncall: str | None = None
    channel: str | None = None
    idle_s: float = 3600.0
