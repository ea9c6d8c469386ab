"""Small real implementations of the ports, in memory. An exception in the place of an answer is raised when it is asked for."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from bot.errors import RetryLater
from bot.nouns import Actor, Delta, Deployment, EngineSample, Fleet, ServedModel, Standing, Usual
from bot.operations.money import BookPrices
from bot.ports import Capacity, Engines, Grants, Happenings, Leases, LongWork, OpenWork, Question, Services
from bot.pricing.snapshot import snapshot
from bot.requests import Door, Place, Request
from bot.view import View

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
TEAM = "T1"
ANNA, BEN, DANA, CARLA = (Actor(team_id=TEAM, user_id=user) for user in ("U1ANNA", "U1BEN", "U1DANA", "U1CARLA"))
"""An admin by id, an operator by group, a viewer, a guest."""

OPERATORS = "S1OPS"
T = TypeVar("T")


def told(answer: T | Exception) -> T:
    """The answer, or the exception that stands in its place."""
    if isinstance(answer, Exception):
        raise answer
    return answer


@dataclass
class HeldClock:
    """A time that stands still until a test moves it."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


@dataclass
class People:
    """Who is who. `away` makes every look-up fail, as Slack does when it cannot be reached."""

    standings: dict[str, Standing] = field(default_factory=lambda: {CARLA.user_id: Standing.GUEST})
    groups: dict[str, set[str]] = field(default_factory=lambda: {OPERATORS: {BEN.user_id}})
    away: bool = False
    asked: list[str] = field(default_factory=list)

    async def standing(self, actor: Actor) -> Standing:
        self._look(actor.user_id)
        return self.standings.get(actor.user_id, Standing.MEMBER)

    async def in_group(self, actor: Actor, group_id: str) -> bool:
        self._look(group_id)
        return actor.user_id in self.groups.get(group_id, set())

    def _look(self, what: str) -> None:
        self.asked.append(what)
        if self.away:
            raise RetryLater("Slack cannot be reached.", arrived=False)


@dataclass
class Names:
    """The deployments that have a name."""

    known: list[Deployment] = field(default_factory=list)

    async def all(self, team_id: str) -> tuple[Deployment, ...]:
        del team_id
        return tuple(self.known)


