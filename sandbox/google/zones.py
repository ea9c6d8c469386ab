"""Zones with their hardware, what is sold there and what is free; and the project's quotas."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from sandbox.google import refusals
from sandbox.google.hardware import Slice

DEFAULT_MODELS = frozenset({"STANDARD", "SPOT", "FLEX_START"})


class Reach(StrEnum):
    """How a zone answers: as it should; UNAVAILABLE; never; or with an empty list that names it as unreachable."""

    OK = "ok"
    UNAVAILABLE = "unavailable"
    HANGS = "hangs"
    LISTED_UNREACHABLE = "listed-unreachable"


@dataclass
class ZoneRules:
    """One zone. `capacity` counts units (chips; cores for v5p) by generation, used and free together.

    `models` maps a slice name to the provisioning models accepted for it, where it differs from DEFAULT_MODELS.
    """

    name: str
    accelerators: frozenset[str]
    capacity: dict[str, int] = field(default_factory=dict)
    models: dict[str, frozenset[str]] = field(default_factory=dict)
    reach: Reach = Reach.OK

    @property
    def region(self) -> str:
        """The name without its last part."""
        return self.name.rpartition("-")[0]

    def accepts(self, accelerator: str, model: str) -> bool:
        """Whether this slice is sold this way here."""
        return model in self.models.get(accelerator, DEFAULT_MODELS)


@dataclass(frozen=True)
class Holding:
    """What one resource holds: `zone`, the slice, the model it was asked with. Quota counts holdings, not machines."""

    zone: ZoneRules
    slice: Slice
    model: str


@dataclass(frozen=True)
class _Passed:
    """A limit that would be passed; `kind` is Zone or Region."""

    quota_id: str
    kind: str
    place: str
    limit: int


class Quotas:
    """Limits by quota id and place; what is not set is unlimited. `unlisted` ids are enforced but not shown by Cloud Quotas."""

    def __init__(self) -> None:
        """Start without limits."""
        self._limits: dict[tuple[str, str], int] = {}
        self._silent: set[tuple[str, str]] = set()
        self.unlisted: set[str] = set()

    def set(self, quota_id: str, place: str, limit: int, *, silent: bool = False) -> None:
        """Set a limit in units; `place` is a zone or a region. Nothing is taken from what exists already.

        A silent limit does not refuse: the request waits for ever. Both were seen for flex-start (github.com/xbill9/gemma4-dev).
        """
        self._limits[quota_id, place] = limit
        self._silent.discard((quota_id, place))
        if silent:
            self._silent.add((quota_id, place))

    def limits_of(self, quota_id: str) -> dict[str, int]:
        """The limits that were set for one quota, by place."""
        return {place: limit for (known, place), limit in self._limits.items() if known == quota_id}

    def check(self, wanted: Holding, held: Iterable[Holding]) -> None:
        """Refuse what would pass the zone's or the region's limit, unless the limit is silent. `held` is without `wanted`."""
        for passed in self._passed(wanted, list(held)):
            if (passed.quota_id, passed.place) not in self._silent:
                raise refusals.quota_exceeded(passed.quota_id, passed.limit, f"{passed.kind.lower()} {passed.place}")

    def holds_back(self, wanted: Holding, held: Iterable[Holding]) -> bool:
        """Whether what waits must go on waiting for a silent limit. `held` is without `wanted`."""
        return any((passed.quota_id, passed.place) in self._silent for passed in self._passed(wanted, list(held)))

    def _passed(self, wanted: Holding, held: list[Holding]) -> list[_Passed]:
        every = (
            self._passed_in(wanted, held, "Zone", lambda holding: holding.zone.name),
            self._passed_in(wanted, held, "Region", lambda holding: holding.zone.region),
        )
        return [passed for passed in every if passed is not None]

    def _passed_in(self, wanted: Holding, held: list[Holding], kind: str, place_of: Callable[[Holding], str]) -> _Passed | None:
        quota_id, place = wanted.slice.quota_id(wanted.model, kind), place_of(wanted)
        limit = self._limits.get((quota_id, place))
        spent = sum(
            other.slice.units
            for other in held
            if place_of(other) == place and other.slice.quota_id(other.model, kind) == quota_id
        )
        if limit is not None and spent + wanted.slice.units > limit:
            return _Passed(quota_id, kind, place, limit)
        return None
