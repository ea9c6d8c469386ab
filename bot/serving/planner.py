"""How an engine cuts memory into cache blocks, and how many requests those hold.

`hybrid` is vLLM 0.32's own planner on GPU and CPU (rule read in vllm/v1/core/kv_cache_utils.py and vllm/v1/kv_cache_interface.py,
checked against its output to every digit). `all-layers-full` is what TPU builds of August 2026 do (tpu-inference#1920 merged,
#3220 open; a v6e-1 start-up log of 10 August 2026 shows it): one group, every layer that owns a cache at full length.
"""

import re
from enum import StrEnum
from math import ceil

from pydantic import field_serializer

from bot.errors import UsageError
from bot.nouns import Noun
from bot.serving.dtypes import bytes_of
from bot.serving.gemma import GIB, Geometry, KvLayers, find

DECODE_IN_FLIGHT = 1


class Planner(StrEnum):
    """Which rule the engine plans its cache by."""

    HYBRID = "hybrid"
    ALL_LAYERS_FULL = "all-layers-full"


_HYBRID_SINCE = (0, 21)


def planner_of(*, on_tpu: bool | None, version: str | None = None, kv_groups: int | None = None) -> Planner | None:
    """The rule an engine follows by what is known of it, None when that is not enough.

    Its own log decides first (one cache group: all layers full). Else TPU builds of August 2026 keep all layers; GPU and CPU
    builds are hybrid since vLLM 0.21, before that the hybrid allocator had no effect for Gemma 4 (vllm#43308).
    """
    if kv_groups is not None:
        return Planner.ALL_LAYERS_FULL if kv_groups == 1 else Planner.HYBRID
    if on_tpu is not False:
        return Planner.ALL_LAYERS_FULL if on_tpu else None
    number = re.match(r"v?(\d{1,4})\.(\d{1,4})", version or "", re.ASCII)
    if number is None:
        return None
    return Planner.HYBRID if (int(number[1]), int(number[2])) >= _HYBRID_SINCE else Planner.ALL_LAYERS_FULL


class KvGroup(Noun):
    """Layers that share one block table. `layers` counts real layers; `block_size` is in tokens; no `window` keeps everything."""

    layers: int
    block_size: int
    window: int | None

    def blocks(self, length: int, in_flight: int) -> int:
        """Blocks one request of `length` tokens takes, with `in_flight` tokens scheduled but not finished.

        Full: ceil(L / block). Sliding: ceil(min(W - 1 + in flight, L) / block) + 1, one more because the window may start
        inside a block (vLLM SlidingWindowSpec).
        """
        if self.window is None:
            return ceil(length / self.block_size)
        return ceil(min(self.window - 1 + in_flight, length) / self.block_size) + 1


class Capacity(Noun):
    """What a planner makes of the memory of one chip.

    `max_concurrency` (written to two decimals, as vLLM does) and `tokens` are the worst case that vLLM guarantees and prints;
    `expected_in_decode` is how many requests of the whole context fit once they only generate. `tokens` depends on context and
    batch: it is no rate of bytes per token.
    """

    planner: Planner
    model: str
    context: int
    num_blocks: int
    bytes_per_block: int
    groups: tuple[KvGroup, ...]
    in_flight: int
    blocks_per_request: int
    max_concurrency: float
    tokens: int
    decode_blocks_per_request: int
    expected_in_decode: float

    @field_serializer("max_concurrency")
    def _two_decimals(self, concurrency: float) -> float:
        return round(concurrency, 2)

    @property
    def starts(self) -> bool:
        """Whether the engine would start: vLLM refuses when not even one request of the whole context fits."""
        return self.num_blocks >= self.blocks_per_request

    @property
    def block_size(self) -> int | None:
        """Tokens per block when all groups have the same, else None."""
        sizes = {group.block_size for group in self.groups}
        return sizes.pop() if len(sizes) == 1 else None

    def users(self, length: int, *, decoding: bool = False) -> int:
        """Requests of `length` tokens at once: surely, or while all only generate. `length` may exceed the context."""
        in_flight = DECODE_IN_FLIGHT if decoding else self.in_flight
        return self.num_blocks // blocks_for(self.groups, length, in_flight)


def blocks_for(groups: tuple[KvGroup, ...], length: int, in_flight: int) -> int:
    """Blocks of one request over all groups. Raises UsageError for a length below one token."""
    if length < 1:
        raise UsageError("A context is at least 1 token", usage="context=32K")
    return sum(group.blocks(length, in_flight) for group in groups)