@dataclass
class FakeEngine:
    """What the engine says; by default that it cannot be reached."""

    health: bool | Exception = field(default_factory=lambda: RetryLater("Engine: prod does not answer."))
    scrape: EngineSample | Exception = field(default_factory=lambda: RetryLater("Engine: prod does not answer."))
    served: tuple[ServedModel, ...] | Exception = ()
    said_version: str | Exception | None = None

    async def healthy(self, deployment: Deployment) -> bool:
        del deployment
        return told(self.health)

    async def sample(self, deployment: Deployment) -> EngineSample:
        del deployment
        return told(self.scrape)

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        del deployment
        return told(self.served)

    async def version(self, deployment: Deployment) -> str | None:
        del deployment
        return told(self.said_version)

    async def exposition(self, deployment: Deployment) -> str:
        del deployment
        raise RetryLater("Engine: prod does not answer.")

    async def chat(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> dict[str, Any]:
        del deployment, body, deadline_s
        raise RetryLater("Engine: prod does not answer.")

    async def chat_stream(
        self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float
    ) -> AsyncIterator[dict[str, Any]]:
        yield await self.chat(deployment, body, deadline_s)


@dataclass
class FakeCloud:
    """The capacity of a project; `asked` is which zones each question named."""

    answer: Fleet | Exception = field(default_factory=lambda: Fleet(at=NOW, machines=(), requests=(), zones_asked=6))
    asked: list[Sequence[str] | None] = field(default_factory=list)

    async def zones(self) -> tuple[str, ...]:
        return tuple(sorted({machine.zone.name for machine in told(self.answer).machines}))

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        self.asked.append(zones)
        return told(self.answer)


@dataclass
class Past:
    """What was seen before."""

    scrapes: list[EngineSample] = field(default_factory=list)
    minutes: tuple[Delta, ...] = ()
    normal: Usual | None = None

    async def last(self, team_id: str, deployment: str) -> EngineSample | None:
        del team_id, deployment
        return self.scrapes[-1] if self.scrapes else None

    async def earlier(self, team_id: str, deployment: str, before: datetime) -> EngineSample | None:
        del team_id, deployment
        return next((one for one in reversed(self.scrapes) if one.at < before), None)

    async def windows(self, team_id: str, deployment: str, since: datetime, until: datetime) -> tuple[Delta, ...]:
        del team_id, deployment
        return tuple(one for one in self.minutes if one.until > since and one.since < until)

    async def usual(self, team_id: str, deployment: str) -> Usual | None:
        del team_id, deployment
        return self.normal

    async def keep(self, team_id: str, deployment: str, sample: EngineSample) -> None:
        del team_id, deployment
        self.scrapes.append(sample)


@dataclass
class Desk:
    """Work under way, and answers that were given."""

    open: list[OpenWork] = field(default_factory=list)
    given: dict[str, tuple[Request, View]] = field(default_factory=dict)
    stopped: list[str] = field(default_factory=list)

    async def under_way(self, team_id: str) -> tuple[OpenWork, ...]:
        del team_id
        return tuple(self.open)

    async def answer(self, work_id: str) -> tuple[Request, View] | None:
        return self.given.get(work_id)

    async def ask_to_stop(self, work_id: str) -> bool:
        if work_id not in {one.id for one in self.open}:
            return False
        self.stopped.append(work_id)
        return True

    async def asked_to_stop(self, work_id: str) -> bool:
        return work_id in self.stopped


@dataclass
class Questions:
    """Questions with their first answer; `works` are the requests that a yes made."""

    asked: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, tuple[str, str]] = field(default_factory=dict)
    works: list[Request] = field(default_factory=list)

    async def ask(self, question: Question) -> None:
        self.asked.setdefault(question.id, question)

    async def get(self, question_id: str) -> Question | None:
        question = self.asked.get(question_id)
        said, by = self.answers.get(question_id, ("", ""))
        return question.model_copy(update={"spent_by": by if said == "yes" else None}) if question else None

    async def spend(self, question: Question, by: Actor) -> bool:
        if question.id in self.answers:
            return False
        self.answers[question.id] = ("yes", by.user_id)
        self.works.append(question.request.model_copy(update={"id": question.id, "approval": question.id}))
        return True

    async def waiting(self, team_id: str, now: datetime) -> tuple[Question, ...]:
        still = [one for one in self.asked.values() if one.id not in self.answers and one.expires_at > now]
        return tuple(sorted((one for one in still if one.request.actor.team_id == team_id), key=lambda one: one.expires_at))

    async def decline(self, question: Question, by: Actor) -> bool:
        return self.answers.setdefault(question.id, ("no", by.user_id)) == ("no", by.user_id)


@dataclass
class Book:
    """The audit, line by line."""

    lines: list[dict[str, str]] = field(default_factory=list)

    async def note(self, team_id: str, entry: Mapping[str, str]) -> None:
        self.lines.append({"team": team_id, **entry})


@dataclass
class House:
    """All ports together, and requests as people in it make them."""

    clock: HeldClock = field(default_factory=HeldClock)
    people: People = field(default_factory=People)
    names: Names = field(default_factory=Names)
    engine: FakeEngine = field(default_factory=FakeEngine)
    cloud: FakeCloud = field(default_factory=FakeCloud)
    past: Past = field(default_factory=Past)
    desk: Desk = field(default_factory=Desk)
    questions: Questions = field(default_factory=Questions)
    book: Book = field(default_factory=Book)
    grants: Grants = field(default_factory=lambda: Grants(admins=(ANNA.user_id,), operators=(OPERATORS,)))
    long_work: LongWork | None = None
    leases: Leases | None = None
    happenings: Happenings | None = None
    capacity: Capacity | None = None
    engines: Engines | None = None
    more: dict[str, Any] = field(default_factory=dict)
    """Further ports by name: model, answerer, conversations, threads."""

    @property
    def services(self) -> Services:
        made = Services(
            clock=self.clock,
            team_id=TEAM,
            grants=self.grants,
            directory=self.people,
            deployments=self.names,
            engine=self.engine,
            cloud=self.cloud,
            history=self.past,
            prices=BookPrices(snapshot().as_book()),
            work=self.desk,
            approvals=self.questions,
            audit=self.book,
            long_work=self.long_work,
            leases=self.leases,
            happenings=self.happenings,
            capacity=self.capacity,
            engines=self.engines,
        )
        return replace(made, **self.more)

    def request(self, words: str, by: Actor = DANA, door: Door = Door.COMMAND, **more: Any) -> Request:
        asked = {"id": f"{by.user_id}-{words}", "door": door, "actor": by, "place": Place(channel="C1"), "at": self.clock.at}
        return Request.model_validate({**asked, "words": words, **more})
