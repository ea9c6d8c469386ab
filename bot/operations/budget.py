"""`budget` and `budget set`: how much may be spent in a month, and how much was, as far as that is known."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel

from bot.errors import NotConnectedError
from bot.nouns import Effect, Quantity, Role, SeenBy
from bot.operations import budget_gate
from bot.operations.budget_promised import Promised, promised
from bot.operations.operation import Arguments, Context, NoArguments, Operation
from bot.operations.values import Form
from bot.operations.wording import count, duration, listed, money
from bot.ports import Limit
from bot.view import Line, Mention, Shape, View, When, bold, line

NEARLY = 0.8
"""Our choice: from four fifths of the limit on, the state is a concern."""


def _dollars(word: str) -> str:
    return "0" if word.lower() in {"none", "off"} else word.strip("$").replace(",", "")


_SUM = r"\$?(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?\$?|none|off"
AMOUNT = Form("sum of dollars", re.compile(_SUM, re.I), "$500", _dollars)


class SetArguments(Arguments):
    """The limit of a calendar month in USD; `none` takes it away."""

    amount: Annotated[float, AMOUNT]


class Spending(BaseModel):
    """The limit and this month, as far as they are known; `changed` when the limit was just set.

    `limit` None: there is none, or, with `limit_known` False, nobody could look.
    """

    limit: Limit | None
    limit_known: bool
    since: datetime
    spent: Quantity | None
    burn: Quantity | None
    unpriced: int
    missing: str | None
    counted_since: datetime | None = None
    gap_s: float = 0.0
    unpriced_s: float = 0.0
    promised: Quantity | None = None
    promised_to: str = ""
    changed: bool = False


async def run(context: Context, _arguments: NoArguments) -> Spending:
    """Limit, spent, burn."""
    return await _spending(context, changed=False)


async def run_set(context: Context, arguments: SetArguments) -> Spending:
    """Set the limit for every month from now on."""
    if context.services.house is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    made = Limit(usd=arguments.amount, by=context.actor.user_id, at=context.now) if arguments.amount > 0 else None
    await context.services.house.budget.set_limit(context.services.team_id, made)
    return await _spending(context, changed=True)


async def _spending(context: Context, *, changed: bool) -> Spending:
    known = await budget_gate.month(context)
    coming = await promised(context, known.priced)
    return Spending(
        limit=await budget_gate.limit(context),
        limit_known=context.services.house is not None,
        since=known.since,
        spent=known.spent,
        burn=known.burn,
        unpriced=known.unpriced,
        missing=known.missing,
        counted_since=known.counted_since,
        gap_s=known.gap_s,
        unpriced_s=known.unpriced_s,
        promised=Quantity(value=coming.usd, unit="USD", at=context.now, source="list prices until recorded ends"),
        promised_to=_to(coming),
        changed=changed,
    )


def _to(coming: Promised) -> str:
    """Whom it is promised to; empty when to nobody."""
    machines = [count(coming.machines, "machine") + " until the recorded end"] if coming.machines else []
    works = [count(coming.works, "piece of work", "pieces of work") + " on the way"] if coming.works else []
    unknown = f", {coming.unknown} of unknown cost" if coming.unknown else ""
    return listed(machines + works) + unknown


def show(found: Spending, context: Context) -> View:
    """The limit against what is known to be spent; then what that figure holds and what it does not."""
    return View(verdict=_verdict(found), shape=_shape(found), lines=tuple(_lines(found, context)))


def _verdict(found: Spending) -> Line:
    spent = "spent so far unknown" if found.spent is None else f"at least {money(found.spent.value)} spent"
    if found.limit is None:
        none = "No limit is set" if found.limit_known else "The limit is unknown"
        return line(bold(none), f" · {spent} in {found.since:%B}")
    set_to = "The limit is now" if found.changed else "Limit"
    return line(bold(f"{set_to} {money(found.limit.usd)} a month"), f" · {spent} in {found.since:%B}")


def _shape(found: Spending) -> Shape:
    if found.limit is None or found.spent is None:
        return Shape.NONE
    share = found.spent.value / found.limit.usd
    return Shape.BAD if share >= 1 else Shape.CONCERN if share >= NEARLY else Shape.GOOD


def _lines(found: Spending, context: Context) -> list[Line]:
    burn = "burn unknown" if found.burn is None else f"{money(found.burn.value)}/h runs now"
    lines = [line(f"{burn}{_hours_left(found)}")]
    if found.promised is not None and found.promised_to:
        lines.append(line(f"Promised besides, at most: {money(found.promised.value)} to {found.promised_to}."))
    if found.spent is not None:
        lines += _counted(found)
    if found.unpriced_s:
        lines.append(line(f"{duration(found.unpriced_s)} of machine time of unknown price on top."))
    if found.unpriced:
        lines.append(line(f"{count(found.unpriced, 'machine')} of unknown price on top."))
    missing = () if found.limit_known else (str(NotConnectedError("Redis", "REDIS_URL")),)
    lines += [line(one) for one in (*missing, *((found.missing,) if found.missing else ()))]
    if found.limit is not None:
        lines.append(line("Set by ", Mention(id=found.limit.by), ", ", When(at=found.limit.at, date=True)))
    elif context.role >= Role.ADMIN and found.limit_known:
        lines.append(line("Without a limit nothing is refused for its price: /gemma budget set $500"))
    return lines


def _counted(found: Spending) -> list[Line]:
    """What the figure holds, and what it does not."""
    if found.counted_since is None:
        return [line("Counted: the machines that run now, by list price. What ended earlier this month is not counted.")]
    late = found.counted_since > found.since
    since = (
        f" since {found.counted_since.day} {found.counted_since:%b %H:%M} UTC, and what runs now from its start" if late else ""
    )
    lacking = ["what ended before that"] if late else []
    if found.gap_s >= 60:
        lacking.append(f"{duration(found.gap_s)} in which nobody looked")
    counted = line(f"Counted by list price: all machines{since}. For each deployment: cost")
    return [counted, *([line(f"Not counted: {', and '.join(lacking)}.")] if lacking else [])]


def _hours_left(found: Spending) -> str:
    if found.limit is None or found.spent is None or found.burn is None or found.burn.value <= 0:
        return ""
    hours = (found.limit.usd - found.spent.value) / found.burn.value
    return f" · the limit is reached in {hours:.0f} h" if hours > 0 else " · the limit is used up"


BUDGET = Operation(
    path="budget",
    summary="the month's limit, what was spent and what runs",
    when_to_use="To see how much may still be spent this month.",
    example="budget",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    timeout=15.0,
    run=run,
    show=show,
)

BUDGET_SET = Operation(
    path="budget.set",
    summary="set the limit of a month; new spending over it is refused",
    when_to_use="When a month's spending shall have a limit, or another one.",
    example="budget set $500",
    arguments=SetArguments,
    effect=Effect.CHANGES,
    role=Role.ADMIN,
    seen_by=SeenBy.YOU,
    timeout=15.0,
    run=run_set,
    show=show,
)
