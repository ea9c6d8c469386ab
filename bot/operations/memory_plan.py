"""The exact form of `memory`: the cache of one chip planned block by block as the engine does, from given values alone."""

from bot.errors import UsageError
from bot.nouns import Slice
from bot.operations.memory_arguments import MemoryArguments
from bot.serving import slices
from bot.serving.catalogue import BATCHED_TOKENS, FP8_BLOCK
from bot.serving.dtypes import bytes_of
from bot.serving.gemma import find
from bot.serving.layout import DEFAULT_UTILIZATION, layout
from bot.serving.memory import DEFAULT_CONTEXT
from bot.serving.planner import Capacity, Planner, plan

EXACT = ("kv_gib", "batched_tokens", "concurrent_batches", "block_size", "tp", "kv_dtype", "planner")
"""The values that only this form has."""

GPU_BATCHED_TOKENS = 8_192
"""--max-num-batched-tokens that vLLM 0.32's API server takes by itself on GPUs of 70 GiB and more (vllm/engine/arg_utils.py)."""


def wanted(arguments: MemoryArguments) -> bool:
    """Whether any value of the exact form was given."""
    return any(getattr(arguments, name) is not None for name in EXACT)


def planned(arguments: MemoryArguments) -> Capacity:
    """The plan. Without `kv_gib` the room for the cache is computed from slice and utilization, at its low end.

    Raises UsageError when the model is missing, when neither memory nor slice is given, or when the weights leave no room.
    """
    if arguments.model is None:
        raise _lacking("the model")
    geometry = find(arguments.model)
    piece = slices.parse(arguments.slice) if arguments.slice else None
    planner = arguments.planner or (Planner.ALL_LAYERS_FULL if piece else Planner.HYBRID)
    kv_dtype = arguments.kv_dtype or arguments.cache or "bfloat16"
    on_tpu_fp8 = planner is Planner.ALL_LAYERS_FULL and bytes_of(kv_dtype) == 1
    return plan(
        geometry,
        kv_gib=arguments.kv_gib or _room_gib(arguments, piece),
        context=arguments.context or min(DEFAULT_CONTEXT, geometry.context),
        batched_tokens=arguments.batched_tokens or (BATCHED_TOKENS if piece else GPU_BATCHED_TOKENS),
        tp=arguments.tp or (piece.chips if piece else 1),
        kv_dtype=kv_dtype,
        planner=planner,
        block_size=arguments.block_size or (FP8_BLOCK if on_tpu_fp8 else None),
        concurrent_batches=arguments.concurrent_batches or 1,
    )


def _room_gib(arguments: MemoryArguments, piece: Slice | None) -> float:
    """GiB for the cache on one chip: usable x utilization - weights."""
    if piece is None or arguments.model is None:
        raise _lacking("the slice, or the GiB for the cache on one chip (kv-gib)")
    room = layout(find(arguments.model), piece, arguments.utilization or DEFAULT_UTILIZATION)
    if room.kv_low_gib <= 0:
        budget = room.usable_gib.value * room.utilization
        raise UsageError(
            f"{arguments.model} does not fit on {piece.name}: "
            f"{room.weights_high_gib:.1f} GiB of weights a chip, {budget:.1f} GiB are there.",
            next_step="Take a larger slice.",
        )
    return room.kv_low_gib


def _lacking(what: str) -> UsageError:
    return UsageError(
        f"I need {what} to plan the cache.",
        usage="gemma memory --model 31B --kv-gib 40 --context 32768 --batched-tokens 8192 --tp 1 --planner hybrid",
    )
