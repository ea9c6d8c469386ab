"""A cloud of many zones in which time is only counted: what each zone says, and after how long, is drawn from a seed."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

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
    RefusalKind,
    RequestState,
    Slice,
)
from bot.ports import Authorised, Capacity
from tests.doubles.ports import HeldClock

UNSUPPORTED, NO_SLICE, MODEL, SLOW = 8, 3, 5, 2
"""Of 37 zones: so many have no TPUs, lack the slice, refuse the way of buying, never answer. One accepts, the rest refuse for
quota or capacity (proportions of the field notes of xbill9/gemma4-dev, August 2026)."""

DELETING_S = 8.0
RATE_USD = 5.4


@dataclass(frozen=True)
class Character:
    """What a zone does when it is asked: `kind` None is yes (with `slow`: never an answer), after `after_s` seconds."""

    kind: RefusalKind | None
    after_s: float
    slow: bool = False

    @property
    def impossible(self) -> bool:
        """Known before asking: the hardware gate says no."""
        return self.kind in {RefusalKind.UNSUPPORTED_ZONE, RefusalKind.NO_SUCH_SLICE}


def characters(seed: int, zones: Sequence[str], accepting: int) -> dict[str, Character]:
    """The zones with their characters, the one at `accepting` says yes after one to three minutes."""
    dice = random.Random(seed)
    drawn = [Character(RefusalKind.UNSUPPORTED_ZONE, 1.0)] * UNSUPPORTED + [Character(RefusalKind.NO_SUCH_SLICE, 1.0)] * NO_SLICE
    drawn += [Character(RefusalKind.MODEL_REFUSED, dice.uniform(5, 30)) for _ in range(MODEL)]
    drawn += [Character(None, 0.0, slow=True)] * SLOW
    for number in range(len(zones) - 1 - len(drawn)):
        stockout = Character(RefusalKind.STOCKOUT, dice.uniform(60, 960))
        drawn.append(stockout if number % 2 else Character(RefusalKind.QUOTA, 1.0))
    dice.shuffle(drawn)
    drawn.insert(accepting, Character(None, dice.uniform(60, 180)))
    return dict(zip(zones, drawn, strict=True))


@dataclass
class _Thing:
    request: CapacityRequest
    asked_at: datetime
    gone_at: datetime | None = None


@dataclass
class ManyZones:
    """Implements the ports of a cloud. `worst` is the most that could have billed at any instant, in USD per hour; `created` the
    zones that were asked, in order. `before` is called with the name of each call, before and after it is carried out."""

    clock: HeldClock
    zones_are: Mapping[str, Character]
    things: dict[tuple[str, str], _Thing] = field(default_factory=dict)
    refused: dict[str, CloudOperation] = field(default_factory=dict)
    created: list[str] = field(default_factory=list)
    keys: list[tuple[str, ...]] = field(default_factory=list)
    makes: list[tuple[str, int]] = field(default_factory=list)
    worst: float = 0.0
    around: Callable[[str], None] = lambda _: None
    quota_known: bool = False

    def capacity(self) -> Capacity:
        return Capacity(_Requests(self), _Nodes(self), self, self, NoSecrets())

    def pass_time(self) -> None:
        """Time is counted by the clock alone."""

    async def zones(self) -> tuple[str, ...]:
        return tuple(self.zones_are)

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        del zones
        requests = tuple(self.standing(*key) for key in list(self.things))
        machines = tuple(self.machine(*key) for key in list(self.things))
        return Fleet(
            at=self.clock.at,
            machines=tuple(one for one in machines if one is not None),
            requests=tuple(one for one in requests if one is not None),
        )

    async def quotas(self, piece: Slice, provisioning: ProvisioningModel, zones: Sequence[str]) -> dict[str, tuple[Quota, ...]]:
        del piece, provisioning
        return dict.fromkeys(zones, ())

    async def offered(self, piece: Slice, zones: Sequence[str]) -> dict[str, bool | None]:
        del piece
        return {zone: not self.zones_are[zone].impossible for zone in zones}

    def standing(self, zone: str, name: str) -> CapacityRequest | None:
        """A request as it stands at this time."""
        thing = self.things.get((zone, name))
        if thing is None:
            return None
        if thing.gone_at is not None:
            if self.clock.at >= thing.gone_at:
                del self.things[zone, name]
                return None
            return thing.request.model_copy(update={"state": RequestState.DELETING})
        what, spent = self.zones_are[zone], (self.clock.at - thing.asked_at).total_seconds()
        if what.slow or spent < what.after_s:
            return thing.request.model_copy(update={"state": RequestState.WAITING})
        if what.kind is None:
            return thing.request.model_copy(update={"state": RequestState.ACTIVE})
        if what.kind is RefusalKind.STOCKOUT:
            refusal = Refusal(kind=what.kind, text="There is no more capacity")
            return thing.request.model_copy(update={"state": RequestState.FAILED, "error": refusal.text, "refusal": refusal})
        del self.things[zone, name]
        self.refused[f"create {zone}"] = CloudOperation(
            name=f"create {zone}", done=True, refusal=Refusal(kind=what.kind, text="FLEX_START is not supported")
        )
        return None

    def machine(self, zone: str, request: str) -> Machine | None:
        found, thing = self.standing(zone, request), self.things.get((zone, request))
        if found is None or thing is None or self.zones_are[zone].kind is not None or self.zones_are[zone].slow:
            return None
        if found.state not in {RequestState.ACTIVE, RequestState.DELETING}:
            return None
        made = thing.asked_at + timedelta(seconds=self.zones_are[zone].after_s)
        if made > self.clock.at:
            return None
        state = MachineState.READY if found.state is RequestState.ACTIVE else MachineState.ENDING
        return Machine(
            backend="tpu_api", name=found.machine or "", zone=found.zone, state=state, accelerator=found.accelerator,
            created_at=made, provisioning=found.provisioning, labels=found.labels,
        )  # fmt: skip

    def count(self) -> None:
        """What could bill together now: all that stands and has not failed."""
        now = [self.standing(*key) for key in list(self.things)]
        self.worst = max(self.worst, sum(RATE_USD for one in now if one is not None and one.state is not RequestState.FAILED))


@dataclass
class _Requests:
    world: ManyZones

    async def create(self, leave: Authorised, order: CapacityOrder) -> Placement | Refusal:
        world, zone = self.world, order.zone.name
        world.around(f"create {zone}")
        standing = world.standing(zone, order.name)
        if standing is not None:
            assert standing.labels["work"] == leave.work_id
            world.around(f"created {zone}")
            return Placement(request=standing)
        world.created.append(zone)
        world.keys.append(order.ssh_keys)
        world.makes.append((zone, order.attempt))
        what = world.zones_are[zone]
        if what.kind in {RefusalKind.QUOTA, RefusalKind.UNSUPPORTED_ZONE, RefusalKind.NO_SUCH_SLICE}:
            world.around(f"created {zone}")
            return Refusal(kind=what.kind, text=f"no: {what.kind}")
        world.refused[f"create {zone}"] = CloudOperation(name=f"create {zone}", done=False)
        made = CapacityRequest(
            backend="tpu_api", name=order.name, zone=order.zone, state=RequestState.CREATING, machine=order.machine,
            accelerator=order.piece.name, created_at=world.clock.at, provisioning=order.provisioning,
            labels=labels_for(order, leave),
        )  # fmt: skip
        world.things[zone, order.name] = _Thing(made, world.clock.at)
        world.count()
        world.around(f"created {zone}")
        return Placement(operation=CloudOperation(name=f"create {zone}", done=False))

    async def request(self, zone: str, name: str) -> CapacityRequest | None:
        self.world.around(f"request {zone}")
        return self.world.standing(zone, name)

    async def operation(self, name: str) -> CloudOperation:
        self.world.around(f"operation {name}")
        return self.world.refused[name]

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        self.world.around(f"delete {zone}")
        found = self.world.standing(zone, name)
        if found is None:
            return False
        require_ours(name, found.labels, leave)
        thing = self.world.things[zone, name]
        thing.gone_at = thing.gone_at or self.world.clock.at + timedelta(seconds=DELETING_S)
        self.world.around(f"deleted {zone}")
        return True

    async def gone(self, zone: str, name: str, machine: str | None) -> bool:
        del machine
        self.world.around(f"gone {zone}")
        return self.world.standing(zone, name) is None


@dataclass
class _Nodes:
    world: ManyZones

    async def machine(self, zone: str, name: str) -> Machine | None:
        self.world.around(f"machine {zone}")
        return self.world.machine(zone, f"{name}-request")

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        raise AssertionError(f"{name} in {zone} was deleted without its request: {leave}")

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"nobody may {name} here")
