"""From one look at the fleet to what it adds to the ledger. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from bot.nouns import Delta, Deployment, Fleet, Machine, MachineState, Price, ProvisioningModel
from bot.operations.machines import deployment_of
from bot.ports import Counted, Kind
from bot.statistics.windows import grown

BILLED = {MachineState.READY, MachineState.REPAIRING, MachineState.ENDING}
"""States in which a machine is paid for, as far as its word says: what ends is billed until it is gone."""

ListPrice = Callable[[str, str, ProvisioningModel], tuple[Price, int] | None]
"""Slice, zone and way of buying to the price of a chip hour and the chips: `bot.ports.Prices.price`."""

SIGNS = ("generation_tokens", "prompt_tokens", "requests_finished")
"""Counters that grow when there are requests (`bot.model.metrics`)."""


def looked(
    fleet: Fleet,
    since: datetime,
    until: datetime,
    deployments: Sequence[Deployment],
    windows: Mapping[str, Sequence[Delta]],
    price: ListPrice,
) -> tuple[tuple[Counted, ...], dict[str, int]]:
    """What the machines that are there now ran between `since` and `until`, and the zones of which that is not known (seconds).

    A machine is counted from its making on; one that went before this look is not counted for this span, so never too much is.
    `windows` are what was seen of each deployment in that time.
    """
    names = {_place(one): _name(one, deployments) for one in fleet.machines}
    counted = [
        _counted(one, names[_place(one)], run_s, _windows(one, names, deployments, windows), (since, until), price)
        for one in fleet.machines
        if one.state in BILLED and (run_s := _ran(one, since, until)) > 0
    ]
    doubtful = {one.zone.name for one in fleet.machines if one.state is MachineState.UNKNOWN}
    whole = round((until - since).total_seconds())
    return together(counted), dict.fromkeys(sorted(doubtful | set(fleet.unreachable)), whole)


def together(counted: Sequence[Counted]) -> tuple[Counted, ...]:
    """One entry for each kind."""
    sums: dict[str, Counted] = {}
    for one in counted:
        key = one.kind.model_dump_json()
        held = sums.get(key)
        sums[key] = one if held is None else _sum(held, one)
    return tuple(sums.values())


def _sum(one: Counted, other: Counted) -> Counted:
    return Counted(
        kind=one.kind,
        run_s=one.run_s + other.run_s,
        busy_s=one.busy_s + other.busy_s,
        idle_s=one.idle_s + other.idle_s,
        output_tokens=one.output_tokens + other.output_tokens,
        tokens_s=one.tokens_s + other.tokens_s,
    )


def _place(machine: Machine) -> tuple[str, str]:
    return machine.zone.name, machine.name


def _name(machine: Machine, deployments: Sequence[Deployment]) -> str | None:
    """By its label, else by the deployment that names this machine."""
    labelled = deployment_of(machine.labels)
    if labelled is not None:
        return labelled
    return next((one.name for one in deployments if _is_its(machine, one)), None)


def _is_its(machine: Machine, deployment: Deployment) -> bool:
    return deployment.machine == machine.name and deployment.zone in {None, machine.zone.name}


def _ran(machine: Machine, since: datetime, until: datetime) -> int:
    return round((until - max(since, machine.created_at or since)).total_seconds())


def _windows(
    machine: Machine,
    names: Mapping[tuple[str, str], str | None],
    deployments: Sequence[Deployment],
    windows: Mapping[str, Sequence[Delta]],
) -> Sequence[Delta]:
    """What was seen of the deployment counts for the machine that it names, or for its only one; else nobody knows which."""
    name = names[_place(machine)]
    if name is None:
        return ()
    named = any(_is_its(machine, one) for one in deployments if one.name == name)
    alone = sum(1 for one in names.values() if one == name) == 1
    return windows.get(name, ()) if named or alone else ()


def _counted(
    machine: Machine,
    deployment: str | None,
    run_s: int,
    windows: Sequence[Delta],
    span: tuple[datetime, datetime],
    price: ListPrice,
) -> Counted:
    seen = [(one, _overlap(one, *span)) for one in windows]
    busy = sum(part * one.seconds for one, part in seen if had_requests(one))
    idle = sum(part * one.seconds for one, part in seen if had_requests(one) is False)
    made = [(found, part) for one, part in seen if (found := grown(one, "generation_tokens")) is not None]
    busy_s = min(run_s, round(busy))
    return Counted(
        kind=_kind(machine, deployment, price),
        run_s=run_s,
        busy_s=busy_s,
        idle_s=min(run_s - busy_s, round(idle)),
        output_tokens=round(sum(part * found.amount for found, part in made)),
        tokens_s=min(run_s, round(sum(part * found.seconds for found, part in made))),
    )


def _overlap(window: Delta, since: datetime, until: datetime) -> float:
    """The share 0..1 of the window that lies in the span."""
    inside = (min(until, window.until) - max(since, window.since)).total_seconds()
    return max(0.0, inside / (window.until - window.since).total_seconds())


def had_requests(window: Delta) -> bool | None:
    """Whether requests ran in this window; None when the engine told nothing that says so."""
    running = window.gauges.get("running")
    signs = [found.amount > 0 for name in SIGNS if (found := grown(window, name)) is not None]
    if running is not None:
        signs.append(running.high > 0)
    return any(signs) if signs else None


def _kind(machine: Machine, deployment: str | None, price: ListPrice) -> Kind:
    slice_, zone, bought = machine.accelerator, machine.zone.name, machine.provisioning
    found = None if slice_ is None or bought is None else price(slice_, zone, bought)
    return Kind(
        deployment=deployment,
        accelerator=slice_,
        provisioning=bought,
        zone=zone,
        chips=found[1] if found else None,
        price=found[0] if found else None,
    )
