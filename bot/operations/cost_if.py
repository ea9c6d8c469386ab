"""What other slices would cost: whether the model fits them first, then the price beside what is paid now."""

import re
from datetime import datetime

from bot.errors import BotError, UsageError
from bot.nouns import Deployment, ProvisioningModel, Quantity, Slice
from bot.operations.cost_result import Instead, MonthSoFar, Part
from bot.operations.money import hourly
from bot.operations.operation import Context
from bot.operations.sources import attempt
from bot.operations.values import Form
from bot.serving import memory, slices
from bot.serving.catalogue import Fit, Verdict
from bot.serving.gemma import FAMILY, Geometry, find

_SLICES = re.compile(r"(?:(?P<count>\d{1,3})[×x*])?(?P<slice>(?:v\d+[a-z]*(?:litepod)?|tpu7x)-\d{1,4})", re.I)
SLICES = Form("number of slices", _SLICES, "4×v6e-1", str.lower)

DEFAULT_CONTEXT = 8_192
"""Tokens for which a fit is judged when the deployment's own context is not known, and what counts as a short one. Our choice: a
short chat."""


def read(word: str) -> tuple[int, Slice]:
    """`4×v6e-1` as (4, v6e-1). Raises UsageError for a slice that is not sold, and for none of it."""
    found = _SLICES.fullmatch(word)
    if found is None:
        raise UsageError(f"“{word[:40]}” is not a number of slices.", usage="/gemma cost if 4×v6e-1")
    count = int(found["count"] or 1)
    if count < 1:
        raise UsageError("At least one slice.", usage="/gemma cost if 4×v6e-1")
    return count, slices.parse(found["slice"])


async def instead(
    context: Context,
    word: str,
    deployment: Deployment | None,
    month: MonthSoFar | None,
    *,
    model: str | None = None,
    zone: str | None = None,
    provisioning: ProvisioningModel | None = None,
) -> Instead:
    """Fit and price of these slices in the deployment's zone, bought as its machines were. Raises UsageError."""
    count, piece = read(word)
    ran = _ran(month, deployment)
    where = zone or (deployment.zone if deployment else None) or (ran.zone if ran else None)
    bought = provisioning or (ran.provisioning if ran else None) or ProvisioningModel.FLEX_START
    own, served = await _served(context, deployment)
    geometry = find(model) if model else own
    length = (deployment.context if deployment else None) or served or DEFAULT_CONTEXT
    fit = _fit(geometry, piece, length, context.now) if geometry else None
    judged = {one.name: _verdict(one, piece, length, context.now) for one in FAMILY}
    shorter = {one.name for one in FAMILY if length > DEFAULT_CONTEXT and _holds(one, piece, DEFAULT_CONTEXT, context.now)}
    each = hourly(context.services.prices, piece.name, where, bought)
    return Instead(
        count=count,
        accelerator=piece.name,
        model=geometry.name if geometry else None,
        context=length,
        fit=fit.verdict if fit else None,
        why=fit.why if fit else None,
        fitting=tuple(name for name, verdict in judged.items() if verdict is Verdict.YES),
        tight=tuple(name for name, verdict in judged.items() if verdict is Verdict.TIGHT),
        shorter=tuple(name for name, verdict in judged.items() if verdict is Verdict.NO and name in shorter),
        zone=where,
        provisioning=bought,
        usd_per_hour=_times(each, count),
        unpriced=None if each else _why_unpriced(piece, where, bought),
        now=ran.usd_per_hour if ran else None,
    )


def _ran(month: MonthSoFar | None, deployment: Deployment | None) -> Part | None:
    """What the deployment ran on most this month."""
    its = [one for one in (month.deployments if month else ()) if deployment and one.deployment == deployment.name]
    return its[0].parts[0] if its else None


def _fit(model: Geometry, piece: Slice, length: int, at: datetime) -> Fit | None:
    return memory.answer(at=at, model=model.name, piece=piece, context=length).fit


def _verdict(model: Geometry, piece: Slice, length: int, at: datetime) -> Verdict | None:
    fit = _fit(model, piece, length, at)
    return fit.verdict if fit else None


def _holds(model: Geometry, piece: Slice, length: int, at: datetime) -> bool:
    return _verdict(model, piece, length, at) in {Verdict.YES, Verdict.TIGHT}


def _times(each: Quantity | None, count: int) -> Quantity | None:
    if each is None or count == 1:
        return each
    return each.model_copy(update={"value": each.value * count, "source": f"{count} x {each.value:g} USD/h; {each.source}"})


def _why_unpriced(piece: Slice, zone: str | None, provisioning: ProvisioningModel) -> str:
    if zone is None:
        return "no zone is known"
    return f"the price list has no {provisioning.value} {piece.generation} in {zone}"


async def _served(context: Context, deployment: Deployment | None) -> tuple[Geometry | None, int | None]:
    """The model of the deployment, as configured, else as served, and the context in tokens that its server says. None: neither
    tells one that is known."""
    if deployment is None:
        return None, None
    answered = (await attempt(context.services.engine.models(deployment))).value if deployment.base_url else None
    served = answered[0] if answered else None
    names = [deployment.model_id] if deployment.model_id is not None or served is None else [served.root, served.id]
    return next((found for name in names if name and (found := _known(name))), None), served.context if served else None


def _known(name: str) -> Geometry | None:
    try:
        return find(name)
    except BotError:
        return None
