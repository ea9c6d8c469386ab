"""A question, a house with one deployment, and tools of a few lines whose results are known."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from bot.agent import Agent
from bot.errors import RetryLater
from bot.nouns import Deployment, Effect, Exchange, Heard, Quantity, Role, SeenBy
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Registry, Started
from bot.operations.values import GivenName, Seconds
from bot.ports import Inquiry, Services
from bot.requests import Door, Place
from bot.view import View, line
from tests.doubles.gemma import ScriptedModel
from tests.doubles.ports import BEN, House

PLACE = Place(channel="C1", thread="1.0", message="2.0")


class Named(Arguments):
    """Which deployment, and how long back."""

    deployment: GivenName | None = None
    since: Seconds | None = None


class Figures(BaseModel):
    """What the tools of these tests find."""

    deployment: str
    first_token_p90: Quantity
    waiting: Quantity
    curve: tuple[float, ...] = ()


class Done(BaseModel):
    """What a change would give."""

    done: bool


@dataclass
class Desk:
    """A house with tools. `runs` is each operation that ran, `model` what is asked."""

    house: House = field(default_factory=House)
    model: ScriptedModel = field(default_factory=ScriptedModel)
    runs: list[str] = field(default_factory=list)
    registry: Registry = ()
    failing: Exception | None = None
    passing: tuple[type[Exception], ...] = ()

    def __post_init__(self) -> None:
        self.house.names.known = [Deployment(name="prod", base_url="http://127.0.0.1:1")]
        self.house.more = {"model": self.model}
        self.registry = (
            self._reads("status"),
            self._reads("metrics"),
            self._reads("changes"),
            self._reads("hardware"),
            self._changes("engine.restart"),
            self._changes("machine.destroy"),
        )

    @property
    def services(self) -> Services:
        return self.house.services

    @property
    def agent(self) -> Agent:
        return Agent(self.registry, self.services, passing=self.passing)

    def _reads(self, path: str) -> Operation[Named, Figures]:
        async def run(context: Context, arguments: Named) -> Figures:
            self.runs.append(f"{path} {arguments.deployment or ''}".strip())
            if self.failing is not None:
                raise self.failing

            def quantity(value: float, unit: str) -> Quantity:
                return Quantity(value=value, unit=unit, at=context.now, source="vLLM /metrics")

            curve = tuple(float(number) for number in range(7000, 7040))
            return Figures(deployment="prod", first_token_p90=quantity(0.98, "s"), waiting=quantity(23, "requests"), curve=curve)

        return Operation(
            path=path,
            summary=f"what {path} says",
            when_to_use="In tests.",
            example=path,
            arguments=Named,
            effect=Effect.READS,
            role=Role.VIEWER,
            seen_by=SeenBy.YOU,
            run=run,
            show=lambda found, _context: View(
                verdict=line(f"first token p90 {found.first_token_p90.value:g} s, {found.waiting.value:g} waiting")
            ),
            tool=True,
        )

    def _changes(self, path: str) -> Operation[Named, Done]:
        async def run(_context: Context, arguments: Named) -> Done | Started:
            self.runs.append(f"{path} {arguments.deployment}")
            return Done(done=True)

        async def preview(_context: Context, arguments: Named) -> Preview:
            return Preview(Consent.AT_ONCE, line(f"{path} {arguments.deployment}?"), button=f"Do {path} {arguments.deployment}")

        return Operation(
            path=path,
            summary=f"do {path}",
            when_to_use="In tests.",
            example=path,
            arguments=Named,
            effect=Effect.DESTROYS,
            role=Role.OPERATOR,
            seen_by=SeenBy.CHANNEL,
            run=run,
            show=lambda _found, _context: View(verdict=line("done")),
            preview=preview,
            tool=True,
        )

    def inquiry(self, question: str = "why is prod slow?", **more: Any) -> Inquiry:
        request = self.house.request(question, BEN, Door.MENTION, place=PLACE)
        given = {"request": request, "question": question, "deployment": self.house.names.known[0], **more}
        return Inquiry.model_validate(given)


@pytest.fixture
def desk() -> Desk:
    """Nothing is scripted yet."""
    return Desk()


@pytest.fixture
def alert(desk: Desk) -> Heard:
    """What an alert said, twenty minutes ago."""
    return Heard(text="FIRING: HighTTFT prod p90 0.91 s", by="Alertmanager", at=desk.house.clock.at)


@pytest.fixture
def before(desk: Desk) -> Callable[..., Exchange]:
    """A question of this thread before."""

    def made(answer: str, readings: tuple[Any, ...] = (), question: str = "how is it?") -> Exchange:
        at = desk.house.clock.at
        return Exchange(id="ask-1", question=question, asked_by=BEN.user_id, at=at, answer=answer, readings=readings)

    return made


__all__ = ["PLACE", "Desk", "RetryLater"]
