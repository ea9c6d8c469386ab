"""How one machine reads: state first, then where it is and whose, then money and its end."""

from bot.nouns import MachineState, ProvisioningModel, RequestState
from bot.operations.machine_found import Found
from bot.operations.machine_owner import named
from bot.operations.operation import Context
from bot.operations.wording import ago, duration, money
from bot.view import Button, Line, Shape, View, When, bold, code, line

ERROR_SHOWN = 300
"""Characters of the cloud's own error that are shown."""

AT_THE_END = {
    ProvisioningModel.FLEX_START: "Google takes it away at its end; flex-start cannot be extended",
    ProvisioningModel.SPOT: "Google may take it away at any time",
    ProvisioningModel.ON_DEMAND: "it runs and bills until somebody deletes it",
    ProvisioningModel.RESERVED: "it stays as long as the reservation does",
}
"""What Google's documents on provisioning models say (Cloud TPU, 2026-08)."""

GOOD = {MachineState.READY, RequestState.ACTIVE}
BAD = {MachineState.LOST, RequestState.FAILED, RequestState.SUSPENDED}


def show(found: Found, _context: Context) -> View:
    """The verdict, then five lines at most."""
    lines = [_place(found), _whose(found), _money(found), _end(found)]
    if found.request_error:
        lines.append(line(f"Google says: {found.request_error[:ERROR_SHOWN]}"))
    buttons = [Button(label="All machines", words="machines")]
    if found.deployment and found.ours and found.machine_state is not None:
        buttons.insert(0, Button(label=f"Status of {found.deployment}"[:75], words=f"status {found.deployment}"))
    return View(verdict=_verdict(found), shape=_shape(found), lines=tuple(lines), buttons=tuple(buttons))


def _verdict(found: Found) -> Line:
    if found.machine_state is None:
        since = f" · asked {ago(found.created_at, found.at)}" if found.created_at else " · since when is unknown"
        return line(bold(f"{found.name} is {found.request_state}"), f", no machine yet{since}")
    health = f" and {found.health.lower().replace('_', ' ')}" if found.health else ", health unknown"
    since = f" · made {ago(found.created_at, found.at)}" if found.created_at else " · since when is unknown"
    return line(bold(f"{found.name} is {found.machine_state}{health}"), since)


def _shape(found: Found) -> Shape:
    state = found.machine_state or found.request_state
    healthy = found.machine_state is None or found.health in {None, "HEALTHY"}
    return Shape.BAD if state in BAD else Shape.GOOD if state in GOOD and healthy else Shape.CONCERN


def _place(found: Found) -> Line:
    parts = [found.accelerator or "slice unknown", found.zone]
    parts.append(found.provisioning.value if found.provisioning else "how it was bought is unknown")
    if found.machine_state is None:
        return line(", ".join(parts))
    address = (code(found.address),) if found.address else ("unknown",)
    return line(", ".join(parts), " · address ", *address)


def _whose(found: Found) -> Line:
    serves = f", for {found.deployment}" if found.deployment else ", for no deployment that I know"
    request = f" · request {found.request} {found.request_state}" if found.request and found.request != found.name else ""
    untouched = "" if found.ours else " · I change it only with a second person's yes"
    return line(f"{'Ours' if found.ours else 'Not ours'}{serves} · owner ", named(found.owner), f"{request}{untouched}")


def _money(found: Found) -> Line:
    if found.machine_state is None:
        return line("Bills nothing: waiting is free.")
    if found.usd_per_hour is None:
        return line("Bills while it exists; price unknown.")
    price = found.usd_per_hour
    so_far = ""
    if found.created_at is not None:
        hours = (found.at - found.created_at).total_seconds() / 3600
        so_far = f" · about {money(price.value * hours)} since it was made"
    return line(f"{money(price.value)}/h (list price of {price.at.day} {price.at:%b}){so_far}")


def _end(found: Found) -> Line:
    if found.machine_state is None:
        return line("End: none, before there is a machine.")
    then = AT_THE_END.get(found.provisioning) if found.provisioning else None
    after = f"; {then}" if then else "; what happens then is unknown"
    if found.ends_at is None:
        return line(f"End unknown{after}.")
    left = (found.ends_at - found.at).total_seconds()
    said = f", in {duration(left)}" if left > 0 else f", {duration(left)} ago"
    return line("Ends " if left > 0 else "Should have ended ", When(at=found.ends_at, date=True), f"{said}{after}.")
