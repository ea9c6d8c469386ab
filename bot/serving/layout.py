"""How the memory of one chip is shared out: weights, cache, and what compiled programs need."""

from datetime import UTC, datetime

from bot.errors import UsageError
from bot.nouns import Noun, Quantity, Slice
from bot.serving.gemma import Geometry
from bot.serving.hardware import chip
from bot.serving.weights import weights

DEFAULT_UTILIZATION = 0.92
"""vLLM's own default of --gpu-memory-utilization (cache label of 0.32.0; TPU log: 28.74 of 31.24 GiB)."""

PROGRAM_RESERVE_GIB = (1.6, 2.5)
"""What compiled programs and activations take per chip OUTSIDE the utilisation share on TPU, as a range, not a measurement.

High: 8 % of a v6e (2.5 GiB) was enough for E2B on v6e-1 (log of 10 August 2026). Low: just above 5 % (1.56 GiB), since starts
at a share of 0.95 were seen to fail by a few dozen MiB. What a model really needs grows with its programs and is not known. A
share of 0.98 has worked (tpu-inference#2333, fp8) and failed at program load (PR#3408, which went to 0.90).
"""

COMPUTED_AT = datetime(2026, 11, 30, tzinfo=UTC)
"""The date of the formulas and constants behind a computed layout."""


class Layout(Noun):
    """GiB on each chip. `kv_low`/`kv_high` bound the cache by what is not verified of the weights; negative: they do not fit.

    Formula (TPU): cache = usable x utilization - weights, as the log's own "total_hbm_avail" does; programs live in the rest.
    """

    usable_gib: Quantity
    utilization: float
    weights_low_gib: float
    weights_high_gib: float
    weights_source: str
    kv_low_gib: float
    kv_high_gib: float
    programs_gib: float
    reserve_gib: tuple[float, float]

    @property
    def programs_short(self) -> bool:
        """Whether less is left for compiled programs than the low end of what they were seen to need."""
        return self.programs_gib < self.reserve_gib[0]


def layout(model: Geometry, piece: Slice, utilization: float = DEFAULT_UTILIZATION, dtype: str = "bf16") -> Layout:
    """The memory of one chip of `piece`, tensor parallel over all its chips. Raises UsageError for a share outside 0..1."""
    if not 0 < utilization <= 1:
        raise UsageError("Utilization is a share between 0 and 1", usage="utilization=0.92")
    usable = chip(piece.generation).usable_hbm_gib
    size = weights(model, dtype)
    low, high = size.per_chip(piece.chips)
    budget = usable.value * utilization
    return Layout(
        usable_gib=usable,
        utilization=utilization,
        weights_low_gib=low,
        weights_high_gib=high,
        weights_source=size.source,
        kv_low_gib=budget - high,
        kv_high_gib=budget - low,
        programs_gib=usable.value * (1 - utilization),
        reserve_gib=reserve(usable.value),
    )


def reserve(usable_gib: float) -> tuple[float, float]:
    """The stated range for programs, scaled down on a small chip: a v5e-1 served E2B with 8 % (1.26 GiB) left outside."""
    scale = min(1.0, usable_gib / 31.24)
    return PROGRAM_RESERVE_GIB[0] * scale, PROGRAM_RESERVE_GIB[1] * scale
