"""A search through 37 zones as it is carried out, and the same zones asked one by one; both by a clock that is only counted."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.nouns import Price, ProvisioningModel, RequestState, Tried, Zone
from bot.operations.course import pause_s
from bot.operations.find import FIND
from bot.operations.find_plan import FindArguments, Search, plan
from bot.operations.find_zones import TURN
from bot.operations.machine_expire import MACHINE_EXPIRE
from bot.operations.operation import Context
from bot.ports import Authorised, Engines, Services
from bot.requests import Place
from bot.view import View
from tests.doubles.many_zones import RATE_USD, Character, ManyZones, characters
from tests.doubles.ports import BEN, NOW, HeldClock
from tests.doubles.works import Works

COUNT = 37
ZONES = tuple(f"us-region{number}-a" for number in range(COUNT))
SEEDS = 30
WORDS = "find v6e-4 flex until 15:00 max $90/h"
"""Twelve hours from the held clock's 03:00; $90/h hold sixteen machines at $5.40/h."""


@dataclass
class OnePrice:
    """Every zone costs the same, so that the order is that of the memory and of the names."""

    def price(self, accelerator: str, zone: str, provisioning: ProvisioningModel) -> tuple[Price, int]:
        del accelerator
        price = Price(
            generation="v6e", region=Zone(name=zone).region, provisioning=provisioning, usd_per_chip_hour=RATE_USD / 4, at=NOW,
            source="a list of this test",
        )  # fmt: skip
        return price, 4


@dataclass
class Remembered:
    """Implements `bot.ports.Tries` and `CreatePace`; so many places are free at once, without `most` every one."""

    kept: dict[tuple[str, object], Tried] = field(default_factory=dict)
    most: int | None = None

    async def remember(self, team_id: str, tried: Tried) -> None:
        del team_id
        self.kept[tried.zone, tried.refusal] = tried

    async def all(self, team_id: str, piece: str, provisioning: ProvisioningModel) -> tuple[Tried, ...]:
        del team_id, piece, provisioning
        return tuple(self.kept.values())

    async def places(self, wanted: int) -> int:
        return wanted if self.most is None else min(wanted, self.most)


class Sweeps(Works):
    """Works whose cloud is many zones."""

    yard: Any
    tries: Remembered
    engines: Engines | None = None

    @property
    def services(self) -> Services:
        return replace(super().services, prices=OnePrice(), tries=self.tries, creates=self.tries, engines=self.engines)


def sweeps(zones_are: dict[str, Character]) -> tuple[Sweeps, ManyZones]:
    """A house in such a cloud, with nothing remembered."""
    made = Sweeps((FIND, MACHINE_EXPIRE))
    world = ManyZones(made.house.clock, zones_are)
    made.yard = world
    made.tries = Remembered()
    return made, world


@dataclass(frozen=True)
class Run:
    """How long it took until a machine was ready, and what was seen on the way."""

    seconds: float
    world: ManyZones
    view: View | None = None


async def together(seed: int, words: str = WORDS) -> Run:
    """Ours: found by `find`."""
    made, world = sweeps(characters(seed, ZONES, seed % COUNT))
    name = await made.begins(words)
    began = made.house.clock.at
    view = await made.end(name)
    ready = made.works[name].notes.get("ready_at")
    ended = made.house.clock.at if ready is None else type(began).fromisoformat(ready)
    return Run((ended - began).total_seconds(), world, view)


async def one_by_one(seed: int) -> Run:
    """The same zones in the same order behind the same gates, looked at as often, left as soon; one after the other."""
    clock = HeldClock()
    world = ManyZones(clock, characters(seed, ZONES, seed % COUNT))
    made, _ = sweeps(dict(world.zones_are))
    context = Context(made.services, BEN, FIND.role, Place(channel="C1"), clock.at, "find")
    search = await plan(context, FindArguments())
    for choice in search.choices:
        if await _asks(world, clock, search, context, choice.zone):
            break
    return Run((clock.at - NOW).total_seconds(), world)


async def _asks(world: ManyZones, clock: HeldClock, search: Search, context: Context, zone: str) -> bool:
    requests, leave = world.capacity().provisioner, Authorised("by-one", others=False)
    order = search.order(context, "by-one", zone, 1)
    placed = await requests.create(leave, order)
    began = clock.at
    if not hasattr(placed, "operation"):
        return False
    while clock.at - began < TURN:
        standing = await requests.request(zone, order.name)
        if standing is None:
            return False
        if standing.state is RequestState.ACTIVE:
            return True
        if standing.state is RequestState.FAILED:
            break
        clock.move(seconds=pause_s(began, clock.at))
    await requests.delete(leave, zone, order.name)
    while not await requests.gone(zone, order.name, order.machine):
        clock.move(seconds=2.0)
    return False


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Ours as a share of theirs: by the median, and by the worst."""
    middle = len(ours) // 2
    return sorted(ours)[middle] / sorted(theirs)[middle], max(ours) / max(theirs)
