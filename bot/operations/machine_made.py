"""How the making of a machine reads: while it waits, when it stands, and when it came to nothing."""

from datetime import datetime, timedelta

from bot.nouns import Machine, Refusal, RefusalKind, RequestState
from bot.operations.machine_plan import Plan
from bot.operations.machine_words import rate
from bot.operations.wording import duration, money
from bot.view import Button, Line, Shape, View, When, bold, code, line

_NEXT = {
    RefusalKind.UNSUPPORTED_ZONE: "Choose another zone.",
    RefusalKind.NO_SUCH_SLICE: "Choose another zone or slice.",
    RefusalKind.MODEL_REFUSED: "Choose another zone, or another way of buying.",
    RefusalKind.QUOTA: "Ask Google for more quota there, or choose another zone.",
    RefusalKind.STOCKOUT: "Try again later, or another zone.",
    RefusalKind.RATE: "Try again in a minute.",
    RefusalKind.PERMISSION: "The bot's service account lacks a role: /gemma doctor says which.",
}
NO = {
    RefusalKind.UNSUPPORTED_ZONE: "that zone has no TPUs",
    RefusalKind.NO_SUCH_SLICE: "there is no such slice there",
    RefusalKind.MODEL_REFUSED: "it is not sold that way there",
    RefusalKind.QUOTA: "the quota there is used up",
    RefusalKind.STOCKOUT: "no capacity there now",
    RefusalKind.RATE: "too many requests this minute",
    RefusalKind.PERMISSION: "Google does not let me",
}
_STATES = {
    RequestState.CREATING: "asked",
    RequestState.WAITING: "waiting for capacity, which is normal and free",
    RequestState.PROVISIONING: "Google is setting the machine up",
    RequestState.ACTIVE: "Google says it is there, it starts up",
}


def waits(work: str, made: Plan, state: RequestState | None, since: timedelta | None) -> View:
    """Progress. The time so far is told in steps, so that it is not a new message every few seconds."""
    said = _STATES.get(state, "asked") if state is not None else "asked"
    return View(
        verdict=line(bold(f"{work}: {made.order.machine} "), f"in {made.order.zone.name}: {said}{_so_far(since)}"),
        shape=Shape.TIME,
        lines=(line(f"A {made.order.piece.name}, {rate(made.usd_per_hour)} once it is ready; nothing bills until then."),),
    )


def _so_far(since: timedelta | None) -> str:
    minutes = int(since.total_seconds() // 60) if since is not None else 0
    if minutes < 5:
        return ""
    step = 5 if minutes < 60 else 30
    return f", for {duration(minutes // step * step * 60)}"


def ready(made: Plan, machine: Machine, ends: datetime, now: datetime) -> View:
    """It stands: its address, what it bills, until when, at most how much."""
    most = "" if made.usd is None else f", at most {money(made.usd)}"
    address = (code(machine.address),) if machine.address else ("unknown",)
    return View(
        verdict=line(bold(f"{made.order.machine} is ready"), f" in {made.order.zone.name} since ", When(at=now)),
        shape=Shape.GOOD,
        lines=(
            line(f"It bills {rate(made.usd_per_hour)} until ", When(at=ends, date=True), f"{most}. Address ", *address, "."),
            line("Nothing runs on it yet."),
        ),
        buttons=(
            Button(label=f"Look at {made.order.machine}"[:75], words=f"machine {made.order.machine}"),
            Button(label=f"End {made.order.machine} now"[:75], words=f"machine destroy {made.order.machine}"),
        ),
    )


def refused(made: Plan, refusal: Refusal) -> View:
    """Google said no before anything was made."""
    return _nothing(made, refusal.kind, _google(refusal.text))


def withdrawn(made: Plan, why: str, kind: RefusalKind | None) -> View:
    """It came to an end without a machine; the request is deleted and verified gone."""
    gone = line("The request is deleted and gone; nothing bills and nothing counts against the quota.")
    if kind is None:
        verdict = line(bold(f"No {made.order.machine}"), f" in {made.order.zone.name}: {why[:200]}")
        return View(verdict=verdict, shape=Shape.BAD, lines=(gone,), buttons=_again(made))
    return _nothing(made, kind, _google(why), gone)


def vanished(made: Plan) -> View:
    """The request went while it waited, and Google does not say why."""
    return View(
        verdict=line(
            bold(f"No {made.order.machine}"), f": its request in {made.order.zone.name} was refused or deleted by somebody"
        ),
        shape=Shape.CONCERN,
        lines=(line("Request and machine were looked for and are not there; nothing bills."),),
        buttons=_again(made),
    )


def stuck(made: Plan, waited: timedelta) -> View:
    """The deletion was taken and not carried out."""
    name, zone = made.order.machine, made.order.zone.name
    return View(
        verdict=line(bold(f"{name} came to nothing and is not gone"), f" after {duration(waited.total_seconds())}"),
        shape=Shape.BAD,
        lines=(
            line(f"{made.order.name} still stands in {zone} and may bill {rate(made.usd_per_hour)}; I stopped looking."),
            line(f"Next: /gemma machine destroy {made.order.name}, then Google's support."),
        ),
        buttons=(Button(label=f"Destroy {made.order.name}"[:75], words=f"machine destroy {made.order.name}"),),
    )


def _nothing(made: Plan, kind: RefusalKind, *more: Line) -> View:
    said = NO.get(kind, "Google refused")
    step = (line(_NEXT[kind]),) if kind in _NEXT else ()
    bills = () if len(more) > 1 else (line("Nothing was made, nothing bills."),)
    return View(
        verdict=line(bold(f"No {made.order.machine}"), f" in {made.order.zone.name}: {said}"),
        shape=Shape.BAD,
        lines=(*more, *bills, *step),
        buttons=_again(made),
    )


def _google(text: str) -> Line:
    return line(f"Google says: {text[:300]}")


def _again(made: Plan) -> tuple[Button, ...]:
    order = made.order
    words = f"zones {order.piece.name} {order.provisioning.value}"
    return (Button(label=f"Zones for {order.piece.name}"[:75], words=words),)
