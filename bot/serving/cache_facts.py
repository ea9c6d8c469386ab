"""What a running engine says of its cache, from its labels or its start-up log, and how many requests that holds."""

from collections.abc import Mapping
from math import ceil

from bot.nouns import Noun
from bot.serving.gemma import Geometry
from bot.serving.planner import DECODE_IN_FLIGHT, KvGroup, blocks_for, hybrid_groups
from bot.serving.startup import Startup


class CacheFacts(Noun):
    """The cache as one engine states it. `uniform`: every block holds `block_size` tokens of a request: tokens = blocks x size.

    `context` is the longest request in tokens. On a hybrid engine `tokens` is the worst case of that context, not a size.
    """

    tokens: int
    max_concurrency: float | None
    context: int | None
    blocks: int | None
    block_size: int | None
    uniform: bool
    kv_dtype: str | None = None


def from_labels(labels: Mapping[str, str], context: int | None, *, one_group: bool | None) -> CacheFacts | None:
    """From the labels of `vllm:cache_config_info` (all text, "None" possible).

    Engines that do not tell `kv_cache_size_tokens` yet: blocks x size, but only when `one_group` is known to be True. On a hybrid
    cache that product is wrong several times over (vllm#51163), so it is not used there: None.
    """
    blocks, size = _count(labels.get("num_gpu_blocks")), _count(labels.get("block_size"))
    tokens, concurrency = _count(labels.get("kv_cache_size_tokens")), _real(labels.get("kv_cache_max_concurrency"))
    dtype = labels.get("cache_dtype")
    told = None if dtype in {None, "auto", "None"} else dtype
    if tokens is not None and concurrency is not None:
        longest = context or (round(tokens / concurrency) if concurrency > 0 else None)
        uniform = blocks is not None and size is not None and blocks * size == tokens
        return CacheFacts(
            tokens=tokens,
            max_concurrency=concurrency,
            context=longest,
            blocks=blocks,
            block_size=size,
            uniform=uniform,
            kv_dtype=told,
        )
    if blocks is None or not size or one_group is not True:
        return None
    return CacheFacts(
        tokens=blocks * size,
        max_concurrency=blocks / ceil(context / size) if context else None,
        context=context,
        blocks=blocks,
        block_size=size,
        uniform=True,
        kv_dtype=told,
    )


def from_startup(startup: Startup) -> CacheFacts | None:
    """From a start-up log, None when it never told the size of its cache."""
    tokens, blocks, size = startup.kv_tokens, startup.num_blocks, startup.block_size
    if tokens is None and blocks is not None and size is not None and startup.kv_groups == 1:
        tokens = blocks * size
    if tokens is None:
        return None
    if blocks is None and startup.kv_groups == 1 and size:
        blocks = tokens // size
    return CacheFacts(
        tokens=tokens,
        max_concurrency=startup.max_concurrency,
        context=startup.concurrency_context or startup.max_model_len,
        blocks=blocks,
        block_size=size,
        uniform=blocks is not None and size is not None and blocks * size == tokens,
        kv_dtype=startup.kv_dtype,
    )


def users_at(cache: CacheFacts, length: int, geometry: Geometry | None, tp: int) -> tuple[int | None, str]:
    """(requests of `length` tokens at once, a note). 0 when the engine refuses that length, None when it cannot be told."""
    if cache.context is not None and length > cache.context:
        return 0, f"refused: this engine takes at most {cache.context:,} tokens"
    if cache.uniform and cache.blocks is not None and cache.block_size:
        return cache.blocks // ceil(length / cache.block_size), ""
    if cache.max_concurrency is None or cache.context is None:
        return None, "not told by this engine"
    if length == cache.context:
        return int(cache.max_concurrency), ""
    if geometry is None or cache.blocks is None or not cache.block_size or cache.max_concurrency <= 0:
        return int(cache.max_concurrency), f"at least: what it guarantees at {cache.context:,} tokens"
    return _hybrid_users(cache, cache.blocks, cache.max_concurrency, cache.context, length, geometry, tp, cache.block_size)


def decoding_at(cache: CacheFacts, length: int, geometry: Geometry | None, tp: int) -> int | None:
    """Requests of `length` tokens that fit once all only generate: no guarantee. None when the groups are not known."""
    if cache.blocks is None or not cache.block_size or (cache.context is not None and length > cache.context):
        return None
    if cache.uniform:
        return cache.blocks // ceil(length / cache.block_size)
    if geometry is None:
        return None
    groups, _ = hybrid_groups((geometry.sliding, geometry.full), 2, tp, cache.block_size)
    return cache.blocks // blocks_for(groups, length, DECODE_IN_FLIGHT)


def _hybrid_users(
    cache: CacheFacts, blocks: int, concurrency: float, context: int, length: int, model: Geometry, tp: int, size: int
) -> tuple[int | None, str]:
    """Requests on a hybrid cache. What sliding layers take in flight follows from the guarantee at the full context.

    blocks / concurrency = full(context) + sliding; a shorter request takes full(length) and at most that much sliding.
    """
    groups, _ = hybrid_groups((model.sliding, model.full), 2, tp, size)
    sliding = round(blocks / concurrency) - _blocks(groups, context, windowed=False)
    if sliding < 0:
        return int(concurrency), f"at least: what it guarantees at {cache.context:,} tokens"
    need = _blocks(groups, length, windowed=False) + min(sliding, _blocks(groups, length, windowed=True))
    return blocks // need, ""


def _blocks(groups: tuple[KvGroup, ...], length: int, *, windowed: bool) -> int:
    """Blocks over all groups with, or without, a window, nothing cut yet."""
    return sum(group.blocks(length, length) for group in groups if (group.window is not None) is windowed)


def _count(text: str | None) -> int | None:
    """A label as a whole number of at least 0, None for "None", "" and anything else."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else None


def _real(text: str | None) -> float | None:
    """A label as a finite number of at least 0, or None."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < 1e12 else None
