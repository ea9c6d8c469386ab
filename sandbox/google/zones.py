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


class Quotas:
    """Limits by quota id and place; what is not set is unlimited."""

    def __init__(self) -> None:
        """Start without limits."""
        self._limits: dict[tuple[str, str], int] = {}

    def set(self, quota_id: str, place: str, limit: int) -> None:
        """Set a limit in units; `place` is a zone or a region. Nothing is taken from what exists already."""
        self._limits[quota_id, place] = limit

    def check(self, wanted: Holding, held: Iterable[Holding]) -> None:
        """Refuse what would pass the zone's or the region's limit."""
        every = list(held)
        self._check_place(wanted, every, "Zone", lambda holding: holding.zone.name)
        self._check_place(wanted, every, "Region", lambda holding: holding.zone.region)

    def _check_place(self, wanted: Holding, held: list[Holding], kind: str, place_of: Callable[[Holding], str]) -> None:
        quota_id, place = wanted.slice.quota_id(wanted.model, kind), place_of(wanted)
        limit = self._limits.get((quota_id, place))
        spent = sum(
            other.slice.units
            for other in held
            if place_of(other) == place and other.slice.quota_id(other.model, kind) == quota_id
        )
        if limit is not None and spent + wanted.slice.units > limit:
            raise refusals.quota_exceeded(quota_id, limit, f"{kind.lower()} {place}")
