"""What an engine is wanted to be, where it stands, and what its machine costs: what all changes of it begin with."""

import shlex
from dataclasses import dataclass

from pydantic import Field, ValidationError

from bot.errors import PersonMovesNext, UsageError
from bot.nouns import Deployment, Quantity
from bot.operations import choice
from bot.operations.engine_up import engines_of
from bot.operations.machine_words import rate
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context
from bot.operations.sources import attempt
from bot.operations.values import CacheType, ContextTokens, GivenName
from bot.serving.catalogue import Verdict, fits
from bot.serving.specification import EngineSpecification


class EngineArguments(Arguments):
    """Which deployment's engine; the one that this channel means when none is named."""

    deployment: GivenName | None = None


class RestartArguments(EngineArguments):
    """With what it starts again, where that is to differ: context in tokens, number format of the cache, share of memory."""

    context: ContextTokens | None = Field(default=None, gt=0, le=1_048_576)
    cache: CacheType | None = None
    utilization: float | None = Field(default=None, ge=0.5, le=0.99)


CHANGEABLE = ("context", "cache", "utilization", "image", "flags")
"""Values of a specification that may be changed while its machine stays."""


@dataclass(frozen=True)
class Meant:
    """One engine as it stands and as it is wanted. `differences` are what is asked for against what was wanted last."""

    deployment: Deployment
    wanted: EngineSpecification
    differences: tuple[str, ...] = ()


async def meant(context: Context, arguments: EngineArguments) -> Meant:
    """The engine that is meant, with the changes that were asked for. Raises PersonMovesNext for one that we did not start,
    UsageError for what would not fit."""
    deployment = await choice.deployment(context, arguments.deployment)
    wanted = await wanted_now(context, deployment)
    asked = arguments.model_dump(include=set(CHANGEABLE), exclude_none=True)
    if "flags" in asked:
        asked["flags"] = _words(asked["flags"])
    changes = {name: value for name, value in asked.items() if value != getattr(wanted, name)}
    if not changes:
        return Meant(deployment, wanted)
    changed = _changed(wanted, changes)
    return Meant(deployment, changed, differences(wanted, changed))


def differences(before: EngineSpecification, after: EngineSpecification) -> tuple[str, ...]:
    """Field by field, as people are told: `context 65,536 → 32,768`."""
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in EngineSpecification.model_fields]
    return tuple(f"{name} {_told(old)} → {_told(new)}" for name, old, new in pairs if old != new)


def _words(flags: str) -> tuple[str, ...]:
    """Further flags as typed; `none` takes all away."""
    try:
        return () if flags.strip().lower() == "none" else tuple(shlex.split(flags))
    except ValueError as error:
        raise UsageError("The flags have a quote that does not end.", usage="flags=--max-num-seqs 32") from error


async def wanted_now(context: Context, deployment: Deployment) -> EngineSpecification:
    """What was wanted last. Raises PersonMovesNext for an engine that we did not start: nobody told us how."""
    wish = await engines_of(context).wishes.current(context.services.team_id, deployment.name)
    if wish is None:
        raise PersonMovesNext(
            f"{deployment.name}'s engine was not started by me, so I do not know how to start it.",
            untouched="I changed nothing.",
            next_step=f"`engine status {deployment.name}` shows what can be seen of it; what I deploy I can also restart.",
        )
    return EngineSpecification.model_validate_json(wish.specification)


def _changed(wanted: EngineSpecification, changes: dict[str, object]) -> EngineSpecification:
    """The same with other values, when the model fits so."""
    try:
        made = EngineSpecification.model_validate({**wanted.model_dump(), **changes})
    except ValidationError as error:
        raise UsageError(f"{error.errors()[0]['msg']}.") from None
    return must_fit(made)


def must_fit(made: EngineSpecification) -> EngineSpecification:
    """The same. Raises UsageError, with what does fit, when it surely would not start."""
    fit = fits(made.geometry, made.piece, made.context, made.cache.value, made.utilization)
    if fit.verdict is Verdict.NO:
        raise UsageError(
            f"That would not start: {fit.why}.",
            near=(f"memory {made.geometry.name} {made.piece.name}",),
            next_step="Nothing was changed. What fits:",
        )
    return made


def _told(value: object) -> str:
    if isinstance(value, tuple | dict):
        return " ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(getattr(value, "value", value))


async def hourly_rate(context: Context, deployment: Deployment) -> Quantity | None:
    """The list price of its machine; None where machine or price is not known."""
    capacity = context.services.capacity
    if capacity is None or deployment.zone is None or deployment.machine is None:
        return None
    machine = (await attempt(capacity.machines.machine(deployment.zone, deployment.machine))).value
    if machine is None:
        return None
    return hourly(context.services.prices, machine.accelerator, deployment.zone, machine.provisioning)


def bills(deployment: Deployment, price: Quantity | None) -> str:
    """What bills while its engine is worked on, or whatever becomes of it."""
    return f"{deployment.machine or 'Its machine'} bills {rate(price)}, whether the engine runs or not."
