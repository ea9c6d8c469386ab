"""`machines`: all TPU capacity of the project in one answer, orphans marked, silent zones named."""

from collections.abc import Mapping

from pydantic import BaseModel

from bot.nouns import CapacityRequest, Effect, Fleet, Machine, Quantity, RequestState, Role, SeenBy
from bot.operations.money import hourly
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import ZoneName
from bot.operations.wording import ago, count, listed, money
from bot.view import Line, Shape, View, bold, line

OURS = "gemma-chatops"
"""The value of the label `managed-by` on whatever this bot made: nothing else is ever changed without a second person."""

UNASSIGNED = "unassigned"
"""What stands on the label `deployment` of a machine that was made for none."""

SHOWN = 5
"""Lines for machines and requests; the rest waits behind Details."""

OPEN = {RequestState.CREATING, RequestState.WAITING, RequestState.PROVISIONING}


class MachinesArguments(Arguments):
    """One zone, or all of them."""

    zone: ZoneName | None = None


class Row(BaseModel):
    """One machine or one request without a machine yet. `ours`: this bot made it, its labels say."""

    name: str
    kind: str
    state: str
    zone: str
    accelerator: str | None
    ours: bool
    deployment: str | None
    usd_per_hour: Quantity | None
    age: str | None
    error: str | None = None


class Machines(BaseModel):
    """What exists in the zones that answered; `unreachable` names the others with the reason."""

    rows: tuple[Row, ...]
    zones_asked: int
    unreachable: dict[str, str]
    usd_per_hour: Quantity | None
    unpriced: int


async def run(context: Context, arguments: MachinesArguments) -> Machines:
    """List machines and requests; a request is shown beside its machine only when there is no machine."""
    fleet = await context.services.cloud.fleet([arguments.zone] if arguments.zone else None)
    made = {(machine.zone.name, machine.name) for machine in fleet.machines}
    rows = [_machine_row(context, machine) for machine in fleet.machines]
    rows += [_request_row(context, one) for one in fleet.requests if (one.zone.name, one.machine) not in made]
    return Machines(
        rows=tuple(rows),
        zones_asked=fleet.zones_asked,
        unreachable=fleet.unreachable,
        usd_per_hour=_total(fleet, rows),
        unpriced=sum(1 for row in rows if row.kind == "machine" and row.usd_per_hour is None),
    )


def _machine_row(context: Context, machine: Machine) -> Row:
    return Row(
        name=machine.name,
        kind="machine",
        state=machine.state,
        zone=machine.zone.name,
        accelerator=machine.accelerator,
        ours=machine.labels.get("managed-by") == OURS,
        deployment=deployment_of(machine.labels),
        usd_per_hour=hourly(context.services.prices, machine.accelerator, machine.zone.name, machine.provisioning),
        age=ago(machine.created_at, context.now) if machine.created_at else None,
    )


def _request_row(context: Context, request: CapacityRequest) -> Row:
    return Row(
        name=request.name,
        kind="request",
        state=request.state,
        zone=request.zone.name,
        accelerator=request.accelerator,
        ours=request.labels.get("managed-by") == OURS,
        deployment=deployment_of(request.labels),
        usd_per_hour=None,
        age=ago(request.created_at, context.now) if request.created_at else None,
        error=request.error,
    )


def deployment_of(labels: Mapping[str, str]) -> str | None:
    """The deployment that the labels name; None where they name none."""
    named = labels.get("deployment")
    return None if named == UNASSIGNED else named


def _total(fleet: Fleet, rows: list[Row]) -> Quantity | None:
    known = [row.usd_per_hour for row in rows if row.usd_per_hour is not None]
    if not known:
        return None
    total = sum(price.value for price in known)
    return Quantity(value=total, unit="USD/h", at=min(price.at for price in known), source=known[0].source)


def show(found: Machines, _context: Context) -> View:
    """How many run and what they cost; then each, others' marked; then the zones that did not answer."""
    running = [row for row in found.rows if row.kind == "machine"]
    waiting = [row for row in found.rows if row.kind == "request"]
    lines = [_row(row) for row in (*running, *waiting)]
    silent = (_silent(found),) if found.unreachable else ()
    return View(
        verdict=_verdict(found, running, waiting),
        shape=Shape.CONCERN if found.unreachable else Shape.NONE,
        lines=(*lines[:SHOWN], *silent),
        details=tuple(lines[SHOWN:]),
    )


def _verdict(found: Machines, running: list[Row], waiting: list[Row]) -> Line:
    answered = found.zones_asked - len(found.unreachable)
    if not answered and found.unreachable:
        return line(bold("Machines unknown"), ": no zone answered")
    if not found.rows:
        return line(bold("No machines and no requests"), f" in {count(answered, 'zone')}")
    price = ""
    if found.usd_per_hour is not None:
        price = f" · {money(found.usd_per_hour.value)}/h"
        price += f" and {found.unpriced} of unknown price" if found.unpriced else ""
    elif running:
        price = " · price unknown"
    open_requests = [row for row in waiting if row.state in OPEN]
    parts = [count(len(running), "machine")]
    if open_requests:
        parts.append(f"{count(len(open_requests), 'request')} waiting")
    return line(bold(", ".join(parts)), f" in {count(answered, 'zone')}{price}")


def _row(row: Row) -> Line:
    price = f" · {money(row.usd_per_hour.value)}/h" if row.usd_per_hour else " · price unknown" if row.kind == "machine" else ""
    kind = "request, " if row.kind == "request" else ""
    age = f" · made {row.age}" if row.age else ""
    error = f" · {row.error[:120]}" if row.error else ""
    return line(
        bold(row.name), f" {kind}{row.state} · {row.accelerator or 'slice unknown'}, {row.zone}{price}{_whose(row)}{age}{error}"
    )


def _whose(row: Row) -> str:
    """What is ours and belongs to no deployment was forgotten, most likely."""
    if not row.ours:
        return " · not ours"
    if row.deployment is None:
        return " · ours, but of no deployment"
    return f" · serves {row.deployment}" if row.kind == "machine" else f" · for {row.deployment}"


def _silent(found: Machines) -> Line:
    names = [f"{zone} ({reason})" for zone, reason in sorted(found.unreachable.items())]
    return line(f"Not seen, did not answer: {listed(names, most=3)}")


MACHINES = Operation(
    path="machines",
    summary="all TPU machines and requests, with owner and price",
    when_to_use="To see what capacity exists, what it costs, and what was forgotten somewhere.",
    example="machines us-east5-a",
    arguments=MachinesArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    timeout=15.0,
    run=run,
    show=show,
    was=("list_queued_resources",),
)
