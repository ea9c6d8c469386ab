"""How a search reads: what it may cost, how far it is, and how it ended."""

from collections import Counter
from datetime import datetime

from bot.nouns import Machine, ProvisioningModel, RefusalKind
from bot.operations.find_plan import Search
from bot.operations.find_zones import Stand, Zones
from bot.operations.wording import count, duration, listed, money
from bot.view import Button, Line, Shape, View, When, bold, code, line

_NO = {
    RefusalKind.QUOTA: "no quota",
    RefusalKind.STOCKOUT: "no capacity",
    RefusalKind.MODEL_REFUSED: "not sold that way there",
    RefusalKind.NO_SUCH_SLICE: "no such slice",
    RefusalKind.UNSUPPORTED_ZONE: "no TPUs there",
    RefusalKind.PERMISSION: "not permitted",
    RefusalKind.RATE: "too many requests a minute",
    RefusalKind.OTHER: "other reasons",
}


def kind_of(search: Search) -> str:
    """`v6e-4 flex-start`."""
    return f"{search.piece.name} {search.provisioning.value}"


def progress(work: str, search: Search, zones: Zones, usual: tuple[float, ...], now: datetime) -> View:
    """How many were asked, how many wait, who said no; and when one may come, from those that came before."""
    waiting = len(zones.among(Stand.PICKED, Stand.WAITS))
    verdict = f": asked {zones.asked} of {count(len(zones.zones), 'zone')} for a {kind_of(search)}, {waiting} open"
    return View(
        verdict=line(bold(work), verdict),
        shape=Shape.TIME,
        lines=tuple(one for one in (refusals(zones.refusals), _usually(usual, now), _until(search)) if one),
    )


def _usually(usual: tuple[float, ...], now: datetime) -> Line:
    del now
    if not usual:
        return line("How long it takes is unknown: I have not seen a machine come yet.")
    return line(f"The last machines came {duration(usual[len(usual) // 2])} after a zone was asked (median of {len(usual)}).")


def looks_until(search: Search, then: str) -> Line:
    """Its end by the reader's clock and by the one that `until` is typed by: they may be hours apart."""
    return line("It looks until ", When(at=search.deadline, date=True), f" ({search.deadline:%H:%M} UTC){then}")


def _until(search: Search) -> Line:
    return looks_until(search, f", for at most {money(search.ceiling)}/h together.")


def refusals(found: Counter[RefusalKind]) -> Line:
    """`Refused: 9 no quota, 6 no capacity.`; nothing where nobody said no."""
    said = [f"{number} {_NO[kind]}" for kind, number in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))]
    return line(f"Refused: {', '.join(said)}.") if said else ()


def won(search: Search, zones: Zones, machine: Machine, ends: datetime, cancelled: int, ready_at: datetime) -> View:
    """It stands; what it bills, until when; that nothing else does."""
    usd = next(one.usd for one in zones.zones if one.zone == machine.zone.name)
    spent = duration((ready_at - search.asked_at).total_seconds())
    most = money(usd * search.run_s / 3600)
    address = (" Address ", code(machine.address), ".") if machine.address else (" Address unknown.",)
    others = "No other request stands" if not cancelled else f"The other {count(cancelled, 'request')} cancelled and gone"
    verb = " is" if cancelled == 1 else " are" if cancelled else ""
    gone = others.replace(" cancelled", f"{verb} cancelled") if cancelled else others
    return View(
        verdict=line(
            bold(f"Got a {search.piece.name} at "),
            When(at=ready_at),
            bold(f" in {machine.zone.name}"),
            f" (asked {count(zones.asked, 'zone')} in {spent})",
        ),
        shape=Shape.GOOD,
        lines=tuple(
            one
            for one in (
                line(f"{gone}; only this one bills: {money(usd)}/h until ", When(at=ends, date=True), f", at most {most}."),
                _wasted(zones),
                refusals(zones.refusals),
                line(f"It is {machine.name}; {_held(search)}.", *address),
            )
            if one
        ),
        buttons=(
            *_deploy(search, machine),
            Button(label=f"Look at {machine.name}"[:75], words=f"machine {machine.name}"),
            Button(label=f"End {machine.name} now"[:75], words=f"machine destroy {machine.name}"),
        ),
    )


def _deploy(search: Search, machine: Machine) -> tuple[Button, ...]:
    """Zone and slice are named, or `deploy` could choose another machine of ours, or a new one. Only where we can log in."""
    if search.hold or not search.ssh_keys:
        return ()
    words = f"deploy {search.deployment} zone {machine.zone.name} slice {search.piece.name}"
    return (Button(label=f"Deploy {search.deployment} on it"[:75], words=words),)


def _held(search: Search) -> str:
    whose = "Google deletes it then" if search.provisioning is ProvisioningModel.FLEX_START else "I delete it then"
    return f"it is held, nothing runs on it, and {whose}" if search.hold else f"nothing runs on it yet, and {whose}"


def _wasted(zones: Zones) -> Line:
    if not zones.wasted:
        return ()
    return line(f"Machines that came in the same moment were deleted; they cost about {money(zones.wasted)}.")


def nothing(work: str, search: Search, zones: Zones, why: str, now: datetime) -> View:
    """It ended without a machine, and everything that was asked for is verified gone."""
    spent = duration((now - search.asked_at).total_seconds())
    asked = f"Asked {zones.asked} of {count(len(zones.zones), 'zone')} in {spent}. All requests are gone; nothing bills."
    words = f"zones {search.piece.name} {search.provisioning.value}"
    return View(
        verdict=line(bold(f"{work}: no {kind_of(search)}"), f": {why}"),
        shape=Shape.CONCERN,
        lines=tuple(one for one in (line(asked), _wasted(zones), refusals(zones.refusals)) if one),
        buttons=(Button(label=f"Zones for {search.piece.name}"[:75], words=words),),
    )


def stuck(work: str, search: Search, zones: Zones) -> View:
    """Some of what was asked for does not go."""
    left = [one for one in zones.zones if one.stands]
    usd = sum(one.usd for one in left)
    name = search.machine(work)
    return View(
        verdict=line(bold(f"{work} ended, but {count(len(left), 'request')} did not go")),
        shape=Shape.BAD,
        lines=(
            line(f"{name}-request in {listed([one.zone for one in left])} may bill {money(usd)}/h; I stopped looking."),
            line(f"Next: /gemma machine destroy {name}-request, then Google's support."),
        ),
        buttons=(Button(label="All machines", words="machines"),),
    )
