"""How `replace` reads."""

from collections.abc import Sequence
from statistics import median

from bot.nouns import EngineStart
from bot.operations import engine_progress
from bot.operations.bring_up import Stands
from bot.operations.deploy_plan import Bringing
from bot.operations.deploy_view import memory_line
from bot.operations.machine_destroy import Doomed
from bot.operations.machine_terms import costs, terms
from bot.operations.machine_use import Use
from bot.operations.machine_words import rate
from bot.operations.operation import Consent, Preview
from bot.operations.wording import money
from bot.view import Button, Line, Shape, View, When, bold, code, line, plain


def asked(found: Bringing, doomed: Doomed, starts: Sequence[EngineStart]) -> Preview:
    """The new machine, and what both cost together."""
    made = found.made
    assert made is not None
    order = made.order
    price = "price unknown" if made.usd is None else rate(made.usd_per_hour)
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line(bold(f"Replace {doomed.name} by {order.machine}"), f" in {order.zone.name}: {costs(made)}"),
        lines=(
            line(f"{doomed.name} serves on until {order.machine} answers; then its open requests get 10 min, and it is ended."),
            _overlap(doomed, starts),
            memory_line(found.wanted),
            *terms(made),
        ),
        button=f"Replace {doomed.name}, {price}"[:75],
        usd=made.usd,
    )


def _overlap(doomed: Doomed, starts: Sequence[EngineStart]) -> Line:
    """What the old machine costs while both stand, from the last starts."""
    if doomed.usd_per_hour is None or not starts:
        return line(f"Both bill meanwhile: {doomed.name} {rate(doomed.usd_per_hour)}, for 20 to 40 min.")
    hours = median(one.seconds for one in starts[: engine_progress.LAST]) / 3600 + 1 / 6
    dollars = money(doomed.usd_per_hour.value * hours)
    return line(
        f"Both bill meanwhile: about {dollars} for {doomed.name}, a start taking {engine_progress.expected(starts)} "
        f"({engine_progress.last_starts(starts)})."
    )


def drains(work: str, doomed: Doomed, use: Use) -> View:
    """Progress."""
    return View(
        verdict=line(bold(f"{work}: the new machine answers"), f"; {doomed.name} ends its open requests: {use.said}"),
        shape=Shape.TIME,
    )


def replaced(stands: Stands, told: View, cut: str) -> View:
    """The new one answers; what became of the old one."""
    place = stands.place
    lost = (line(f"Cut off on the old one after 10 min: {cut}."),) if cut else ()
    until = line("Its end is unknown.")
    if place.ends_at is not None:
        until = line("It bills until ", When(at=place.ends_at, date=True), ".")
    return View(
        verdict=line(bold(f"{place.name} answers on {place.machine}"), " since ", When(at=stands.at), f", {place.zone}"),
        shape=Shape.GOOD if told.shape is Shape.GOOD else Shape.CONCERN,
        lines=(line("Address: ", code(place.base_url or "unknown"), "."), until, told.verdict, *told.lines[:2], *lost),
        buttons=(
            Button(label="Endpoint", words=f"endpoint {place.name}"),
            Button(label=f"End {place.machine} now"[:75], words=f"machine destroy {place.machine}"),
        ),
    )


def not_replaced(doomed: Doomed, told: View, log: Sequence[str]) -> View:
    """The old one serves on untouched; nothing of the new one bills."""
    return View(
        verdict=line(bold(f"{doomed.name} is not replaced and serves on, untouched")),
        shape=Shape.BAD,
        lines=(line(plain(told.verdict)), *told.lines[:5]),
        buttons=told.buttons,
        details=tuple(line(code(one[:300])) for one in log if one.strip()),
    )


def kept_both(stands: Stands, doomed: Doomed) -> View:
    """Somebody stopped it after the switch."""
    place = stands.place
    return View(
        verdict=line(bold(f"I stopped: {place.name} answers on {place.machine}"), f", and {doomed.name} may still bill"),
        shape=Shape.CONCERN,
        lines=(line(f"{doomed.name} bills {rate(doomed.usd_per_hour)} until somebody ends it."),),
        buttons=(Button(label=f"Destroy {doomed.name}"[:75], words=f"machine destroy {doomed.name}", style="danger"),),
    )
