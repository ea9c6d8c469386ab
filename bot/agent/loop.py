"""The loop: the model, its calls through the gate, the model again, until an answer, a limit or a proposal stands."""

from collections.abc import Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, Final

import structlog

import prompts
from bot.agent import budget, checked, claims, results, tools
from bot.agent.lookups import LookUps, at_most, looking
from bot.agent.sure import asks_if_sure, sure
from bot.agent.transcript import Transcript
from bot.diagnosis.secrets import redact
from bot.errors import ModelMovesNext, RetryLater, WeMoveNext
from bot.nouns import Answer, AnswerLimits, Deployment, Finish, Measured, Message, SystemMessage, Tool, Turn, UserMessage
from bot.operations.operation import Registry
from bot.ports import Advanced, Inquiry, Model, PromptTooLongError, Services

log = structlog.get_logger()

NUDGES: Final = 2
"""How often it is asked again after a turn with nothing in it."""
TEMPERATURE: Final = 0.2
"""Low, for figures are copied and not invented. Our choice."""
TURN_S: Final = 90.0
ALERT: Final = 1_500
"""Characters of the message that a thread began with."""

AGAIN: Final = "Nothing usable came. Call a tool, or answer in plain sentences."
NOW: Final = "Answer now from the results above. Where they are not enough, say what is missing."
CUT: Final = "It was cut: say it in at most four short lines."
CORRECT: Final = "{} Write the whole answer again without that."


