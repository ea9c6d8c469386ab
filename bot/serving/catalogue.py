"""Which model fits which slice, with which flags: refused here, before any money is spent."""

from enum import StrEnum

from bot.nouns import Noun, Slice
from bot.serving import slices
from bot.serving.dtypes import short_name
from bot.serving.gemma import GIB, Geometry, find
from bot.serving.kv import kv_bytes, sequence_bytes
from bot.serving.layout import DEFAULT_UTILIZATION, Layout, layout
from bot.serving.planner import Planner, plan

LENGTHS: tuple[int, ...] = (8_192, 16_384, 32_768, 65_536)
"""The contexts people ask about: 8K, 16K, 32K, 64K tokens."""

BATCHED_TOKENS = 4_096
"""--max-num-batched-tokens of the published TPU recipes (vLLM recipes for Gemma 4, 2026)."""

FP8_BLOCK = 256
"""--block-size that goes with an fp8 cache on TPU in the one recipe that worked (tpu-inference#2333)."""

TIGHT_SHARE = 1.05
"""Less than 5 % above one request counts as tight: the published 31B run on v6e-4 stands at 1.03."""


class Verdict(StrEnum):
    """Whether a model fits."""

    YES = "yes"
    TIGHT = "tight"
    NO = "no"


class Fit(Noun):
    """One model on one slice. `users` maps a context in tokens to requests at once, None where it is above `context`.

    `why` is the reason of the verdict. `longest_context` in tokens is what one request alone could have, None without room.
    """

    model: str
    piece: Slice
    context: int
    cache: str
    utilization: float
    verdict: Verdict
    why: str
    notes: tuple[str, ...]
    users: dict[int, int | None]
    longest_context: int | None
    cache_gib_per_chip: float
    request_gib_per_chip: float
    planner: Planner
    flags: tuple[str, ...]
    layout: Layout


_ISSUES: dict[tuple[str, str], tuple[Verdict, str]] = {
    ("26B-A4B", "v6e"): (Verdict.TIGHT, "nightly tests of 20 August 2026 report not enough memory for it on v6e"),
    ("26B-A4B", "v5e"): (Verdict.NO, "it does not run on v5e: the engine dies at start (tpu-inference#2453)"),
}


def fits(
    model: str | Geometry,
    piece: str | Slice,
    context: int,
    cache: str = "bf16",
    utilization: float = DEFAULT_UTILIZATION,
    planner: Planner = Planner.ALL_LAYERS_FULL,
) -> Fit:
    """Whether `model` serves requests of `context` tokens on `piece`, tensor parallel over all its chips.

    The cache is counted at the low end of what is left; "tight" when only the high end holds one request, when programs may be
    short of memory, or when a known fault is reported. Raises UsageError for unknown names and impossible values.
    """
    geometry = find(model) if isinstance(model, str) else model
    where = slices.parse(piece) if isinstance(piece, str) else piece
    dtype = short_name(cache)
    room = layout(geometry, where, utilization)
    need = _request_gib(geometry, context, dtype, where.chips, planner)
    usable = 0.0 if _impossible(geometry, where) else room.kv_low_gib
    verdict, why, notes = _judge(geometry, where, context, room, need)
    return Fit(
        model=geometry.name,
        piece=where,
        context=context,
        cache=dtype,
        utilization=utilization,
        verdict=verdict,
        why=why,
        notes=notes + _cache_notes(dtype),
        users=_users(geometry, where, context, dtype, usable, planner),
        longest_context=_longest(geometry, usable, dtype, where.chips, planner),
        cache_gib_per_chip=room.kv_low_gib,
        request_gib_per_chip=need,
        planner=planner,
        flags=flags(geometry, where, context, dtype, utilization),
        layout=room,
    )


def _request_gib(model: Geometry, context: int, dtype: str, tp: int, planner: Planner) -> float:
    """GiB that one request of `context` tokens holds on each chip."""
    whole = planner is Planner.ALL_LAYERS_FULL
    return sequence_bytes(model, context, dtype, tp, every_layer_full=whole) / GIB


def _judge(model: Geometry, where: Slice, context: int, room: Layout, need: float) -> tuple[Verdict, str, tuple[str, ...]]:
    """(verdict, its reason, what else speaks against it)."""
    refusal = _refusal(model, where, context, room, need)
    if refusal:
        return Verdict.NO, refusal, ()
    doubts = _doubts(model, where, room, need)
    if doubts:
        return Verdict.TIGHT, doubts[0], doubts[1:]
    return Verdict.YES, f"{room.kv_low_gib:.2f} GiB of cache per chip hold one request of {need:.2f} GiB and more", ()