def plan(
    model: str | Geometry,
    *,
    kv_gib: float,
    context: int,
    batched_tokens: int = 8192,
    tp: int = 1,
    kv_dtype: str = "bfloat16",
    planner: Planner | str = Planner.HYBRID,
    block_size: int | None = None,
    concurrent_batches: int = 1,
    max_seqs: int = 256,
) -> Capacity:
    """Plan the cache of one chip (rank) as the engine would.

    `kv_gib`: GiB for the cache on ONE chip. `batched_tokens`: --max-num-batched-tokens. `concurrent_batches`: 1, or 2 with
    asynchronous scheduling; their product is what may be in flight. `block_size` in tokens: 16 on GPU unless given; on TPU
    `tpu_block_size(context, max_seqs)`. Raises UsageError for values that make no plan.
    """
    if kv_gib <= 0 or batched_tokens < 1 or concurrent_batches < 1:
        raise UsageError("Memory and batched tokens must be above 0", usage="kv-gib=40 batched-tokens=8192")
    geometry = find(model) if isinstance(model, str) else model
    rule = Planner(planner)
    width = bytes_of(kv_dtype)
    if rule is Planner.ALL_LAYERS_FULL:
        groups, block_bytes = one_group(geometry, width, tp, block_size or tpu_block_size(context, max_seqs))
    else:
        groups, block_bytes = hybrid_groups((geometry.sliding, geometry.full), width, tp, block_size or 16)
    return capacity(rule, geometry.name, groups, block_bytes, kv_gib, context, batched_tokens * concurrent_batches)


def capacity(
    rule: Planner, model: str, groups: tuple[KvGroup, ...], block_bytes: int, kv_gib: float, context: int, in_flight: int
) -> Capacity:
    """From groups to numbers. `tokens` = int(blocks / blocks per request x context), as vLLM prints it."""
    num_blocks = int(kv_gib * GIB) // block_bytes
    per_request = blocks_for(groups, context, in_flight)
    decode = blocks_for(groups, context, min(DECODE_IN_FLIGHT, in_flight))
    concurrency = num_blocks / per_request
    return Capacity(
        planner=rule,
        model=model,
        context=context,
        num_blocks=num_blocks,
        bytes_per_block=block_bytes,
        groups=groups,
        in_flight=in_flight,
        blocks_per_request=per_request,
        max_concurrency=concurrency,
        tokens=int(concurrency * context),
        decode_blocks_per_request=decode,
        expected_in_decode=num_blocks / decode,
    )


def hybrid_groups(kinds: tuple[KvLayers, ...], width: int, tp: int, block_size: int) -> tuple[tuple[KvGroup, ...], int]:
    """vLLM's hybrid grouping: (groups, bytes of one block over a whole group).

    1. Pages become equal: a kind with the smaller page (layer bytes x block) gets a larger block until its page is as large.
    2. The group size is the layer count of the rarest kind; if the commonest has less than 1.5 times as many, its count, so that
       less is padded. 3. Each kind is cut into ceil(count / size) groups; a short last group is padded.
    A block of the pool serves one group, so it takes page x layers of the largest group.
    """
    used = tuple(kind for kind in kinds if kind.count > 0)
    rates = [kind.bytes_per_token(width, tp) for kind in used]
    largest = max(rates)
    if any(largest % rate for rate in rates):
        raise UsageError("The layers' pages cannot be made equal by larger blocks", usage="another tensor parallelism")
    size = group_size([kind.count for kind in used])
    groups = tuple(
        KvGroup(layers=layers, block_size=block_size * largest // rate, window=kind.window)
        for kind, rate in zip(used, rates, strict=True)
        for layers in _dealt(kind.count, size)
    )
    return groups, largest * block_size * max(group.layers for group in groups)


def group_size(counts: list[int]) -> int:
    """Layers per group: the smallest count, or the largest when it is below 1.5 times the smallest (vLLM's heuristic)."""
    return max(counts) if max(counts) < min(counts) * 1.5 else min(counts)


def _dealt(count: int, size: int) -> list[int]:
    """Layers of each group when `count` layers are dealt in turn over ceil(count / size) groups."""
    number = ceil(count / size)
    return [len(range(index, count, number)) for index in range(number)]


def one_group(model: Geometry, width: int, tp: int, block_size: int) -> tuple[tuple[KvGroup, ...], int]:
    """One block table for every layer that owns a cache, all at full length: (the group, bytes of one block over all layers)."""
    kinds = (model.sliding, model.full)
    per_token = sum(kind.count * kind.bytes_per_token(width, tp) for kind in kinds)
    group = KvGroup(layers=sum(kind.count for kind in kinds), block_size=block_size, window=None)
    return (group,), per_token * block_size


def tpu_block_size(context: int, max_seqs: int = 256) -> int:
    """Tokens per block that TPU builds choose: the block tables must fit half of the scalar memory (1 MiB, 4 bytes an entry).

    Rule: next power of two of context / (524,288 / max_seqs / 4), at least 16. Seen in two logs of August 2026 ("Increase the
    page size from 16 to 64" at 32,768; to 32 at 16,384); it gives 128 at 65,536, the block that the published 31B run implies.
    """
    pages = max(1, 524_288 // max(1, max_seqs) // 4)
    needed = ceil(max(1, context) / pages)
    return max(16, 1 << (needed - 1).bit_length())