class Agent:
    """Implements `bot.ports.Answerer`. `services` hold the model and everything that the tools read."""

    def __init__(self, registry: Registry, services: Services, *, passing: tuple[type[Exception], ...] = ()) -> None:
        """`passing` are errors that are nobody's answer, such as memory (Redis) being away: they go through."""
        self._registry = registry
        self._services = services
        self._look_ups = LookUps(registry, services, passing)

    @property
    def _model(self) -> Model:
        if self._services.model is None:
            raise WeMoveNext("An answerer was built without a model.")
        return self._services.model

    async def answer(self, inquiry: Inquiry) -> Answer:
        """All steps at once."""
        kept = ""
        while True:
            came = await self.advance(inquiry, kept)
            if came.answer is not None:
                return came.answer
            kept = came.kept

    async def advance(self, inquiry: Inquiry, kept: str = "") -> Advanced:
        """One call of the model, or one look-up. See `bot.ports.Answerer`."""
        if not kept and inquiry.earlier and asks_if_sure(inquiry.question):
            return Advanced(kept="", answer=await sure(self._look_ups, inquiry))
        if not kept:
            talk = await self._begun(inquiry)
            return Advanced(kept=talk.model_dump_json())
        talk = Transcript.model_validate_json(kept)
        if talk.waiting:
            talk = await self._look_ups.next(inquiry, talk)
            return Advanced(kept=talk.model_dump_json())
        talk, said = await self._asked(inquiry, talk)
        if said is not None:
            return Advanced(kept=talk.model_dump_json(), answer=self._answered(inquiry, talk, said))
        return Advanced(kept=talk.model_dump_json(), looking=looking(self._registry, talk))

    async def word(self, deployment: Deployment, task: str, known: Sequence[dict[str, Any]]) -> Answer:
        """Words on known results: one turn, its figures checked; what is not supported is marked."""
        window = await self._model.window(deployment) or budget.UNKNOWN_WINDOW
        room = min(window // 2, budget.ONE_RESULT * 2)
        now = self._services.clock.now()
        share = max(200, room // max(1, len(known)))
        said = "\n".join(results.alone(one, share, now) for one in known)
        orders = prompts.text(prompts.WORD)
        messages: tuple[Message, ...] = (SystemMessage(text=orders), UserMessage(text=f"{said}\n\n{task}"))
        turn = await self._model.converse(deployment, messages, (), _limits(400))
        found = checked.judged(turn.text, checked.known(known), "", (orders,))
        return Answer(lines=found.lines, figures=found.figures, unsupported=found.unsupported, quoted=found.quoted)

    async def _begun(self, inquiry: Inquiry) -> Transcript:
        """The first messages: what was said in this thread before, and the question with its time."""
        now = self._services.clock.now()
        window = await self._model.window(inquiry.deployment) or budget.UNKNOWN_WINDOW
        talk = Transcript(
            began=now,
            window=window,
            tools=tools.toolset(self._registry, window),
            orders=prompts.text(prompts.ANSWER),
            alert=_alert(inquiry),
        )
        for one in inquiry.earlier:
            talk = talk.heard(UserMessage(text=f"[{one.at:%Y-%m-%d %H:%M} UTC] {one.question}"), Turn(text=one.answer))
        asked = UserMessage(text=f"[{inquiry.request.at:%Y-%m-%d %H:%M} UTC] {inquiry.question}")
        return talk.model_copy(update={"earlier": len(talk.said)}).heard(asked)

    async def _asked(self, inquiry: Inquiry, talk: Transcript) -> tuple[Transcript, str | None]:
        """One turn of the model: calls that wait now, or the words of its answer."""
        limit = budget.spent(talk, self._services.clock.now())
        if limit is not None and not talk.last_words:
            talk = talk.heard(UserMessage(text=NOW)).model_copy(update={"last_words": True, "limit": limit})
        try:
            talk, room = await budget.fitted(self._model, inquiry.deployment, talk)
            talk, turn = await self._turn(inquiry, talk, room.answer)
        except ModelMovesNext:
            return self._nudged(talk)
        except PromptTooLongError:
            shorter = talk.without_oldest() or talk.shortened(budget.BRIEF)
            if shorter is None:
                return talk.model_copy(update={"limit": f"the window of {talk.window:,} tokens"}), ""
            return shorter, None
        if turn.calls and not talk.last_words:
            return talk.model_copy(update={"waiting": at_most(turn.calls), "state": "looking"}), None
        if not turn.text.strip() or claims.is_raw_call(turn.text):
            return self._nudged(talk)
        return self._corrected(inquiry, talk, turn)

    def _nudged(self, talk: Transcript) -> tuple[Transcript, str | None]:
        """Asked again after nothing, and given up after that."""
        if talk.nudged >= NUDGES or talk.last_words:
            return talk.model_copy(update={"limit": talk.limit or "turns with nothing in them"}), ""
        return talk.heard(UserMessage(text=AGAIN)).model_copy(update={"nudged": talk.nudged + 1}), None

    def _corrected(self, inquiry: Inquiry, talk: Transcript, turn: Turn) -> tuple[Transcript, str | None]:
        """The answer, or one chance to write it without what nothing supports."""
        cut = (CUT,) if turn.finish is Finish.LENGTH else ()
        faults = (*cut, *self._judged(inquiry, talk, turn.text).faults)
        if not faults or talk.corrected or talk.last_words:
            return (talk.model_copy(update={"limit": talk.limit or "its length"}) if cut else talk), turn.text
        log.info("answer to be corrected", request=inquiry.request.id, faults=len(faults))
        return talk.heard(UserMessage(text=CORRECT.format(" ".join(faults)))).model_copy(update={"corrected": True}), None

    async def _turn(self, inquiry: Inquiry, talk: Transcript, most: int) -> tuple[Transcript, Turn]:
        """One turn as a whole; streamed only where its times are to be measured."""
        offered = () if talk.last_words else talk.tools
        if inquiry.stats:
            return await self._timed_turn(inquiry, talk, offered, most)
        turn = await self._model.converse(inquiry.deployment, talk.messages(), offered, _limits(most))
        return talk.spoke(turn), turn

    async def _timed_turn(
        self, inquiry: Inquiry, talk: Transcript, offered: Sequence[Tool], most: int
    ) -> tuple[Transcript, Turn]:
        """Times by our clock, tokens by the server: pieces of a stream are not tokens."""
        clock, began = self._services.clock, self._services.clock.now()
        first: datetime | None = None
        whole: Turn | None = None
        async with aclosing(self._model.stream(inquiry.deployment, talk.messages(), offered, _limits(most))) as pieces:
            async for piece in pieces:
                first = first or clock.now()
                whole = piece if isinstance(piece, Turn) else whole
        if whole is None or first is None:
            raise RetryLater("The answer broke off before it began.")
        lasted, counted = (clock.now() - first).total_seconds(), whole.usage.completion if whole.usage else 0
        speed = (counted - 1) / lasted if lasted > 0 and counted > 1 else None
        timed = {"first_token_s": (first - began).total_seconds(), "tokens_per_s": speed}
        return talk.spoke(whole).model_copy(update=timed), whole

    def _judged(self, inquiry: Inquiry, talk: Transcript, said: str) -> checked.Judged:
        earlier = [one for exchange in inquiry.earlier for one in exchange.readings]
        renamed = [one.model_copy(update={"id": f"earlier{number}"}) for number, one in enumerate(earlier)]
        return checked.judged(said, checked.known_of((*talk.readings, *renamed), inquiry.root), inquiry.question, (talk.orders,))

    def _answered(self, inquiry: Inquiry, talk: Transcript, said: str) -> Answer:
        """The answer with what it was written from."""
        found = self._judged(inquiry, talk, said)
        used = [one.operation.split(".")[0] for one in talk.readings if not one.failed and one.result is not None]
        alert = ["alert"] if inquiry.root is not None else []
        return Answer(
            lines=found.lines,
            readings=talk.readings,
            sources=tuple(dict.fromkeys((*used, *alert))),
            figures=found.figures,
            unsupported=found.unsupported,
            quoted=found.quoted,
            proposal=talk.proposal,
            limit=talk.limit,
            measured=self._measured(talk),
            model=inquiry.deployment.name,
        )

    def _measured(self, talk: Transcript) -> Measured:
        return Measured(
            turns=talk.turns,
            prompt_tokens=talk.prompt_tokens if talk.counted else None,
            completion_tokens=talk.completion_tokens if talk.counted else None,
            first_token_s=talk.first_token_s,
            tokens_per_s=talk.tokens_per_s,
            total_s=(self._services.clock.now() - talk.began).total_seconds(),
        )


def _limits(most: int) -> AnswerLimits:
    return AnswerLimits(max_tokens=most, total_s=TURN_S, first_s=TURN_S / 2, temperature=TEMPERATURE)


def _alert(inquiry: Inquiry) -> str:
    """The first message of the thread, as something that was said and not as an order."""
    if inquiry.root is None:
        return ""
    text = redact(inquiry.root.text[:ALERT]).text
    return f"The thread began with this message by {inquiry.root.by} at {inquiry.root.at:%Y-%m-%d %H:%M} UTC:\n{text}"
