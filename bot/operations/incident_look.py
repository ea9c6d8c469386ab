"""From what the clock can see to what is wrong: the rules of `incident_rules`, applied to everything there is. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.nouns import Delta, Deployment, Fleet, Incident, Machine, MachineState, Sighting, Watch
from bot.operations import incident_rules as rules
from bot.operations.cost_look import BILLED
from bot.operations.incident_rules import EngineSeen, Judged, identified
from bot.operations.machines import OURS, deployment_of
from bot.operations.money import hourly
from bot.ports import Lease, OpenWork, Prices

YOUNG = timedelta(minutes=20)
"""Our choice: a machine this young may still be on its way to its deployment."""

THERE = {MachineState.READY, MachineState.REPAIRING, MachineState.STOPPED}
AT_WORK = frozenset({"engine", "deploy", "change", "rollback", "replace"})
"""First words of work of ours that stops engines on purpose."""
ENDING = frozenset({"machine.destroy", "machine.expire", "machine.end", "machine.create"})
"""Operations that take a machine away on purpose."""


@dataclass(frozen=True)
class Seen:
    """All that one look found. `fleet` None: the cloud did not answer. `before` are the machines as they were remembered."""

    now: datetime
    deployments: tuple[Deployment, ...]
    engines: Mapping[str, EngineSeen]
    fleet: Fleet | None
    leases: tuple[Lease, ...]
    works: tuple[OpenWork, ...]
    entries: Sequence[Mapping[str, str]]
    before: tuple[Sighting, ...]
    windows: Mapping[str, tuple[Delta, ...]]
    prices: Prices
    idle_s: float = 3600.0


def look(seen: Seen) -> tuple[tuple[Judged, ...], tuple[Sighting, ...]]:
    """What became of every watch, and what is to be remembered of machines."""
    down = [rules.down(one.name, seen.engines[one.name], seen.now) for one in seen.deployments if one.name in seen.engines]
    if seen.fleet is None:
        leases = [rules.lease(one, standing=None, now=seen.now) for one in seen.leases]
        return (*down, *(_dressed(one, seen, None) for one in leases)), seen.before
    lost, kept = _lost(seen, seen.fleet)
    machines = {(one.zone.name, one.name): one for one in seen.fleet.machines}
    leases = [_lease(one, seen, seen.fleet, machines.get((one.zone, one.machine))) for one in seen.leases]
    idle = [_idle(one, seen) for one in seen.fleet.machines if deployment_of(one.labels) or _named_by(one, seen)]
    orphans = [_orphan(one, seen) for one in seen.fleet.machines if one.labels.get("managed-by") == OURS]
    return (*down, *lost, *leases, *idle, *orphans), kept


def _named_by(machine: Machine, seen: Seen) -> Deployment | None:
    """The deployment that names this machine, else that its label names."""
    named = (one for one in seen.deployments if one.machine == machine.name and one.zone in {None, machine.zone.name})
    label = deployment_of(machine.labels)
    return next(named, next((one for one in seen.deployments if one.name == label), None))


def _lost(seen: Seen, fleet: Fleet) -> tuple[list[Judged], tuple[Sighting, ...]]:
    ours = [one for one in fleet.machines if one.labels.get("managed-by") == OURS or _named_by(one, seen)]
    there = [_sighting(one, seen) for one in ours if one.state in THERE]
    doubtful = {one.zone.name for one in fleet.machines if one.state is MachineState.UNKNOWN}
    known = {one.zone for one in seen.before} - set(fleet.unreachable) - doubtful
    kept = rules.remembered(seen.before, there, frozenset(known), seen.now)
    judged, remembered = [], []
    for one in kept:
        ended = one.missed_since is not None and _ended(one, seen)
        engine = seen.engines.get(one.deployment or "")
        judged.append(rules.lost(one, ended=ended, engine=engine.known if engine else None))
        remembered += [] if ended and one.missed >= rules.LOOKS else [one]
    return judged, tuple(remembered)


def _sighting(machine: Machine, seen: Seen) -> Sighting:
    of = _named_by(machine, seen)
    lease = _lease_of(machine.zone.name, machine.name, seen)
    return Sighting(
        name=machine.name,
        zone=machine.zone.name,
        at=seen.now,
        deployment=of.name if of else None,
        accelerator=machine.accelerator,
        provisioning=machine.provisioning,
        owner=lease.owner if lease else of.owner if of else None,
    )


def _lease_of(zone: str, name: str, seen: Seen) -> Lease | None:
    return next((one for one in seen.leases if (one.zone, one.machine) == (zone, name)), None)


def _ended(one: Sighting, seen: Seen) -> bool:
    """Whether its time was over, or work of ours takes or took it away."""
    lease = _lease_of(one.zone, one.name, seen)
    if lease is not None and one.missed_since is not None and lease.ends_at <= one.missed_since + timedelta(minutes=2):
        return True
    said = [work.words.split() for work in seen.works if work.kind in ENDING]
    said += [entry.get("said", "").split() for entry in seen.entries if entry.get("operation") in ENDING]
    return any(len(word) >= 3 and one.name.startswith(word) for words in said for word in words[2:3])


def _lease(one: Lease, seen: Seen, fleet: Fleet, machine: Machine | None) -> Judged:
    there = machine is not None and machine.state in THERE
    standing = True if there else None if one.zone in fleet.unreachable else False
    return _dressed(rules.lease(one, standing=standing, now=seen.now), seen, machine)


def _dressed(judged: Judged, seen: Seen, machine: Machine | None) -> Judged:
    """With what is known of the machine."""
    if judged.incident is None or machine is None:
        return judged
    of = _named_by(machine, seen)
    more = {"deployment": of.name if of else None, **_bought(machine, seen)}
    return Judged(judged.kind, judged.subject, judged.stands, judged.incident.model_copy(update=more))


def _bought(machine: Machine, seen: Seen) -> dict[str, object]:
    price = hourly(seen.prices, machine.accelerator, machine.zone.name, machine.provisioning)
    return {"accelerator": machine.accelerator, "provisioning": machine.provisioning, "usd_per_hour": price}


def _idle(machine: Machine, seen: Seen) -> Judged:
    of = _named_by(machine, seen)
    old = machine.created_at is not None and seen.now - machine.created_at > timedelta(seconds=seen.idle_s)
    if machine.state is not MachineState.READY:
        return Judged(Watch.IDLE, machine.name, stands=False, how=f"the machine is {machine.state}")
    if of is None or not old:
        return Judged(Watch.IDLE, machine.name, None)
    since = rules.idle_since(seen.windows.get(of.name, ()), seen.now, seen.idle_s)
    if since is None:
        return Judged(Watch.IDLE, machine.name, None)
    if isinstance(since, bool):
        return Judged(Watch.IDLE, machine.name, stands=False, how="requests run again")
    return Judged(Watch.IDLE, machine.name, stands=True, incident=_made(Watch.IDLE, machine, since, of, seen))


def _orphan(machine: Machine, seen: Seen) -> Judged:
    """Ours by its labels, and nobody's: no deployment, no lease, no work under way."""
    known = _named_by(machine, seen) is not None or _lease_of(machine.zone.name, machine.name, seen) is not None
    if known or machine.state not in BILLED:
        how = "it has an owner now" if known else f"the machine is {machine.state}"
        return Judged(Watch.ORPHAN, machine.name, stands=False, how=how)
    made = machine.created_at
    if made is None or seen.now - made < YOUNG or any(machine.name in work.words for work in seen.works):
        return Judged(Watch.ORPHAN, machine.name, None)
    return Judged(Watch.ORPHAN, machine.name, stands=True, incident=_made(Watch.ORPHAN, machine, made, None, seen))


def _made(kind: Watch, machine: Machine, since: datetime, of: Deployment | None, seen: Seen) -> Incident:
    lease = _lease_of(machine.zone.name, machine.name, seen)
    return Incident.model_validate(
        {
            "id": identified(kind, f"{machine.zone.name}/{machine.name}", since),
            "kind": kind,
            "subject": machine.name,
            "since": since,
            "deployment": of.name if of else None,
            "machine": machine.name,
            "zone": machine.zone.name,
            "owner": lease.owner if lease else of.owner if of else None,
            **_bought(machine, seen),
        }
    )


def unknown_kinds(fleet: Fleet | None) -> frozenset[Watch]:
    """Watches that cannot be told at all without the cloud."""
    return frozenset({Watch.LOST, Watch.IDLE, Watch.ORPHAN}) if fleet is None else frozenset()


def at_work(deployment: Deployment, works: Sequence[OpenWork]) -> bool:
    """Whether work of ours stops, starts or moves this deployment's engine now. Words without a name may mean it."""
    mine = [one.words.split() for one in works if one.kind.partition(".")[0] in AT_WORK]
    return any(len(words) < 3 or deployment.name in words for words in mine)
