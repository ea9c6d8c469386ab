"""How `change` and `rollback` read."""

from collections.abc import Sequence

from bot.nouns import Deployment, EngineStart, Role
from bot.operations import engine_cuts, engine_progress
from bot.operations.bring_up import Stands
from bot.operations.deploy_view import memory_line, script_line
from bot.operations.engine_cuts import Cuts
from bot.operations.engine_wanted import Meant
from bot.operations.machine_words import asks
from bot.operations.operation import Consent, Context, Preview
from bot.operations.wording import duration
from bot.view import Button, Line, Shape, View, When, bold, code, line

SHOWN = 2


def asked(context: Context, found: Meant, seen: Cuts, back: Line, doing: str) -> Preview:
    """Field by field, then memory, then whom it cuts off and for how long."""
    name = found.deployment.name
    subject = asks(context, Role.OPERATOR, f"{doing} {name}", second_person=seen.needs is Consent.SECOND_PERSON)
    return Preview(
        needs=seen.needs,
        verdict=(*subject, *line(f" on {found.deployment.machine}: {seen.said}")),
        lines=(*_differs(found.differences), memory_line(found.wanted), engine_cuts.requests_end(seen), back),
        button=f"{doing.capitalize()} {name}"[:75],
    )


def _differs(differences: Sequence[str]) -> tuple[Line, ...]:
    """The first each on its own line, the others together."""
    rest = "; ".join(differences[SHOWN:])
    return tuple(line(one[:300]) for one in (*differences[:SHOWN], *((rest,) if rest else ())))


def answers(stands: Stands, differences: Sequence[str], starts: Sequence[EngineStart]) -> View:
    """It answers as it is wanted now; the way back is one press."""
    place = stands.place
    took = f" · start took {duration(stands.took_s)}" if stands.fresh else " · it ran so already, I left it alone"
    moved = stands.before is not None and stands.before != place.base_url
    address = (line("Address changed: ", code(place.base_url or "unknown"), "."),) if moved else ()
    return View(
        verdict=line(bold(f"{place.name} answers, changed,"), " since ", When(at=stands.at), took),
        shape=Shape.GOOD,
        lines=(*_differs(differences), *address, *script_line(stands)),
        buttons=(Button(label="Keep: look at it", words=f"engine status {place.name}"), _back(place, starts)),
    )


def can_go_back(view: View, place: Deployment, starts: Sequence[EngineStart]) -> View:
    """The changed engine does not come up, and the one before was ended for it."""
    return view.model_copy(update={"buttons": (*view.buttons[:2], _back(place, starts), *view.buttons[2:])})


def untouched(view: View, place: Deployment) -> View:
    """It failed before the engine that runs was touched."""
    said = line(f"What ran on {place.machine} before was not touched.")
    return view.model_copy(update={"lines": (said, *view.lines)[:7]})


def _back(place: Deployment, starts: Sequence[EngineStart]) -> Button:
    return Button(label=f"Roll back, {engine_progress.expected(starts)}", words=f"rollback {place.name}")
