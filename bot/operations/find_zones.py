"""Where a search stands in each zone, and what it may ask next. Pure arithmetic over what was written down."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from bot.nouns import Noun, RefusalKind
from bot.operations.find_plan import Search
from bot.serving.recent_capacity import LIVES

TURN = timedelta(minutes=20)
"""How long a zone may let us wait while another could be asked in its place. Our choice: as long as a stockout is believed."""


class Stand(StrEnum):
    """Where one zone stands. PICKED: to be asked, perhaps asked already; LEAVING: what was asked for is being taken back."""

    OPEN = "o"
    PICKED = "p"
    WAITS = "w"
    LEAVING = "l"


class ZoneStand(Noun):
    """One zone. `at` is the time of its last change of stand, `again_at` until when it is not asked again; `attempt` counts
    deliberate asks. `since` is when its machine was made. `dead`: it surely becomes no machine any more."""

    zone: str
    usd: float
    stand: Stand = Stand.OPEN
    attempt: int = 0
    at: datetime | None = None
    operation: str = ""
    kind: RefusalKind | None = None
    again_at: datetime | None = None
    since: datetime | None = None
    dead: bool = False

    @property
    def stands(self) -> bool:
        """Whether something of ours may stand there."""
        return self.stand is not Stand.OPEN

    def becomes(self, stand: Stand, at: datetime, **more: object) -> "ZoneStand":
        """The same zone, standing otherwise."""
        return self.model_copy(update={"stand": stand, "at": at, **more})

    def refused(self, kind: RefusalKind, at: datetime, *, leaves: bool = False) -> "ZoneStand":
        """It said no: not asked again while such a no holds. `leaves`: what stands there is taken back first."""
        stand = Stand.LEAVING if leaves else Stand.OPEN
        return self.becomes(stand, at, kind=kind, again_at=at + LIVES[kind], operation="", dead=leaves)


class Zones(Noun):
    """All zones of one search, in the order in which they are asked. `wasted` is what machines cost that were not kept, USD."""

    zones: tuple[ZoneStand, ...]
    wasted: float = 0.0

    def among(self, *stands: Stand) -> tuple[ZoneStand, ...]:
        """Those that stand so."""
        return tuple(one for one in self.zones if one.stand in stands)

    def with_(self, changed: Iterable[ZoneStand]) -> "Zones":
        """The same with these zones as they stand now."""
        now = {one.zone: one for one in changed}
        return self.model_copy(update={"zones": tuple(now.get(one.zone, one) for one in self.zones)})

    @property
    def at_risk(self) -> float:
        """USD per hour of all that could be machines together: what waits, what is about to be asked, what is not yet gone."""
        return sum(one.usd for one in self.zones if one.stands and not one.dead)

    @property
    def asked(self) -> int:
        """Zones that were asked at least once."""
        return sum(one.attempt > 0 for one in self.zones)

    @property
    def refusals(self) -> Counter[RefusalKind]:
        """How many zones said no last, by kind."""
        return Counter(one.kind for one in self.zones if one.kind is not None)


def fresh(search: Search, remembered: dict[str, datetime]) -> Zones:
    """Nobody was asked yet. `remembered`: zones that an earlier refusal keeps out until then."""
    return Zones(zones=tuple(ZoneStand(zone=one.zone, usd=one.usd, again_at=remembered.get(one.zone)) for one in search.choices))


def may_ask(search: Search, zones: Zones, now: datetime) -> tuple[ZoneStand, ...]:
    """Zones that may be asked now if there is room, those never asked first."""
    able = [one for one in zones.among(Stand.OPEN) if one.again_at is None or one.again_at <= now]
    return tuple(sorted(able, key=lambda one: one.attempt)) if now < search.deadline else ()


def pick(search: Search, zones: Zones, now: datetime) -> Zones:
    """Mark as many zones to be asked as places and ceiling allow. Written down before the first call: so a crash forgets none."""
    picked: list[ZoneStand] = []
    risk, standing = zones.at_risk, sum(one.stands and not one.dead for one in zones.zones)
    for one in may_ask(search, zones, now):
        if standing + len(picked) >= search.at_once:
            break
        if risk + one.usd <= search.ceiling + 1e-9:
            risk += one.usd
            picked.append(one.becomes(Stand.PICKED, now, attempt=one.attempt + 1, kind=None, dead=False, operation=""))
    return zones.with_(picked)


def hopeless(search: Search, zones: Zones) -> bool:
    """Nothing stands, and no zone can be asked again before the end."""
    return not any(one.stands or one.again_at is None or one.again_at < search.deadline for one in zones.zones)


def next_look(search: Search, zones: Zones, now: datetime) -> float:
    """Seconds until it is worth looking again: a quarter of the time since the last ask, 1 to 15; else when a zone reopens."""
    standing = [one.at for one in zones.zones if one.stands and one.at is not None]
    if standing:
        return min(max((now - max(standing)).total_seconds() / 4, 1.0), 15.0)
    opens = min((one.again_at for one in zones.zones if one.again_at is not None), default=search.deadline)
    return max((min(opens, search.deadline) - now).total_seconds(), 1.0)
