"""`health`: whether it answers rightly, by four questions with known answers, and how long each took."""

import time
from collections.abc import Callable

from bot.errors import BotError, PersonMovesNext, RetryLater
from bot.nouns import Deployment, Effect, Quantity, Role, SeenBy
from bot.operations import choice, health_view
from bot.operations.health_probes import Probe, body, spoken, wrong, wrong_words
from bot.operations.health_result import Asked, Health, Mark
from bot.operations.operation import Arguments, Context, Operation, Queue
from bot.operations.values import GivenName

DEADLINE_S = 20.0
"""For one answer: with a full queue the first token alone was seen to take 6 s."""

SOURCE = "measured by this bot, network included"


class HealthArguments(Arguments):
    """Which deployment; the first one when none is named."""

    deployment: GivenName | None = None


async def run(context: Context, arguments: HealthArguments) -> Health:
    """Ask one after another; when one gets no answer at all, the others are not asked.

    Raises what the model list raises: without a served model there is nothing to ask.
    """
    deployment = await choice.deployment(context, arguments.deployment)
    served = await context.services.engine.models(deployment)
    if not served:
        raise PersonMovesNext(f"{deployment.name} serves no model, so there is nothing to ask.")
    asked: list[Asked] = []
    for probe in Probe:
        if any(one.mark is Mark.SILENT for one in asked):
            asked.append(Asked(probe=probe, mark=Mark.NOT_ASKED))
        else:
            asked.append(await _asked(context, deployment, probe, served[0].id))
    return Health(deployment=deployment.name, model=served[0].id, at=context.now, probes=tuple(asked))


async def _asked(context: Context, deployment: Deployment, probe: Probe, model: str) -> Asked:
    began = time.monotonic()

    def took() -> Quantity:
        return Quantity(value=time.monotonic() - began, unit="s", at=context.services.clock.now(), source=SOURCE)

    try:
        if probe is Probe.STREAM:
            return await _streamed(context, deployment, model, took)
        answer = await context.services.engine.chat(deployment, body(probe, model), DEADLINE_S)
    except RetryLater as error:
        return Asked(probe=probe, mark=Mark.SILENT, took=took(), why=str(error))
    except BotError as error:
        return Asked(probe=probe, mark=Mark.REFUSED, took=took(), why=str(error))
    found = wrong(probe, answer)
    return Asked(probe=probe, mark=Mark.WRONG if found else Mark.RIGHT, took=took(), why=found or "")


async def _streamed(context: Context, deployment: Deployment, model: str, took: Callable[[], Quantity]) -> Asked:
    """Pieces put together; the first token is the first piece that holds any text. Chunks without choices hold the usage."""
    said, thought, first = "", "", None
    async for chunk in context.services.engine.chat_stream(deployment, body(Probe.STREAM, model), DEADLINE_S):
        delta = _delta(chunk)
        content = delta.get("content")
        said += content if isinstance(content, str) else ""
        thought += "" if content else spoken(delta)
        first = first or (took() if said or thought else None)
    why = wrong_words(Probe.STREAM, said or thought) if said or thought else "it said nothing"
    return Asked(probe=Probe.STREAM, mark=Mark.WRONG if why else Mark.RIGHT, took=took(), first_token=first, why=why or "")


def _delta(chunk: dict[str, object]) -> dict[str, object]:
    choices = chunk.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) else None
    return delta if isinstance(delta, dict) else {}


HEALTH: Operation[HealthArguments, Health] = Operation(
    path="health",
    summary="asks it four things with known answers",
    when_to_use="To know whether the model really works: arithmetic, JSON, a tool call and a stream, with times.",
    example="health prod",
    arguments=HealthArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    queue=Queue.ANSWERS,
    timeout=90.0,
    run=run,
    show=health_view.show,
    was=("verify_model_health",),
)
