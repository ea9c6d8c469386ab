"""The ports of a world: the operations run on them unchanged. Whatever would change something is noted and refused."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NoReturn

from bot.errors import RefusedError, RetryLater
from bot.nouns import (
    Actor,
    Delta,
    Deployment,
    EngineSample,
    Fleet,
    Happening,
    LogsFound,
    Look,
    Machine,
    ProvisioningModel,
    ServedModel,
    Usual,
    Watched,
    Zone,
)
from bot.operations.money import BookPrices
from bot.ports import Grants, LogSearch, Model, Question, Services
from bot.pricing.snapshot import snapshot
from bot.store.absent import NoAudit, NoDirectory, NoWork
from evals.machine_side import engines
from evals.scrapes import minutes, scrape
from evals.world import World

TEAM = "EVALS"
ASKER = Actor(team_id=TEAM, user_id="U0ONCALL")
"""An operator: what is refused is not refused for want of a role."""
OURS = {"managed-by": "gemma-chatops"}


@dataclass
class Stage:
    """One world with its ports. `wrote` has every call that would have changed something, `questions` what asks for a yes."""

    world: World
    wrote: list[str] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)

    def services(self, model: Model | None = None) -> Services:
        """All of its ports, with this model."""
        return Services(
            clock=_Clock(self),
            team_id=TEAM,
            grants=Grants(operators=(ASKER.user_id,)),
            directory=NoDirectory(),
            deployments=_Deployments(self),
            engine=_Engine(self),
            cloud=_Cloud(self),
            history=_History(self),
            prices=BookPrices(snapshot().as_book()),
            work=NoWork(),
            approvals=_Approvals(self),
            audit=NoAudit(),
            happenings=_Happenings(self),
            engines=engines(self.world, self.refuse),
            logs=_CloudLogs(self),
            project="recorded",
            model=model,
        )

    def refuse(self, what: str) -> NoReturn:
        """Note an attempt to change something. Nothing in a world changes."""
        self.wrote.append(what)
        raise RefusedError("This world is a recording: nothing in it changes.")


@dataclass
class _Part:
    stage: Stage

    @property
    def world(self) -> World:
        return self.stage.world


class _Clock(_Part):
    def now(self) -> datetime:
        return self.world.at


class _Deployments(_Part):
    async def all(self, team_id: str) -> tuple[Deployment, ...]:
        del team_id
        return (self.world.deployment,)


class _Engine(_Part):
    def _up(self) -> None:
        if not self.world.answers:
            raise RetryLater(f"Engine: {self.world.deployment.name} does not answer.")

    async def healthy(self, deployment: Deployment) -> bool:
        del deployment
        self._up()
        return True

    async def sample(self, deployment: Deployment) -> EngineSample:
        del deployment
        self._up()
        found = scrape(self.world, self.world.at)
        if found is None:
            raise RetryLater("Engine: it tells no metrics.")
        return found

    async def exposition(self, deployment: Deployment) -> str:
        del deployment
        raise RetryLater("Engine: the recording keeps no raw text.")

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        self._up()
        return (ServedModel(id=deployment.model_id or "gemma", root=deployment.model_id, context=self.world.context),)

    async def version(self, deployment: Deployment) -> str | None:
        del deployment
        self._up()
        return "0.32.0"

    async def chat(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> dict[str, Any]:
        del deployment, body, deadline_s
        raise RetryLater("Engine: the recording holds no conversations.")

    async def chat_stream(
        self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float
    ) -> AsyncIterator[dict[str, Any]]:
        yield await self.chat(deployment, body, deadline_s)


class _Cloud(_Part):
    async def zones(self) -> tuple[str, ...]:
        return (self.world.deployment.zone or "us-east5-a",)

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        del zones
        world, at = self.world, self.world.at
        zone = world.deployment.zone or "us-east5-a"
        if world.unreachable is not None:
            return Fleet(at=at, machines=(), requests=(), unreachable={zone: world.unreachable}, zones_asked=1)
        machines = () if world.machine is None else (self._machine(zone),)
        return Fleet(at=at, machines=machines, requests=(), zones_asked=1)

    def _machine(self, zone: str) -> Machine:
        world, deployment = self.world, self.world.deployment
        assert world.machine is not None
        return Machine(
            backend="tpu_api",
            name=deployment.machine or f"{deployment.name}-1",
            zone=Zone(name=zone),
            state=world.machine,
            accelerator=deployment.accelerator,
            health=world.health,
            created_at=world.ago(world.started_min + 20),
            ends_at=deployment.ends_at,
            provisioning=ProvisioningModel.FLEX_START,
            labels={**OURS, "deployment": deployment.name},
        )


class _History(_Part):
    async def last(self, team_id: str, deployment: str) -> EngineSample | None:
        del team_id, deployment
        return scrape(self.world, self.world.ago(0 if self.world.answers else self.world.silent_min or 0))

    async def earlier(self, team_id: str, deployment: str, before: datetime) -> EngineSample | None:
        del team_id, deployment
        return scrape(self.world, before - timedelta(seconds=1))

    async def windows(self, team_id: str, deployment: str, since: datetime, until: datetime) -> tuple[Delta, ...]:
        del team_id, deployment
        return tuple(one for one in minutes(self.world) if one.until > since and one.since < until)

    async def usual(self, team_id: str, deployment: str) -> Usual | None:
        del team_id, deployment
        first = self.world.usual_first_s
        return None if first is None else Usual(first_token_s=first, windows=400, since=self.world.at - timedelta(days=7))

    async def keep(self, team_id: str, deployment: str, sample: EngineSample) -> None:
        del team_id, deployment, sample


class _Happenings(_Part):
    async def note(self, team_id: str, deployment: str, look: Look) -> tuple[Happening, ...]:
        del team_id, deployment, look
        return ()

    async def since(self, team_id: str, deployment: str, since: datetime, most: int) -> tuple[Happening, ...]:
        del team_id, deployment
        found = [one for one in self.world.happenings if one.at >= since]
        return tuple(sorted(found, key=lambda one: one.at, reverse=True)[:most])

    async def watched(self, team_id: str, deployment: str) -> Watched | None:
        del team_id, deployment
        world = self.world
        return Watched(since=world.at - timedelta(days=7), at=world.at, answering=world.answers, version="0.32.0")


class _CloudLogs(_Part):
    async def find(self, search: LogSearch) -> LogsFound:
        return LogsFound(at=self.world.at, since=search.since, until=search.until, entries=(), pages=1)


class _Approvals(_Part):
    async def ask(self, question: Question) -> None:
        self.stage.questions[question.id] = question

    async def get(self, question_id: str) -> Question | None:
        return self.stage.questions.get(question_id)

    async def spend(self, question: Question, by: Actor) -> bool:
        del question, by
        return False

    async def waiting(self, team_id: str, now: datetime) -> tuple[Question, ...]:
        del team_id, now
        return tuple(self.stage.questions.values())

    async def decline(self, question: Question, by: Actor) -> bool:
        del question, by
        return False
