"""TPU slices by their field names, and which quota each one spends."""

import re
from dataclasses import dataclass

from sandbox.google import refusals

PREEMPTIBLE_MODELS = frozenset({"FLEX_START", "SPOT"})
"""Both spend the preemptible quota (Google's flex-start page)."""

_NAME = re.compile(r"(v5litepod|v5p|v6e)-([1-9][0-9]{0,3})")
_QUOTAS = {
    "v6e": ("TPUV6EPerProjectPer{}ForTPUAPI", "TPUV6EPreemptiblePerProjectPer{}ForTPUAPI"),
    "v5litepod": ("TPUV5sLitepodPerProjectPer{}ForTPUAPI", "TPUV5sPreemptibleLitepodPerProjectPer{}ForTPUAPI"),
    "v5p": ("TPUV5PPerProjectPer{}ForTPUAPI", "TPUV5PPreemptiblePerProjectPer{}ForTPUAPI"),
}
"""Quota ids of the TPU API: on demand, preemptible; {} is Zone or Region."""
_PREFIXES = {"V5LITE_POD": ("v5litepod", 1), "V5P": ("v5p", 2), "V6E": ("v6e", 1)}


@dataclass(frozen=True)
class Slice:
    """A slice: `units` is the number in its name, which is also what quota counts (chips; cores for v5p)."""

    name: str
    generation: str
    units: int

    def quota_id(self, model: str, place: str) -> str:
        """The quota that this slice spends; `place` is "Zone" or "Region"."""
        return _QUOTAS[self.generation][model in PREEMPTIBLE_MODELS].format(place)


def quota_ids() -> list[str]:
    """Every quota id of the TPU API that this stand-in knows."""
    return sorted(name.format(place) for names in _QUOTAS.values() for name in names for place in ("Zone", "Region"))


def slice_of(name: str) -> Slice:
    """A slice by name. Raises Refusal as the zone's catalogue would for a name that does not exist anywhere."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise refusals.accelerator_not_found(name)
    return Slice(name, match.group(1), int(match.group(2)))


def named(generation: str, topology: str) -> str:
    """The slice name for an AcceleratorConfig: its type's enum word and a topology such as 2x2."""
    sides = topology.split("x")
    if generation not in _PREFIXES or not all(side.isdecimal() and int(side) for side in sides):
        raise refusals.invalid(f"accelerator_config is not valid: type {generation}, topology {topology[:40]!r}")
    prefix, units = _PREFIXES[generation]
    for side in sides:
        units *= int(side)
    return f"{prefix}-{units}"
