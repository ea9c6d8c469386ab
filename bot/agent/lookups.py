"""Look-ups: each call of the model goes through the gate as the asker, once, and comes back as a short text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from bot.agent import budget, results, tools
from bot.agent.transcript import Transcript
from bot.diagnosis.secrets import redact
from bot.errors import BotError, UsageError, WeMoveNext
from bot.nouns import Effect, Proposal, Reading, ToolCall
from bot.operations import command_line
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Registry
from bot.ports import Inquiry, Model, Services
from bot.requests import Door, Request, request_id
from bot.view import Line, Mention, plain

log = structlog.get_logger()

ONE_PROPOSAL: Final = "One proposal of yours is open already; a person has to answer it first. Nothing was asked."
TOO_MANY: Final = f"Only {budget.AT_ONCE} calls at once: this one was not made."
NO_MORE: Final = f"No more look-ups for this question: {budget.READINGS} were made. Answer from the results."
ASKED: Final = "A person is asked for a yes to exactly this. Nothing has happened. Say so in your answer."


@dataclass(frozen=True)
class LookUps:
    """`passing` are errors that are nobody's answer: they go through, and the same step is taken again."""

    registry: Registry
    services: Services
    passing: tuple[type[Exception], ...] = ()

    def _model(self) -> Model:
        if self.services.model is None:
            raise WeMoveNext("An answerer was built without a model.")
        return self.services.model

    async def next(self, inquiry: Inquiry, talk: Transcript) -> Transcript:
        """The first call that waits, carried out or refused in words."""
        call = talk.waiting[0]
        if call.problem is not None:
            return talk.told(call, results.within(call.problem, budget.BRIEF))
        try:
            line = tools.typed(self.registry, call)
            meaning = tools.same_call(self.registry, line)
        except BotError as error:
            return talk.told(call, results.within(_words(error), budget.BRIEF))
        if meaning in talk.made:
            known = next(one for one in talk.readings if one.id == talk.made[meaning])
            return talk.told(call, "You made this call before. " + results.brief(known, budget.BRIEF), known.id)
        if len(talk.readings) >= budget.READINGS:
            return talk.told(call, NO_MORE)
        return await self._carried_out(inquiry, talk, call, line, meaning)

    async def _carried_out(self, inquiry: Inquiry, talk: Transcript, call: ToolCall, line: str, meaning: str) -> Transcript:
        """Through the gate, as the asker, with the model as the door."""
        operation = tools.operation_of(self.registry, call.name)
        changes = operation.effect is not Effect.READS
        if changes and (talk.proposal is not None or await self._proposed_before(inquiry, talk.next_id())):
            return talk.told(call, ONE_PROPOSAL)
        reading, outcome = await self._through_gate(inquiry, talk.next_id(), line)
        if outcome is not None and outcome.asked is not None:
            shown = outcome.view.buttons[0].label
            proposal = Proposal(question=outcome.asked, shown=reading.said[1:], label=shown)
            talk = talk.model_copy(update={"proposal": proposal})
        talk = talk.read(reading, meaning)
        _, room = await budget.fitted(self._model(), inquiry.deployment, _answered_all(talk))
        return talk.told(call, results.shown(reading, budget.room_for_result(talk, room), reading.at), reading.id)

    async def again(self, inquiry: Inquiry, reading: Reading) -> Reading:
        """The same look-up once more, under the same id."""
        return (await self._through_gate(inquiry, reading.id, reading.words))[0]

    async def _through_gate(self, inquiry: Inquiry, reading_id: str, line: str) -> tuple[Reading, Outcome | None]:
        """As the asker, with the model as the door. What goes wrong becomes words; only memory being away is raised."""
        now = self.services.clock.now()
        request = Request(
            id=request_id("model", inquiry.request.id, reading_id),
            door=Door.MODEL,
            actor=inquiry.request.actor,
            place=inquiry.request.place.model_copy(update={"response_url": None, "ephemeral": False}),
            words=line,
            at=now,
        )
        path = command_line.parse(self.registry, line).operation.path
        reading = Reading(id=reading_id, operation=path, words=line, at=now, said=())
        try:
            outcome = await execute(self.registry, self.services, request)
        except self.passing:
            raise
        except BotError as error:
            return reading.model_copy(update={"said": (_words(error),), "failed": True}), None
        except Exception:
            log.exception("tool call failed", operation=path, request=inquiry.request.id)
            return reading.model_copy(update={"said": ("This look-up failed on our side: unknown.",), "failed": True}), None
        return _noted(reading, outcome), outcome

    async def _proposed_before(self, inquiry: Inquiry, reading_id: str) -> bool:
        """Whether another proposal of the model waits in this thread; the one of this very step does not count."""
        own = request_id("model", inquiry.request.id, reading_id)
        place = inquiry.request.place
        waiting = await self.services.approvals.waiting(self.services.team_id, self.services.clock.now())
        here = (place.channel, place.thread or place.message)
        return any(
            one.proposed_by_model
            and one.request.id != own
            and (one.request.place.channel, one.request.place.thread or one.request.place.message) == here
            for one in waiting
        )


def at_most(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls of one turn, those beyond the bound with words in the place of arguments: each must have its result."""
    late = (one.model_copy(update={"arguments": None, "problem": one.problem or TOO_MANY}) for one in calls[budget.AT_ONCE :])
    return (*calls[: budget.AT_ONCE], *late)


def looking(registry: Registry, talk: Transcript) -> str:
    """What comes next, in words for whoever waits. Empty when the model is asked."""
    said = []
    for call in talk.waiting:
        try:
            said.append(tools.typed(registry, call))
        except BotError:
            continue
    return f"Looking at {', '.join(dict.fromkeys(said))}"[:200] if said else ""


def _words(error: BotError) -> str:
    """What went wrong, as the model may use it."""
    parts = [str(error), error.telling.untouched, error.telling.next_step]
    if isinstance(error, UsageError):
        parts += [error.usage, f"Perhaps: {', '.join(error.near)}" if error.near else ""]
    return " ".join(part for part in parts if part)


def _noted(reading: Reading, outcome: Outcome) -> Reading:
    """The reading with what came; a question that was asked of a person has no result."""
    said = tuple(redact(_plain(one)).text for one in (outcome.view.verdict, *outcome.view.lines))
    if outcome.asked is not None:
        return reading.model_copy(update={"said": (ASKED, *said)})
    result = results.kept(outcome.result) if outcome.result is not None else None
    return reading.model_copy(update={"said": said, "result": result})


def _plain(of: Line) -> str:
    """A line without the people it would ping: what the model says names nobody, and an id tells nobody anything."""
    return plain(tuple(span for span in of if not isinstance(span, Mention))).strip(" ·")


def _answered_all(talk: Transcript) -> Transcript:
    """The talk as if each waiting call had an empty result: how much room is left for them."""
    for call in talk.waiting:
        talk = talk.told(call, "")
    return talk
