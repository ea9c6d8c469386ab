"""How `deploy` reads: the question, the announcement, and its other ends."""

from bot.nouns import Deployment, Quantity, Role
from bot.operations.bring_up import Stands
from bot.operations.deploy_plan import Also, Bringing
from bot.operations.machine_plan import Plan
from bot.operations.machine_terms import costs, terms
from bot.operations.machine_words import asks, rate
from bot.operations.operation import Consent, Context, Preview
from bot.operations.wording import duration, money
from bot.serving.catalogue import fits
from bot.serving.specification import EngineSpecification
from bot.view import Button, Line, Shape, Span, View, When, bold, code, line

DESTROYS_SHOWN = 2


def asked_new(found: Bringing, usual: Line) -> Preview:
    """A machine is to be made."""
    made = found.made
    assert made is not None
    name, order = found.deployment.name, made.order
    price = "price unknown" if made.usd is None else rate(made.usd_per_hour)
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line(bold(f"Deploy {name}: {order.piece.name}"), f" in {order.zone.name}, {costs(made)}"),
        lines=(_engine(found.wanted), memory_line(found.wanted), *terms(made), usual, *_also(found.also)),
        button=f"Deploy {name}, {price}"[:75],
        usd=made.usd,
    )


def asked_on(found: Bringing, usual: Line, needs: Consent, cut: Line, context: Context) -> Preview:
    """A machine of ours stands."""
    assert found.on is not None
    name, machine = found.deployment.name, found.on.name
    asked = asks(context, Role.OPERATOR, f"deploy {name}", second_person=needs is Consent.SECOND_PERSON)
    return Preview(
        needs=needs,
        verdict=(*asked, *line(f" on {machine}, which stands already: no new bill")),
        lines=(_engine(found.wanted), memory_line(found.wanted), cut, usual, *_also(found.also)),
        button=f"Deploy {name} on {machine}"[:75],
        usd=0.0,
    )


def _engine(wanted: EngineSpecification) -> Line:
    made = f"{wanted.model.rpartition('/')[2]} with {wanted.context:,} tokens of context, {wanted.cache.value} cache"
    return line(f"{made}, utilization {wanted.utilization:g}, image ", code(wanted.image[-80:]), ".")


def memory_line(wanted: EngineSpecification) -> Line:
    """Whether it fits, and why."""
    fit = fits(wanted.geometry, wanted.piece, wanted.context, wanted.cache.value, wanted.utilization)
    users = fit.users.get(wanted.context)
    at_once = f", {users} at once at full length" if users else ""
    return line(f"Memory: {fit.verdict.value}, {fit.why}{at_once} (calculated).")


def _also(also: tuple[Also, ...]) -> tuple[Line, ...]:
    if not also:
        return ()
    named = ", ".join(f"{one.name} ({one.zone}, {rate(one.usd_per_hour)})" for one in also[:4])
    return (line(f"Ours too, and billing on: {named}. I offer to end them afterwards and touch nothing before."),)


def answers(stands: Stands, made: Plan | None, price: Quantity | None, also: tuple[Also, ...]) -> View:
    """It answers: since when, where, for how much, until when."""
    place = stands.place
    took = f" · start took {duration(stands.took_s)}" if stands.fresh else " · it ran as wanted already"
    ends: tuple[str | Span, ...] = (" until ", When(at=place.ends_at, date=True)) if place.ends_at else ()
    most = f", at most {money(made.usd)}" if made is not None and made.usd is not None else ""
    bill = rate(made.usd_per_hour if made is not None else price)
    again = () if made is not None else (" It stood already: no new bill.",)
    return View(
        verdict=line(bold(f"{place.name} answers"), " since ", When(at=stands.at), f" on {place.machine}, {place.zone}{took}"),
        shape=Shape.GOOD,
        lines=(
            line(f"{place.machine} bills {bill}", *ends, f"{most}.", *again),
            _address(stands),
            *_left_over(also),
            *script_line(stands),
        ),
        buttons=(
            Button(label="Endpoint", words=f"endpoint {place.name}"),
            Button(label=f"End {place.machine} now, {bill}"[:75], words=f"machine destroy {place.machine}"),
            *(_destroy(one) for one in also[:DESTROYS_SHOWN]),
        ),
    )


def _destroy(one: Also) -> Button:
    return Button(label=f"Destroy {one.name}, {rate(one.usd_per_hour)}"[:75], words=f"machine destroy {one.name}", style="danger")


def _address(stands: Stands) -> Line:
    at = stands.place.base_url or "unknown"
    if stands.before and stands.before != at:
        return line("Address changed: ", code(at), ".")
    return line("Address: ", code(at), ".")


def _left_over(also: tuple[Also, ...]) -> tuple[Line, ...]:
    if not also:
        return ()
    return (line(f"Still billing for it and no longer needed: {', '.join(one.name for one in also[:4])}."),)


def script_line(stands: Stands) -> tuple[Line, ...]:
    """What a reboot would bring up, where that is not the same."""
    if not stands.script_old:
        return ()
    return (line(f"A reboot would bring up what was wanted before: {stands.script_old[:200]}"),)


def still_served(view: View, now: Deployment) -> View:
    """The start came to nothing, and what served before serves on."""
    said = line(f"{now.name} is served on by {now.machine or 'what served before'}; I left that as it is.")
    return view.model_copy(update={"lines": (said, *view.lines)[:7]})


def stopped(place: Deployment, bills: str) -> View:
    """Somebody stopped it when the machine was ready."""
    return View(
        verdict=line(bold(f"I stopped bringing up {place.name}"), f": {place.machine} is up and bills"),
        shape=Shape.CONCERN,
        lines=(line(bills), line("What its start-up script began goes on there.")),
        buttons=(
            Button(label="Engine status", words=f"engine status {place.name}"),
            Button(label=f"End {place.machine} now"[:75], words=f"machine destroy {place.machine}"),
        ),
    )
