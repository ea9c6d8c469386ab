"""A model in a world: the real loop asks it, turn for turn, and everything it said and cost is kept."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from bot.agent import Agent
from bot.nouns import Answer, AnswerLimits, Deployment, Exchange, Heard, Message, Tool, Turn
from bot.operations import OPERATIONS
from bot.ports import Inquiry, Model
from bot.requests import Door, Place, Request
from evals.staged import ASKER, Stage
from evals.world import World

Watch = Callable[[], float]
PLACE = Place(channel="C0EVALS", thread="1.0", message="1.0")


@dataclass
class Witness:
    """Implements `bot.ports.Model`: passes everything on, keeps what was said, and narrows the window to that of the world."""

    model: Model
    window_limit: int | None = None
    said: list[Turn] = field(default_factory=list)

    async def window(self, deployment: Deployment) -> int | None:
        """The server's own, or the world's where that is smaller."""
        own = await self.model.window(deployment)
        known = [one for one in (own, self.window_limit) if one is not None]
        return min(known, default=None)

    async def size(self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int | None:
        """As the server counts."""
        return await self.model.size(deployment, messages, tools)

    async def converse(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> Turn:
        """One turn, kept."""
        turn = await self.model.converse(deployment, messages, tools, limits)
        self.said.append(turn)
        return turn

    async def stream(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> AsyncGenerator[str | Turn, None]:
        """Its pieces; the turn is kept."""
        async with aclosing(self.model.stream(deployment, messages, tools, limits)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Turn):
                    self.said.append(piece)
                yield piece


@dataclass(frozen=True)
class Played:
    """What came of one question. `said` are the model's turns as it wrote them, `proposed` the operations it wants a yes for,
    `wrote` what it reached although nothing may be reached; `failed` why there is no answer. `seconds` is by the wall.
    """

    answer: Answer | None
    said: tuple[Turn, ...]
    proposed: tuple[str, ...]
    wrote: tuple[str, ...]
    seconds: float
    failed: str | None = None


async def play(world: World, model: Model, deployment: Deployment, watch: Watch = time.monotonic) -> tuple[Played, ...]:
    """Ask all questions of a world in their order, as one thread. `deployment` says where the model is asked.

    What the look-ups see is the world's deployment; only the conversation itself goes to the model's server. Errors of the model
    are told in `failed`; the world goes on with its next question.
    """
    stage = Stage(world)
    played: list[Played] = []
    earlier: list[Exchange] = []
    for number, turn in enumerate(world.turns):
        witness = Witness(model, world.window)
        asked, wrote, begun = set(stage.questions), len(stage.wrote), watch()
        answer, failed = None, None
        try:
            agent = Agent(OPERATIONS, stage.services(witness))
            answer = await agent.answer(_inquiry(world, number, deployment, earlier))
        except Exception as error:
            failed = f"{type(error).__name__}: {error}"[:300]
        proposed = tuple(one.operation for key, one in stage.questions.items() if key not in asked)
        played.append(Played(answer, tuple(witness.said), proposed, tuple(stage.wrote[wrote:]), watch() - begun, failed))
        if answer is not None:
            earlier.append(_exchange(world, number, turn.question, answer))
    return tuple(played)


def _inquiry(world: World, number: int, deployment: Deployment, earlier: Sequence[Exchange]) -> Inquiry:
    question = world.turns[number].question
    request = Request(
        id=f"{world.name}-{number}", door=Door.MENTION, actor=ASKER, place=PLACE, words=f"ask {question}", at=world.at
    )
    root = None if world.alert is None else Heard(text=world.alert, by="Alertmanager", at=world.ago(3))
    return Inquiry(request=request, question=question, deployment=deployment, earlier=tuple(earlier), root=root)


def _exchange(world: World, number: int, question: str, answer: Answer) -> Exchange:
    return Exchange(
        id=f"ask-{number}",
        question=question,
        asked_by=ASKER.user_id,
        at=world.at,
        answer="\n".join(answer.lines),
        readings=answer.readings,
    )
