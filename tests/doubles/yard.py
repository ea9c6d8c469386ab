"""A cloud of a few lines that can be written to: requests, machines, what was asked of it, what happens when time passes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.cloud.absent import NoSecrets
from bot.cloud.ownership import labels_for, require_ours
from bot.nouns import (
    CapacityOrder,
    CapacityRequest,
    CloudOperation,
    Fleet,
    Machine,
    MachineState,
    Placement,
    ProvisioningModel,
    Quota,
    Refusal,
    RequestState,
    Slice,
)
from bot.ports import Authorised, Capacity
from tests.doubles.ports import NOW

Key = tuple[str, str]


@dataclass
class Yard:
    """`soon` happens one by one, whenever somebody waits. `refusals` answer the next orders; `errors` are raised by the next
    calls of that name; `told` are guest attributes of every machine.

    Implements `bot.ports.Provisioner`, `Machines`, `Quotas`, `Hardware` and `Cloud`.
    """

    requests: dict[Key, CapacityRequest] = field(default_factory=dict)
    standing: dict[Key, Machine] = field(default_factory=dict)
    soon: list[Callable[[], None]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    late_refusal: Refusal | None = None
    errors: dict[str, list[Exception]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    operations: dict[str, CloudOperation] = field(default_factory=dict)
    limits: dict[str, tuple[Quota, ...]] = field(default_factory=dict)
    has: dict[str, bool | None] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    metadata: dict[Key, dict[str, str | None]] = field(default_factory=dict)
    names: tuple[str, ...] = ("us-east5-a", "us-east5-b")

    def capacity(self) -> Capacity:
        return Capacity(_Requests(self), _Nodes(self), self, self, NoSecrets())

    def put(self, *things: Machine | CapacityRequest) -> None:
        for one in things:
            where: dict[Key, Any] = self.standing if isinstance(one, Machine) else self.requests
            where[one.zone.name, one.name] = one

    def pass_time(self) -> None:
        if self.soon:
            self.soon.pop(0)()

    def heard(self, what: str, zone: str, name: str) -> None:
        self.asked.append(f"{what} {zone}/{name}")
        if self.errors.get(what):
            raise self.errors[what].pop(0)

    def turn(self, zone: str, name: str, state: RequestState, **more: object) -> Callable[[], None]:
        """A request comes to another state."""

        def happen() -> None:
            self.requests[zone, name] = self.requests[zone, name].model_copy(update={"state": state, **more})

        return happen

    def vanish(self, zone: str, request: str | None, machine: str | None) -> Callable[[], None]:
        """Both are gone."""

        def happen() -> None:
            self.requests.pop((zone, request or ""), None)
            self.standing.pop((zone, machine or ""), None)

        return happen

    async def zones(self) -> tuple[str, ...]:
        return self.names

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        inside = self.names if zones is None else tuple(zones)
        machines = tuple(one for (zone, _), one in self.standing.items() if zone in inside)
        requests = tuple(one for (zone, _), one in self.requests.items() if zone in inside)
        return Fleet(at=NOW, machines=machines, requests=requests, zones_asked=len(inside))

    async def quotas(self, piece: Slice, provisioning: ProvisioningModel, zones: Sequence[str]) -> dict[str, tuple[Quota, ...]]:
        self.heard("quotas", provisioning, piece.name)
        return {zone: self.limits.get(zone, ()) for zone in zones}

    async def offered(self, piece: Slice, zones: Sequence[str]) -> dict[str, bool | None]:
        self.heard("offered", ",".join(zones), piece.name)
        return {zone: self.has.get(zone, True) for zone in zones}


@dataclass
class _Requests:
    yard: Yard

    async def create(self, leave: Authorised, order: CapacityOrder) -> Placement | Refusal:
        zone = order.zone.name
        self.yard.heard("create", zone, order.name)
        if (zone, order.name) in self.yard.requests:
            return Placement(request=self.yard.requests[zone, order.name])
        if self.yard.refusals:
            return self.yard.refusals.pop(0)
        labels = labels_for(order, leave)
        made = CapacityRequest(
            backend="tpu_api",
            name=order.name,
            zone=order.zone,
            state=RequestState.CREATING,
            machine=order.machine,
            accelerator=order.piece.name,
            created_at=NOW,
            provisioning=order.provisioning,
            labels=labels,
        )
        self.yard.put(made)
        operation = CloudOperation(name=f"create-{order.name}", done=False, refusal=self.yard.late_refusal)
        if self.yard.late_refusal is not None:
            del self.yard.requests[zone, order.name]
        self.yard.operations[operation.name] = operation
        return Placement(operation=operation.model_copy(update={"refusal": None}))

    async def request(self, zone: str, name: str) -> CapacityRequest | None:
        self.yard.heard("request", zone, name)
        return self.yard.requests.get((zone, name))

    async def operation(self, name: str) -> CloudOperation:
        self.yard.heard("operation", "", name)
        return self.yard.operations[name]

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        self.yard.heard("delete", zone, name)
        found = self.yard.requests.get((zone, name))
        if found is None:
            return False
        require_ours(name, found.labels, leave)
        self.yard.put(found.model_copy(update={"state": RequestState.DELETING}))
        machine = self.yard.standing.get((zone, found.machine or ""))
        if machine is not None:
            self.yard.put(machine.model_copy(update={"state": MachineState.ENDING}))
        return True

    async def gone(self, zone: str, name: str, machine: str | None) -> bool:
        self.yard.heard("gone", zone, name)
        return (zone, name) not in self.yard.requests and (zone, machine or "") not in self.yard.standing


@dataclass
class _Nodes:
    yard: Yard

    async def machine(self, zone: str, name: str) -> Machine | None:
        self.yard.heard("machine", zone, name)
        return self.yard.standing.get((zone, name))

    async def start(self, leave: Authorised, zone: str, name: str) -> CloudOperation | None:
        return self._switch("start", leave, zone, name)

    async def stop(self, leave: Authorised, zone: str, name: str) -> CloudOperation | None:
        return self._switch("stop", leave, zone, name)

    def _switch(self, what: str, leave: Authorised, zone: str, name: str) -> CloudOperation:
        self.yard.heard(what, zone, name)
        require_ours(name, self.yard.standing[zone, name].labels, leave)
        return self.yard.operations.setdefault(f"{what}-{name}", CloudOperation(name=f"{what}-{name}", done=False))

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        self.yard.heard("delete machine", zone, name)
        found = self.yard.standing.get((zone, name))
        if found is None:
            return False
        require_ours(name, found.labels, leave)
        self.yard.put(found.model_copy(update={"state": MachineState.ENDING}))
        return True

    async def set_metadata(
        self, leave: Authorised, zone: str, name: str, values: Mapping[str, str | None]
    ) -> CloudOperation | None:
        self.yard.heard("set metadata", zone, name)
        require_ours(name, self.yard.standing[zone, name].labels, leave)
        held = self.yard.metadata.setdefault((zone, name), {})
        if all(held.get(key) == value for key, value in values.items()):
            return None
        held.update(values)
        return CloudOperation(name=f"update-{name}", done=False)

    async def add_ssh_key(self, leave: Authorised, zone: str, name: str, line: str) -> CloudOperation | None:
        raise AssertionError(f"{name} in {zone} was given a key: {leave}, {line}")

    async def guest_attributes(self, zone: str, name: str, path: str = "") -> dict[str, str]:
        self.yard.heard("guest attributes", zone, name)
        return {key: value for key, value in self.yard.told.items() if key.startswith(path)}
