"""How a month's cost reads: the sum, each deployment, the forecast, the price's date, and what is not in it."""

from datetime import datetime

from bot.nouns import Price
from bot.operations.cost_result import Cost, DeploymentCost, Instead, MonthSoFar, Part
from bot.operations.wording import duration, listed, money, percent
from bot.serving.catalogue import Verdict
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Button, Line, Shape, View, bold, line, plain

SHOWN = 3
"""Deployments that have a line of their own; the others wait behind Details."""

SHAPES: dict[Verdict | None, Shape] = {Verdict.YES: Shape.GOOD, Verdict.TIGHT: Shape.CONCERN, Verdict.NO: Shape.BAD}


def show(found: Cost, _context: object) -> View:
    """The month; or for a question about other slices their fit and price, and the month in one line."""
    month = _month_lines(found.month) if found.month else [line(one) for one in (*found.missing, *_nothing(found))]
    more = [_deployment(one) for one in found.month.deployments[SHOWN:]] if found.month else []
    if found.instead is None:
        lines, verdict, shape = month, _month_verdict(found), Shape.NONE
    else:
        lines, more = [*_instead_lines(found.instead), _month_verdict(found)], [*month, *more]
        verdict, shape = _instead_verdict(found.instead), SHAPES.get(found.instead.fit, Shape.NONE)
    return View(
        verdict=verdict,
        shape=shape,
        lines=tuple(lines[: LINES_LIMIT - 1]),
        details=(*lines[LINES_LIMIT - 1 :], *more, *_sources(found)),
        buttons=(*_when_idle(found), *_buttons(found.instead)),
    )


def _nothing(found: Cost) -> tuple[str, ...]:
    if found.missing:
        return ()
    return (
        "Nothing was looked at yet this month: clock does so every ten minutes. Unknown is not $0.",
        "What runs now: machines",
    )


def _month_verdict(found: Cost) -> Line:
    name = f"{found.deployment}, " if found.deployment else ""
    head = f"{name}{found.at:%B} so far"
    if found.month is None:
        return line(bold(f"{head}: unknown"), " · nothing was counted")
    since = f" · counted since {_day(found.month.since)}" if found.month.late else ""
    if not found.month.deployments:
        return line(bold(f"{head}: no machine ran"), f" while it was looked at{since}")
    if found.month.usd is None:
        return line(bold(f"{head}: {_hours(_run(found.month))} of unknown price"), since)
    most = "at least " if found.month.unpriced_hours else ""
    told = line(bold(f"{head} {most}{money(found.month.usd.value)}"), f" for {_hours(_run(found.month))} of machines{since}")
    return told if len(plain(told)) <= VERDICT_LIMIT else line(bold(f"{head} {most}{money(found.month.usd.value)}"))


def _run(month: MonthSoFar) -> float:
    return sum(one.hours for one in month.deployments)


def _hours(hours: float) -> str:
    """`257 h`, `9.5 h`; below an hour in minutes."""
    if hours < 1:
        return duration(hours * 3600)
    return f"{hours:,.1f} h" if hours < 100 else f"{hours:,.0f} h"


def _day(at: datetime) -> str:
    return f"{at.day} {at:%b %H:%M} UTC"


def _month_lines(month: MonthSoFar) -> list[Line]:
    lines = [_deployment(one) for one in month.deployments[:SHOWN]]
    lines += _idle(month)
    if month.heading_for is not None:
        lines.append(
            line(f"Forecast: heading for {money(month.heading_for.value)} by the month's end, if it goes on as counted.")
        )
    lines += _prices(month)
    lines += _not_counted(month)
    return lines


def _deployment(one: DeploymentCost) -> Line:
    name = one.deployment or "Of no deployment"
    sum_ = "price unknown" if one.usd is None else money(one.usd.value)
    unpriced = f" and {_hours(one.unpriced_hours)} of unknown price" if one.usd is not None and one.unpriced_hours else ""
    parts = " + ".join(_part(part) for part in one.parts[:2])
    more = f" and {len(one.parts) - 2} more" if len(one.parts) > 2 else ""
    tokens = one.per_million_tokens
    each = f" · {money(tokens.value)} per million output tokens" if tokens else ""
    return line(bold(name), f" {sum_}{unpriced} = {parts}{more}{each}")


def _part(part: Part) -> str:
    bought = part.provisioning.value if part.provisioning else "bought nobody knows how"
    rate = f" at {money(part.usd_per_hour.value)}/h" if part.usd_per_hour else ""
    return f"{_hours(part.hours)} of {part.accelerator or 'an unknown slice'} {bought}{rate}"


def _idle(month: MonthSoFar) -> list[Line]:
    """One line for all: what was idle, and of which time nobody knows."""
    known = [one for one in month.deployments if one.idle_hours is not None and one.idle_share is not None]
    told = [_idle_of(one, named=len(month.deployments) > 1) for one in known[:SHOWN]]
    unknown = sum(one.unknown_hours for one in month.deployments)
    if unknown > 0:
        told.append(f"of {_hours(unknown)} it is unknown whether requests ran")
    joined = "; ".join(told)
    return [line(f"{joined[0].upper()}{joined[1:]}.")] if joined else []


