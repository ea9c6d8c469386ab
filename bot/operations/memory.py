"""`memory`: what fits, how many users, from the engine's labels or computed, and which; and what would do instead."""

import asyncio
from collections.abc import Mapping

from bot.errors import NotConnectedError, UsageError
from bot.nouns import Deployment, Effect, ProvisioningModel, Quantity, Role, SeenBy, ServedModel
from bot.operations import choice, memory_plan, memory_view
from bot.operations.memory_arguments import MemoryArguments
from bot.operations.memory_log import StartLog, start_log
from bot.operations.memory_result import Memory, Proposal
from bot.operations.money import hourly
from bot.operations.operation import Context, Operation
from bot.operations.sources import Answer, attempt
from bot.serving import memory, slices
from bot.serving.cache_facts import from_labels
from bot.serving.gemma import Geometry, find
from bot.serving.layout import DEFAULT_UTILIZATION
from bot.serving.memory import DEFAULT_CONTEXT, MemoryAnswer
from bot.serving.planner import Capacity
from bot.serving.proposals import for_users

DEFAULT_USERS = 5
"""Our choice: a small team. Fewer at the asked length than this, and something larger is proposed."""


async def run(context: Context, arguments: MemoryArguments) -> Memory | Capacity:
    """Plan one chip, compute a combination, or ask the deployment. Raises UsageError for what makes no sense."""
    try:
        return await _found(context, arguments)
    except UsageError as error:
        raise (choice.pressable(context, error) if error.near and not error.near[0].startswith("memory ") else error) from error


async def _found(context: Context, arguments: MemoryArguments) -> Memory | Capacity:
    if memory_plan.wanted(arguments):
        return memory_plan.planned(arguments)
    deployment = await _deployment(context, arguments)
    what_if = any((arguments.model, arguments.slice, arguments.cache, arguments.utilization))
    if what_if or deployment is None:
        return await _computed(context, arguments, deployment)
    return await _as_it_runs(context, arguments, deployment)


async def _deployment(context: Context, arguments: MemoryArguments) -> Deployment | None:
    """The deployment that is meant, None when none is connected: arithmetic needs none."""
    try:
        return await choice.deployment(context, arguments.deployment)
    except NotConnectedError:
        return None


async def _computed(context: Context, arguments: MemoryArguments, deployment: Deployment | None) -> Memory:
    model = arguments.model or (await _model(context, deployment) if deployment else None)
    where = arguments.slice or (deployment.accelerator if deployment else None)
    if model is None or where is None:
        lacking = " and ".join(word for word, value in (("the model", model), ("the slice", where)) if value is None)
        raise UsageError(
            f"I need {lacking} to compute what fits.",
            usage="/gemma memory [model] [slice] [context] [cache]",
            next_step="For example: /gemma memory 31B v6e-4 64K",
        )
    answer = memory.answer(
        at=context.now,
        model=find(model).name,
        piece=slices.parse(where),
        context=arguments.context,
        cache=arguments.cache,
        utilization=arguments.utilization or DEFAULT_UTILIZATION,
    )
    return _memory(context, arguments, answer, deployment, about=None)


async def _model(context: Context, deployment: Deployment) -> str | None:
    """The model of a deployment: as configured, else as served."""
    if deployment.model_id is not None:
        return deployment.model_id
    served = (await attempt(context.services.engine.models(deployment))).value
    return _checkpoint(served[0]) if served else None


def _checkpoint(served: ServedModel | None) -> str | None:
    """What it was loaded from, else its name."""
    return (served.root or served.id) if served else None


