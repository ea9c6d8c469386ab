"""The chips: a dated table. Facts that nobody could confirm say so in their source."""

from datetime import UTC, datetime

from bot.errors import UsageError
from bot.nouns import Noun, Quantity
from bot.serving import slices

READ_AT = datetime(2026, 8, 20, tzinfo=UTC)
"""When the sources of this table were last read together (public field notes of 20 August 2026 and the documents they quote)."""

DOCS = "Google Cloud TPU documentation"
ICI = f"{DOCS}; both directions, between chips"
LOG = "vLLM start-up log, August 2026"
MEMORY = "from memory, not confirmed"


class Chip(Noun):
    """One TPU generation. Every figure is per chip. `usable_hbm_gib` is what an engine reports; nominal where none was seen.

    `fp8_native` None means not known. `in_tpu_api` is False for generations that only Compute Engine and GKE offer.
    """

    generation: str
    product: str
    bf16_tflops: Quantity
    low_precision_tops: Quantity | None
    hbm: Quantity
    usable_hbm_gib: Quantity
    bandwidth: Quantity
    interconnect: Quantity
    chips_per_host: tuple[int, ...]
    accelerator_type: str | None
    runtime_version: str | None
    machine_types: tuple[str, ...]
    in_tpu_api: bool
    fp8_native: bool | None
    note: str = ""


def _of(value: float, unit: str, source: str) -> Quantity:
    return Quantity(value=value, unit=unit, at=READ_AT, source=source)


def _v5e() -> Chip:
    return Chip(
        generation="v5e",
        product="Cloud TPU v5e",
        bf16_tflops=_of(197, "TFLOP/s", DOCS),
        low_precision_tops=_of(393, "int8 TOP/s", DOCS),
        hbm=_of(16, "GB", DOCS),
        usable_hbm_gib=_of(15.75, "GiB", LOG),
        bandwidth=_of(819, "GB/s", DOCS),
        interconnect=_of(400, "GB/s", ICI),
        chips_per_host=(1, 4, 8),
        accelerator_type="v5litepod-N, N counts chips",
        runtime_version="v2-alpha-tpuv5-lite",
        machine_types=(),
        in_tpu_api=True,
        fp8_native=False,
        note="Compute Engine refuses to create it; use the TPU API or GKE",
    )


def _v5p() -> Chip:
    return Chip(
        generation="v5p",
        product="Cloud TPU v5p",
        bf16_tflops=_of(459, "TFLOP/s", DOCS),
        low_precision_tops=None,
        hbm=_of(95, "GiB", DOCS),
        usable_hbm_gib=_of(95, "GiB", f"{DOCS}; nominal, no start-up log seen"),
        bandwidth=_of(2765, "GB/s", DOCS),
        interconnect=_of(1200, "GB/s", ICI),
        chips_per_host=(4,),
        accelerator_type="v5p-N, N counts cores: two to a chip, so v5p-8 is 4 chips",
        runtime_version="v2-alpha-tpuv5",
        machine_types=("ct5p-hightpu-1t", "ct5p-hightpu-2t", "ct5p-hightpu-4t"),
        in_tpu_api=True,
        fp8_native=None,
    )


def _v6e() -> Chip:
    return Chip(
        generation="v6e",
        product="Cloud TPU v6e (Trillium)",
        bf16_tflops=_of(918, "TFLOP/s", DOCS),
        low_precision_tops=_of(1836, "int8 TOP/s", DOCS),
        hbm=_of(32, "GB", DOCS),
        usable_hbm_gib=_of(31.24, "GiB", LOG),
        bandwidth=_of(1638, "GB/s", DOCS),
        interconnect=_of(800, "GB/s", ICI),
        chips_per_host=(1, 4, 8),
        accelerator_type="v6e-N, N counts chips",
        runtime_version="v2-alpha-tpuv6e",
        machine_types=("ct6e-standard-1t", "ct6e-standard-4t", "ct6e-standard-8t"),
        in_tpu_api=True,
        fp8_native=False,
        note="no native fp8: an fp8 cache saves memory, not compute",
    )


def _v7x() -> Chip:
    return Chip(
        generation="v7x",
        product="TPU7x (Ironwood)",
        bf16_tflops=_of(2307, "TFLOP/s", DOCS),
        low_precision_tops=_of(4614, "fp8 TFLOP/s", DOCS),
        hbm=_of(192, "GiB", DOCS),
        usable_hbm_gib=_of(192, "GiB", f"{DOCS}; nominal, no start-up log seen"),
        bandwidth=_of(7380, "GB/s", MEMORY),
        interconnect=_of(1200, "GB/s", ICI),
        chips_per_host=(4,),
        accelerator_type=None,
        runtime_version=None,
        machine_types=("tpu7x-standard-4t",),
        in_tpu_api=False,
        fp8_native=True,
        note="not in the TPU API: Compute Engine or GKE only; flex-start and spot by allow-list. "
        "An engine may see two devices on each chip, half the memory each (from memory, not confirmed)",
    )


CHIPS: tuple[Chip, ...] = (_v5e(), _v5p(), _v6e(), _v7x())


def chip(generation: str) -> Chip:
    """The row of one generation ("v6e", "trillium"). Raises UsageError with those that exist."""
    wanted = slices.generation(generation)
    for row in CHIPS:
        if row.generation == wanted:
            return row
    names = tuple(row.generation for row in CHIPS)
    raise UsageError(
        f"I do not know the TPU generation {generation.strip()[:40]!r}", usage="one of " + ", ".join(names), near=names
    )
