"""Bytes of the key-value cache by the model's geometry, before any planner rounds them to blocks.

Both functions follow `kv(sequence) = G x L + S x min(L, W)`: global layers grow with the context L, sliding layers stop at the
window W.
"""

from bot.nouns import Noun
from bot.serving.dtypes import bytes_of
from bot.serving.gemma import Geometry


class KvBytes(Noun):
    """Bytes on one chip. `growing_per_token` never stops growing; `constant` is what sliding layers hold once past the window.

    `every_layer_per_token` is what a build pays per token that keeps all layers at full length (TPU builds of August 2026).
    """

    growing_per_token: int
    sliding_per_token: int
    constant: int
    every_layer_per_token: int


def kv_bytes(model: Geometry, dtype: str = "bf16", tp: int = 1) -> KvBytes:
    """The four rates on one of `tp` chips. Raises UsageError for an unknown format or chips that heads do not divide over."""
    width = bytes_of(dtype)
    growing = model.full.count * model.full.bytes_per_token(width, tp)
    sliding = model.sliding.count * model.sliding.bytes_per_token(width, tp)
    return KvBytes(
        growing_per_token=growing,
        sliding_per_token=sliding,
        constant=sliding * (model.sliding.window or 0),
        every_layer_per_token=growing + sliding,
    )


def sequence_bytes(model: Geometry, length: int, dtype: str = "bf16", tp: int = 1, *, every_layer_full: bool = False) -> int:
    """Bytes that one sequence of `length` tokens holds on one chip, with sliding layers cut to their window or kept whole."""
    rates = kv_bytes(model, dtype, tp)
    if every_layer_full:
        return rates.every_layer_per_token * length
    return rates.growing_per_token * length + rates.sliding_per_token * min(length, model.sliding.window or length)
