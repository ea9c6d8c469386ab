"""Words that all changes of a machine share: what it is, whose, since when, for how much."""

from datetime import datetime

from bot.nouns import Quantity, Role
from bot.operations.access import who_may
from bot.operations.machine_found import Found
from bot.operations.operation import Context
from bot.operations.wording import duration, money
from bot.view import Line, Mention, Span, bold, line, text


def described(found: Found) -> str:
    """`v6e-4, us-east5-a, ours, up 26 h, about $140.40 so far`."""
    parts = [found.accelerator or "slice unknown", found.zone]
    parts.append("ours" if found.ours else f"not ours: owner {found.owner or 'unknown'}")
    if found.machine_state is None:
        parts.append(f"request {found.request_state}, no machine yet")
    elif found.created_at is not None:
        parts.append(f"up {duration((found.at - found.created_at).total_seconds())}")
        parts += [f"about {money(spent.value)} so far"] if (spent := cost(found.usd_per_hour, found.created_at, found.at)) else []
    return ", ".join(parts)


def cost(usd_per_hour: Quantity | None, since: datetime | None, until: datetime) -> Quantity | None:
    """What a machine cost from then to then in USD, by its list price; None where price or beginning is unknown."""
    if usd_per_hour is None or since is None:
        return None
    hours = max((until - since).total_seconds(), 0) / 3600
    return Quantity(value=usd_per_hour.value * hours, unit="USD", at=usd_per_hour.at, source=usd_per_hour.source)


def rate(price: Quantity | None) -> str:
    """`$5.40/h`, or that it is unknown."""
    return "an unknown price per hour" if price is None else f"{money(price.value)}/h"


def asks(context: Context, needed_role: Role, what: str, *, second_person: bool) -> Line:
    """The verdict of a question: to oneself `Destroy prod-2?`, to others who asks for what, naming those who may say yes."""
    if not second_person:
        return line(bold(f"{what[0].upper()}{what[1:]}"))
    named: list[Span] = [span for one in who_may(context.services, needed_role).split() for span in (Mention(id=one), text(" "))]
    return line(*named, text("· ") if named else text(""), Mention(id=context.actor.user_id), bold(f" asks to {what}"))
