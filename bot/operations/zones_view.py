"""How zones read: those that can be asked with their price, then for each gate who it keeps out, then what nobody knows."""

from datetime import datetime

from bot.operations.machine_made import NO
from bot.operations.operation import Context
from bot.operations.wording import ago, count, listed, money
from bot.operations.zones_result import Gate, ZoneFound, Zones
from bot.view import LINES_LIMIT, Button, Line, Shape, View, bold, line

SHOWN = 3
"""Zones that can be asked, with their price; the others wait behind Details."""

WORDS = {"flex-start": "flex-start", "spot": "spot", "on-demand": "on demand", "reserved": "reserved"}


NOT_TOLD = line("Not known before asking: whether a zone sells it that way now, and whether it has capacity.")
"""Two gates that no list tells: they are learnt by asking."""


def show(found: Zones, _context: Context) -> View:
    """The verdict counts; the lines say where, for how much, and why not elsewhere."""
    open_ones = [one for one in found.zones if one.out is None]
    lines = [_open(one, found.at) for one in open_ones[:SHOWN]]
    lines += [_shut(found, gate, why) for gate, why in _gates(found)]
    told = [one for one in (*lines, *map(line, found.missing), NOT_TOLD) if one]
    return View(
        verdict=_verdict(found, open_ones),
        shape=Shape.NONE if open_ones else Shape.BAD,
        lines=tuple(told[: LINES_LIMIT - 1]),
        details=(*told[LINES_LIMIT - 1 :], *(_whole(one, found.at) for one in found.zones)),
        buttons=tuple(Button(label=f"Machines in {one.name}"[:75], words=f"machines {one.name}") for one in open_ones[:1]),
    )


def _verdict(found: Zones, open_ones: list[ZoneFound]) -> Line:
    kind = f"{found.slice} {WORDS[found.provisioning]}"
    asked = count(len(found.zones), "zone")
    if not open_ones:
        return line(bold(f"No zone can be asked for a {kind}"), f" · looked at {asked}")
    return line(bold(f"{len(open_ones)} of {asked} can be asked for a {kind}"))


def _open(one: ZoneFound, now: datetime) -> Line:
    price = "price unknown" if one.usd_per_hour is None else f"{money(one.usd_per_hour.value)}/h"
    unknown = f" · {' and '.join(one.unknown)} unknown" if one.unknown else ""
    return line(bold(one.name), f" {price}{_recent(one, now)}{_room(one)}{unknown}")


def _recent(one: ZoneFound, now: datetime) -> str:
    """What asking there came to lately."""
    if one.refused is not None and one.refused_at is not None:
        return f" · {NO.get(one.refused, 'refused')}, seen {ago(one.refused_at, now)}"
    return f" · gave a machine {ago(one.worked_at, now)}" if one.worked_at is not None else ""


def _room(one: ZoneFound) -> str:
    """The smaller of the limits of zone and region: that one decides."""
    known = [quota for quota in one.quotas if quota.limit is not None]
    if not known:
        return " · no limit" if one.quotas and all(quota.unlimited for quota in one.quotas) else ""
    least = min(known, key=lambda quota: (quota.limit or 0) - (quota.used or 0))
    used = "use unknown" if least.used is None else f"{least.used} used"
    return f" · quota {least.limit} {least.unit} in {least.place}, {used}"


def _gates(found: Zones) -> tuple[tuple[Gate, str], ...]:
    return (
        (Gate.HARDWARE, f"no {found.slice} there"),
        (Gate.MODEL, _model_gate(found)),
        (Gate.QUOTA, "quota too small"),
    )


def _model_gate(found: Zones) -> str:
    said = {one.why for one in found.zones if one.out is Gate.MODEL}
    return said.pop() if len(said) == 1 else "refused when asked"


def _shut(found: Zones, gate: Gate, why: str) -> Line:
    names = [one.name for one in found.zones if one.out == gate]
    return line(f"Out, {why}: {listed(sorted(names), most=4)}") if names else ()


def _whole(one: ZoneFound, now: datetime) -> Line:
    if one.out is not None:
        return line(bold(one.name), f" out: {one.why}")
    ids = ", ".join(f"{quota.quota_id} {_limit(quota.limit, unlimited=quota.unlimited)} in {quota.place}" for quota in one.quotas)
    return line(*_open(one, now), f" · {ids}" if ids else "")


def _limit(limit: int | None, *, unlimited: bool) -> str:
    return "unlimited" if unlimited else "unknown" if limit is None else str(limit)