def _idle_of(one: DeploymentCost, *, named: bool) -> str:
    name = f"{one.deployment} " if named else ""
    if one.idle_hours == 0:
        return f"{name}was never seen without requests"
    usd = f": {money(one.idle_usd.value)}" if one.idle_usd else ""
    return f"{name}ran {_hours(one.idle_hours or 0)} without a request{usd}, {percent(one.idle_share or 0)} of the time seen"


def _prices(month: MonthSoFar) -> list[Line]:
    days = sorted({part.price.at for one in month.deployments for part in one.parts if part.price is not None})
    if not days:
        return []
    when = " and ".join(f"{day.day} {day:%B %Y}" for day in days[:2])
    return [line(f"By list prices of {when}; disks, addresses and traffic are not in it, and your invoice may differ.")]


def _not_counted(month: MonthSoFar) -> list[Line]:
    """What nobody looked at is neither running nor idle: it is said, and in no sum."""
    told = []
    if month.late:
        told.append(f"all before {_day(month.since)}")
    if month.gap_hours >= 1 / 60:
        told.append(f"{_hours(month.gap_hours)} in which nobody looked")
    silent = [f"{zone} for {_hours(hours)}" for zone, hours in sorted(month.unseen_hours.items())]
    if silent:
        told.append(f"zones that did not answer ({listed(silent, most=2)})")
    if month.over_hours:
        told.append(f"{_hours(month.over_hours)} of machines beyond the kinds that are kept")
    return [line(f"Not counted: {'; '.join(told)}.")] if told else []


def _sources(found: Cost) -> tuple[Line, ...]:
    prices = [part.price for one in (found.month.deployments if found.month else ()) for part in one.parts if part.price]
    told = dict.fromkeys(_source(price) for price in prices)
    if found.instead and found.instead.usd_per_hour:
        told[f"{found.instead.accelerator}: {found.instead.usd_per_hour.source}"] = None
    return tuple(line(one) for one in told)


def _source(price: Price) -> str:
    what = f"{price.generation} {price.provisioning.value} in {price.region}"
    return f"{what}: {money(price.usd_per_chip_hour)} a chip and hour, {price.source}"


def _instead_verdict(one: Instead) -> Line:
    price = "price unknown" if one.usd_per_hour is None else f"{money(one.usd_per_hour.value)}/h"
    same = one.now is not None and one.usd_per_hour is not None and money(one.now.value) == money(one.usd_per_hour.value)
    if same:
        return line(bold(f"{_name(one)}: {_fits(one)}"), f" · the same {price} as now")
    beside = f", now {money(one.now.value)}/h" if one.now else ""
    return line(bold(f"{_name(one)}: {_fits(one)}"), f" · {price}{beside}")


def _fits(one: Instead) -> str:
    if one.model is None:
        return "whether it fits is unknown"
    match one.fit:
        case Verdict.YES:
            return f"{one.model} fits"
        case Verdict.TIGHT:
            return f"{one.model} is tight"
        case Verdict.NO:
            return f"{one.model} does not fit"
        case None:
            return f"whether {one.model} fits is unknown"


def _instead_lines(one: Instead) -> list[Line]:
    """Why, what else the slice holds, the price with its date, and what is not known."""
    length = f"{one.context // 1024}K" if one.context % 1024 == 0 else f"{one.context:,}"
    lines = []
    if one.model is None:
        lines.append(line("Which model shall run there is not known. Name it, such as 31B."))
    elif one.why is not None:
        lines.append(line(f"At {length} tokens of context, computed: {one.why}."))
    if one.fit is not Verdict.YES:
        lines.append(line(f"A {one.accelerator} at {length} holds {_holds(one)}."))
    return [*lines, line(_price(one)), line("Speed there: unknown, never measured here.")]


def _name(one: Instead) -> str:
    return one.accelerator if one.count == 1 else f"{one.count} × {one.accelerator}"


def _price(one: Instead) -> str:
    if one.usd_per_hour is None:
        return f"Its price is unknown: {one.unpriced}."
    day = one.usd_per_hour.at
    when = f"list price of {day.day} {day:%B %Y}; your invoice may differ"
    return f"{money(one.usd_per_hour.value)}/h is {one.provisioning.value} in {one.zone}, {when}."


def _holds(one: Instead) -> str:
    parts = [listed(list(one.fitting), most=5)] if one.fitting else []
    if one.tight:
        parts.append(f"{listed(list(one.tight), most=5)} only just")
    held = ", ".join(parts) or "no Gemma 4"
    return f"{held}; {listed(list(one.shorter), most=5)} only with short contexts" if one.shorter else held


def _when_idle(found: Cost) -> tuple[Button, ...]:
    """Where most money went without a request, and a machine is recorded that may be ended (messages.md T8)."""
    if found.month is None or found.instead is not None:
        return ()
    idle = [one for one in found.month.deployments if one.idle_hours and one.deployment in found.machines]
    worst = max(idle, key=lambda one: one.idle_hours or 0, default=None)
    if worst is None or worst.deployment is None:
        return ()
    name = found.machines[worst.deployment]
    return (Button(label=f"End {name} when idle 40 min"[:75], words=f"machine end {name} idle 40m"),)


def _buttons(one: Instead | None) -> tuple[Button, ...]:
    if one is None or one.model is None:
        return ()
    words = f"memory {one.model} {one.accelerator} context={one.context}"
    return (Button(label=f"Memory of {one.model} on {one.accelerator}", words=words),)
