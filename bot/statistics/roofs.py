"""What the chips can do at most, and what a model asks of them: a dated table, read on 2026-11-30."""

import re

from bot.nouns.base import Noun


class Roof(Noun):
    """The limits for one model on one slice, all chips together.

    `params_active` are those that every prompt token is multiplied with (no embedding tables: they are looked up), `weight_bytes`
    those that every decode step reads at least, `peak_flops` bf16 FLOP/s, `bandwidth` HBM bytes/s.
    """

    params_active: float
    weight_bytes: float
    peak_flops: float
    bandwidth: float
    source: str


_CHIPS: dict[str, tuple[float, float]] = {
    "v5e": (197e12, 819e9),
    "v5p": (459e12, 2765e9),
    "v6e": (918e12, 1638e9),
    "v7x": (2307e12, 7380e9),
}
"""Generation -> peak bf16 FLOP/s and HBM bytes/s of one chip: cloud.google.com/tpu/docs, pages v5e, v5p, v6e and tpu7x."""
_CORES_IN_NAME = {"v5p": 2}
"""Generations whose slice names count cores and not chips: v5p-8 has 4 chips (cloud.google.com/tpu/docs/v5p)."""

_VOCABULARY = 262_144
_MODELS: dict[str, tuple[float, int]] = {
    "e2b": (4.63e9 - 35 * 256 * _VOCABULARY, 1536),
    "e4b": (7.46e9 - 42 * 256 * _VOCABULARY, 2560),
    "12b": (11.91e9, 3840),
    "26b": (3.82e9, 2816),
    "31b": (30.70e9, 5376),
}
"""Size -> text parameters used per token, width of the embedding table. Counted from each model's published config
(E2B and E4B without their per-layer embedding tables of 256 a layer, 26B-A4B with the experts of one token)."""


def roof(model: str, accelerator: str) -> Roof | None:
    """The limits of a Gemma 4 size ("31B", "gemma-4-26B-A4B-it") in bf16 on a slice ("v6e-4"); None when either is unknown."""
    size = re.search(r"(?<![a-z\d])(e2b|e4b|12b|26b|31b)(?![a-z\d])", model.lower())
    slice_ = re.fullmatch(r"(?:tpu-)?(v\d+[a-z]*?)(?:litepod)?-(\d+)", accelerator.lower().replace("v5litepod", "v5e"))
    if not size or not slice_ or slice_[1] not in _CHIPS:
        return None
    flops, bandwidth = _CHIPS[slice_[1]]
    chips = max(1, int(slice_[2]) // _CORES_IN_NAME.get(slice_[1], 1))
    used, width = _MODELS[size[1]]
    params = used - width * _VOCABULARY
    return Roof(
        params_active=params,
        weight_bytes=2 * params,
        peak_flops=chips * flops,
        bandwidth=chips * bandwidth,
        source=f"{chips} × {slice_[1]} from Google's TPU pages, {size[1].upper()} from its published config, read 2026-11-30",
    )
