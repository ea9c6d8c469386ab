"""What of a month is promised already: machines until their recorded ends, and work that was said yes to and has none yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.nouns import Machine, Quantity
from bot.operations.cost_month import month_end
from bot.operations.operation import Context
from bot.operations.sources import attempt
from bot.ports import OpenWork, Question

Priced = tuple[Machine, Quantity]
"""A machine that is there now, with its price in USD/h."""

REQUEST = "request"
"""The kind of work that is a request; one that was said yes to becomes long work of its operation's name."""


@dataclass(frozen=True)
class Promised:
    """`usd` that will still be spent this month, at most, by `machines` machines and `works` pieces of work. `unknown` counts
    works of which nobody could say what they may cost.

    A machine without a recorded end promises nothing: what it burns is known, for how long is not.
    """

    usd: float = 0.0
    machines: int = 0
    works: int = 0
    unknown: int = 0


async def promised(context: Context, priced: Sequence[Priced], own: str | None = None) -> Promised:
    """Add up. `own` is the question whose yes is carried out now: it is not held against itself, and of those that were said yes
    to and have not begun, only earlier ones are. So of two that together go over the limit the later one finds that out.
    """
    leases = await context.services.leases.all(context.services.team_id) if context.services.leases is not None else ()
    ends = {(one.zone, one.machine): one.ends_at for one in leases}
    running = [usd for one, price in priced if (usd := _until_its_end(context.now, one, price, ends)) > 0]
    made = {one.work for one in leases}
    under_way = await attempt(context.services.work.under_way(context.services.team_id))
    works = [one for one in under_way.value or () if one.approval is not None and one.id not in made]
    coming = await _coming(context, works, own)
    known = [one.usd for one in coming if one.usd is not None]
    return Promised(sum(running) + sum(known), len(running), len(coming), len(coming) - len(known))


def _until_its_end(now: datetime, machine: Machine, price: Quantity, ends: Mapping[tuple[str, str], datetime]) -> float:
    """USD until its end or the month's, whichever is first."""
    end = ends.get((machine.zone.name, machine.name)) or machine.ends_at
    return 0.0 if end is None else price.value * (min(end, month_end(now)) - now).total_seconds() / 3600


async def _coming(context: Context, works: Sequence[OpenWork], own: str | None) -> list[Question]:
    """The questions behind work that may still make something: each once, spending ones only."""
    mine = next((one for one in works if one.id == own), None)
    found: dict[str, Question] = {}
    for one in works:
        if one.approval is None or one.approval == own or (mine is not None and _later(one, mine)):
            continue
        question = await context.services.approvals.get(one.approval)
        if question is not None and question.spends and one.kind in {REQUEST, question.operation}:
            found[question.id] = question
    return list(found.values())


def _later(one: OpenWork, mine: OpenWork) -> bool:
    """Whether it was said yes to after this one, and has not begun."""
    return one.kind == REQUEST and (one.since, one.id) > (mine.since, mine.id)