async def _as_it_runs(context: Context, arguments: MemoryArguments, deployment: Deployment) -> Memory:
    """From the labels of the engine, else from its start-up log; when neither tells, computed from what is
    configured, and `missing` says so."""
    engine = context.services.engine
    sample, served = await asyncio.gather(attempt(engine.sample(deployment)), attempt(engine.models(deployment)))
    first = served.value[0] if served.value else None
    names = (sample.value.model_name if sample.value else None, _checkpoint(first), deployment.model_id)
    labels = sample.value.cache_config if sample.value else None
    context_told = first.context if first else deployment.context
    log = Answer[StartLog | None]() if _tells(labels, deployment) else await start_log(context, deployment)
    missing = tuple(dict.fromkeys(one.missing for one in (sample, served, log) if one.missing))
    try:
        answer = memory.answer(
            at=sample.value.at if sample.value else context.now,
            model=_known(names),
            piece=slices.parse(deployment.accelerator) if deployment.accelerator else None,
            context=arguments.context,
            labels=labels,
            served_context=context_told,
            on_tpu=deployment.accelerator is not None or None,
            startup=log.value.startup if log.value else None,
            startup_at=log.value.at if log.value else None,
        )
    except UsageError as error:
        why = " ".join(f"{one.rstrip('.')}." for one in missing)
        raise UsageError(f"{error}.", next_step=f"{why} For example: /gemma memory 31B v6e-4 64K".strip()) from error
    return _memory(context, arguments, answer, deployment, about=deployment.name, missing=missing)


def _tells(labels: Mapping[str, str] | None, deployment: Deployment) -> bool:
    """Whether the server itself says how much its cache holds."""
    return bool(labels) and from_labels(labels or {}, None, one_group=deployment.accelerator is not None or None) is not None


def _known(names: tuple[str | None, ...]) -> str | None:
    """The first of these names that is a model whose geometry is known: a served name may be anything."""
    for name in names:
        if name is not None and _geometry(name) is not None:
            return name
    return None


def _geometry(name: str) -> Geometry | None:
    try:
        return find(name)
    except UsageError:
        return None


def _memory(
    context: Context,
    arguments: MemoryArguments,
    answer: MemoryAnswer,
    deployment: Deployment | None,
    *,
    about: str | None,
    missing: tuple[str, ...] = (),
) -> Memory:
    length = arguments.context or answer.context or DEFAULT_CONTEXT
    users = arguments.users or DEFAULT_USERS
    zone = arguments.zone or (deployment.zone if deployment else None)
    return Memory(
        deployment=about,
        context=length,
        answer=answer,
        with_fp8=_with_fp8(context, answer, length),
        proposal=_proposal(context, answer, length, users, zone),
        wanted_users=users,
        missing=missing,
    )


def _with_fp8(context: Context, answer: MemoryAnswer, length: int) -> Quantity | None:
    if (
        answer.model is None
        or answer.piece is None
        or answer.fit is None
        or "fp8" in (answer.kv_dtype or "")
        or not _fits(answer, length)
    ):
        return None
    same = memory.answer(
        at=context.now,
        model=answer.model,
        piece=answer.piece,
        context=length,
        cache="fp8",
        utilization=answer.fit.utilization,
    )
    return same.users_for(length)


def _fits(answer: MemoryAnswer, length: int) -> bool:
    """Whether the model has a window for this length at all."""
    return answer.model is not None and length <= find(answer.model).context


def _proposal(context: Context, answer: MemoryAnswer, length: int, users: int, zone: str | None) -> Proposal | None:
    """The smallest slice that serves so many, of the same generation if one does; None when it fits already or nothing does."""
    enough = answer.users_for(length)
    if answer.model is None or not _fits(answer, length) or (enough is not None and enough.value >= users):
        return None
    generation = answer.piece.generation if answer.piece else None
    found = for_users(answer.model, users, length, generation=generation) or for_users(answer.model, users, length)
    if not found:
        return None
    price, provisioning = _price(context, found[0].piece.name, zone)
    return Proposal(users=users, context=length, fit=found[0], usd_per_hour=price, provisioning=provisioning, zone=zone)


def _price(context: Context, slice_name: str, zone: str | None) -> tuple[Quantity | None, ProvisioningModel | None]:
    """The list price in this zone, flex-start first, since that is what most here run on."""
    for provisioning in (ProvisioningModel.FLEX_START, ProvisioningModel.ON_DEMAND):
        price = hourly(context.services.prices, slice_name, zone, provisioning)
        if price is not None:
            return price, provisioning
    return None, None


MEMORY: Operation[MemoryArguments, Memory | Capacity] = Operation(
    path="memory",
    summary="what fits, and for how many users",
    when_to_use="To know whether a context length is safe, how many requests fit at once, and which slice would do.",
    example="memory 31B v6e-4 64K",
    arguments=MemoryArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    timeout=25.0,
    tool=True,
    run=run,
    show=memory_view.show,
)
