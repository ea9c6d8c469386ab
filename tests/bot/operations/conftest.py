"""A world of a few lines for operations: deployments, an engine, a cloud and a history that say what a test told them."""

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.errors import BotError
from bot.nouns import (
    Actor,
    CapacityRequest,
    Delta,
    Deployment,
    EngineSample,
    Fleet,
    Machine,
    ServedModel,
    Standing,
    Usual,
)
from bot.operations import OPERATIONS
from bot.operations.execute import Outcome, execute
from bot.operations.money import BookPrices
from bot.ports import Grants, Services
from bot.pricing.snapshot import snapshot
from bot.requests import Door, Place, Request
from bot.store.absent import NoApprovals, NoAudit, NoWork

sys.path.insert(0, str(Path(__file__).parent))
"""The doubles of the house lie beside the tests (`house_doubles`)."""

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)


@dataclass
class World:
    """What exists and answers. An error in the place of an answer is raised when it is asked for."""

    now: datetime = NOW
    deployments: list[Deployment] = field(
        default_factory=lambda: [
            Deployment(name="prod", base_url="http://127.0.0.1:8000", accelerator="v6e-4", zone="us-east5-a", machine="prod-1")
        ]
    )
    engine: dict[str, Any] = field(default_factory=dict)
    machines: tuple[Machine, ...] = ()
    requests: tuple[CapacityRequest, ...] = ()
    unreachable: dict[str, str] = field(default_factory=dict)
    windows: tuple[Delta, ...] = ()
    chats: list[dict[str, Any]] = field(default_factory=list)

    def services(self) -> Services:
        """The ports of this world."""
        return Services(
            clock=_Clock(self),
            team_id="T1",
            grants=Grants(),
            directory=_Directory(),
            deployments=_Deployments(self),
            engine=_Engine(self),
            cloud=_Cloud(self),
            history=_History(self),
            prices=BookPrices(snapshot().as_book()),
            work=NoWork(),
            approvals=NoApprovals(),
            audit=NoAudit(),
        )

    async def ask(self, words: str, door: Door = Door.COMMAND) -> Outcome:
        """What a full member gets who types these words after /gemma."""
        place = Place(channel="C1")
        asked = Request(id="r1", door=door, actor=Actor(team_id="T1", user_id="U1"), place=place, words=words, at=self.now)
        return await execute(OPERATIONS, self.services(), asked)


@dataclass
class _Part:
    world: World


class _Clock(_Part):
    def now(self) -> datetime:
        return self.world.now


class _Directory:
    async def standing(self, actor: Actor) -> Standing:
        del actor
        return Standing.MEMBER

    async def in_group(self, actor: Actor, group_id: str) -> bool:
        del actor, group_id
        return False


class _Deployments(_Part):
    async def all(self, team_id: str) -> tuple[Deployment, ...]:
        del team_id
        return tuple(self.world.deployments)


class _Engine(_Part):
    async def _told(self, what: str) -> Any:
        answer = self.world.engine.get(what, BotError(f"the engine says nothing of its {what}"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def healthy(self, deployment: Deployment) -> bool:
        del deployment
        return bool(await self._told("healthy"))

    async def sample(self, deployment: Deployment) -> EngineSample:
        del deployment
        sample: EngineSample = await self._told("sample")
        return sample

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        del deployment
        served: tuple[ServedModel, ...] = await self._told("models")
        return served

    async def version(self, deployment: Deployment) -> str | None:
        del deployment
        version: str | None = await self._told("version")
        return version

    async def exposition(self, deployment: Deployment) -> str:
        del deployment
        return str(await self._told("exposition"))

    async def chat(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> dict[str, Any]:
        del deployment, deadline_s
        self.world.chats.append(dict(body))
        answer = await self._told("chat")
        made: dict[str, Any] = answer(body) if callable(answer) else answer
        return made

    async def chat_stream(
        self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float
    ) -> AsyncIterator[dict[str, Any]]:
        del deployment, deadline_s
        self.world.chats.append(dict(body))
        for chunk in await self._told("chunks"):
            yield chunk


class _Cloud(_Part):
    async def zones(self) -> tuple[str, ...]:
        return tuple(sorted({machine.zone.name for machine in self.world.machines}))

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        world = self.world
        inside = [one for one in world.machines if zones is None or one.zone.name in zones]
        return Fleet(
            at=world.now,
            machines=tuple(inside),
            requests=tuple(one for one in world.requests if zones is None or one.zone.name in zones),
            unreachable=world.unreachable,
            zones_asked=6,
        )


class _History(_Part):
    async def last(self, team_id: str, deployment: str) -> EngineSample | None:
        del team_id, deployment
        return None

    async def earlier(self, team_id: str, deployment: str, before: datetime) -> EngineSample | None:
        del team_id, deployment, before
        return None

    async def windows(self, team_id: str, deployment: str, since: datetime, until: datetime) -> tuple[Delta, ...]:
        del team_id, deployment
        return tuple(one for one in self.world.windows if one.until > since and one.since < until)

    async def usual(self, team_id: str, deployment: str) -> Usual | None:
        del team_id, deployment
        return None

    async def keep(self, team_id: str, deployment: str, sample: EngineSample) -> None:
        del team_id, deployment, sample


@pytest.fixture
def world() -> World:
    """One deployment, prod, and nothing that answers yet."""
    return World()