def _impossible(model: Geometry, where: Slice) -> str | None:
    """Why the pair cannot run whatever the context is, or None."""
    issue = _ISSUES.get((model.name, where.generation))
    if issue and issue[0] is Verdict.NO:
        return issue[1]
    if slices.hosts(where) > 1:
        return f"{where.name} is {slices.hosts(where)} machines; one container serves one machine"
    return None


def _refusal(model: Geometry, where: Slice, context: int, room: Layout, need: float) -> str | None:
    """Why it cannot run at all, or None."""
    impossible = _impossible(model, where)
    if impossible:
        return impossible
    if context > model.context:
        return f"{model.name} has a window of {model.context:,} tokens, not {context:,}"
    if room.kv_high_gib <= 0:
        budget = room.usable_gib.value * room.utilization
        return f"the weights need {room.weights_low_gib:.1f} GiB on each chip, {budget:.1f} GiB are there"
    if room.kv_high_gib < need:
        return f"one request of {context:,} tokens needs {need:.2f} GiB on each chip, {room.kv_high_gib:.2f} GiB are left"
    return None


def _doubts(model: Geometry, where: Slice, room: Layout, need: float) -> tuple[str, ...]:
    """What makes it tight, most important first."""
    found: list[str] = []
    if room.kv_low_gib < need:
        found.append(
            f"one request needs {need:.2f} GiB on each chip; {room.kv_low_gib:.2f} to {room.kv_high_gib:.2f} GiB are left"
        )
    elif room.kv_low_gib < need * TIGHT_SHARE:
        found.append(f"one request takes {need:.2f} of {room.kv_low_gib:.2f} GiB on each chip: one at a time")
    if room.programs_short:
        found.append(
            f"only {room.programs_gib:.2f} GiB stay for compiled programs; "
            f"{room.reserve_gib[0]:.1f} to {room.reserve_gib[1]:.1f} GiB were needed before"
        )
    issue = _ISSUES.get((model.name, where.generation))
    if issue:
        found.append(issue[1])
    return tuple(found)


def _cache_notes(dtype: str) -> tuple[str, ...]:
    if dtype != "fp8":
        return ()
    return (
        "the quality of answers with an fp8 cache is not tested",
        "where a chip holds a single KV head the TPU kernel may store fp8 padded and save less",
    )


def _users(model: Geometry, where: Slice, context: int, dtype: str, kv_gib: float, planner: Planner) -> dict[int, int | None]:
    """Requests at once for each length (and for `context`), in blocks as the planner counts them."""
    lengths = sorted({*LENGTHS, context})
    if kv_gib <= 0:
        return {length: 0 if length <= context else None for length in lengths}
    whole = planner is Planner.ALL_LAYERS_FULL
    planned = plan(
        model,
        kv_gib=kv_gib,
        context=context,
        batched_tokens=BATCHED_TOKENS,
        tp=where.chips,
        kv_dtype=dtype,
        planner=planner,
        block_size=FP8_BLOCK if whole and dtype == "fp8" else None,
    )
    return {length: planned.users(length) if length <= context else None for length in lengths}


def _longest(model: Geometry, kv_gib: float, dtype: str, tp: int, planner: Planner) -> int | None:
    """The longest single request in tokens by bytes alone, down to a whole 1,024, at most the model's window."""
    if kv_gib <= 0:
        return None
    rates = kv_bytes(model, dtype, tp)
    room = int(kv_gib * GIB)
    tokens = room // rates.every_layer_per_token
    if planner is Planner.HYBRID and room > rates.constant + rates.growing_per_token * (model.sliding.window or 0):
        tokens = (room - rates.constant) // rates.growing_per_token
    return min(model.context, tokens - tokens % 1_024)


def flags(model: Geometry, where: Slice, context: int, cache: str, utilization: float) -> tuple[str, ...]:
    """Arguments of `vllm serve`, ready as an argv list (vLLM recipes for Gemma 4 on TPU, 2026; tpu-inference#2333 for fp8)."""
    parts = [
        model.repository,
        "--tensor-parallel-size",
        str(where.chips),
        "--max-model-len",
        str(context),
        "--max-num-batched-tokens",
        str(BATCHED_TOKENS),
        "--gpu-memory-utilization",
        f"{utilization:.2f}",
        "--disable_chunked_mm_input",
        "--enable-auto-tool-choice",
        "--tool-call-parser",
        "gemma4",
        "--reasoning-parser",
        "gemma4",
    ]
    if cache == "fp8":
        parts += ["--kv-cache-dtype", "fp8", "--block-size", str(FP8_BLOCK)]
    return tuple(parts)
