"""One answer, from the best source there is."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.serving.memory import Basis, MemoryAnswer, answer
from bot.serving.planner import Planner
from bot.serving.slices import parse
from bot.serving.startup import Startup, read

K = 1_024
NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
THEN = datetime(2026, 11, 30, 14, 31, tzinfo=UTC)
PUBLISHED = [
    "(EngineCore pid=1) INFO 11-30 14:30:00 [core.py:121] Initializing a V1 LLM engine (v0.26.1) with config: "
    "model='google/gemma-4-31B-it', max_seq_len=65536, tensor_parallel_size=4, kv_cache_dtype=auto,",
    "(EngineCore pid=1) INFO 11-30 14:31:00 [kv_cache_utils.py:2235] GPU KV cache size: 67,328 tokens",
    "(EngineCore pid=1) INFO 11-30 14:31:00 [kv_cache_utils.py:2236] Maximum concurrency for 65,536 tokens per request: 1.03x",
    "(EngineCore pid=1) INFO 11-30 14:31:00 [kv_cache_manager.py:963] Hybrid KV cache layout: num_kv_cache_groups=1, "
    "num_kv_cache_tensors=60, kv_cache_config.num_blocks=526, duplicate_shared_layers=False",
    "(EngineCore pid=1) INFO 11-30 14:31:00 [kv_cache_manager.py:991] Init kv-cache | num_blocks=[526, 526] | "
    "regular_attn_shape=(num_blocks, (128, 4, 2, 256)) | regular_attn_dtype=bfloat16 | hbm=[(28.7, 31.24)]Gb",
]


def counts(got: MemoryAnswer) -> dict[int, float | None]:
    return {row.context // K: row.users.value if row.users else None for row in got.users}


def log(lines: list[str]) -> Startup:
    return read(lines)


def test_is_64k_safe_is_answered_from_the_start_up_log() -> None:
    got = answer(at=NOW, piece=parse("v6e-4"), startup=log(PUBLISHED), startup_at=THEN)
    assert (got.basis, got.estimate, got.model, got.kv_dtype) == (Basis.LOG, False, "31B", "bfloat16")
    assert got.tokens is not None
    assert (got.tokens.value, got.tokens.unit, got.tokens.at) == (67_328, "tokens", THEN)
    assert counts(got) == {8: 8, 16: 4, 32: 2, 64: 1}
    assert got.planner is Planner.ALL_LAYERS_FULL
    assert "all 60 layers" in got.notes[0]


def test_labels_come_before_the_log() -> None:
    labels = {
        "num_gpu_blocks": "526",
        "block_size": "128",
        "kv_cache_size_tokens": "67328",
        "kv_cache_max_concurrency": "1.02734375",
    }
    stale = log([PUBLISHED[0], PUBLISHED[1].replace("67,328", "99,999")])
    got = answer(at=NOW, labels=labels, served_context=64 * K, startup=stale, startup_at=THEN)
    assert got.basis is Basis.LABELS
    assert got.tokens is not None
    assert (got.tokens.value, got.tokens.at, got.tokens.source) == (67_328, NOW, "the engine's labels")
    assert counts(got) == {8: 8, 16: 4, 32: 2, 64: 1}


def test_a_tpu_build_without_the_new_labels_counts_its_blocks() -> None:
    labels = {"num_gpu_blocks": "526", "block_size": "128", "cache_dtype": "auto"}
    got = answer(at=NOW, labels=labels, served_context=64 * K, on_tpu=True)
    assert got.basis is Basis.LABELS
    assert counts(got)[64] == 1
    with pytest.raises(UsageError):
        answer(at=NOW, labels=labels, served_context=64 * K)


def test_a_gpu_log_is_counted_by_the_hybrid_rule() -> None:
    root = Path(__file__).parents[2] / "fixtures/startup/cpu_tiny_ready.log"
    got = answer(at=NOW, startup=read(root.read_text(encoding="utf-8").splitlines()), context=1 * K)
    assert (got.basis, got.model, got.context) == (Basis.LOG, None, 2_048)
    assert counts(got) == {1: 162, 8: 0, 16: 0, 32: 0, 64: 0}
    assert "worst case" in got.notes[0]


def test_without_an_engine_the_smaller_plan_is_an_estimate_and_says_so() -> None:
    got = answer(at=NOW, model="31B", piece=parse("v6e-4"), context=64 * K)
    assert (got.basis, got.estimate, got.planner) == (Basis.COMPUTED, True, Planner.ALL_LAYERS_FULL)
    assert got.tokens is None
    assert counts(got) == {8: 8, 16: 4, 32: 2, 64: 1}
    assert "estimate" in got.notes[0]
    eight = answer(at=NOW, model="31B", piece=parse("v6e-8"), context=64 * K, cache="fp8")
    assert counts(eight)[64] == 5
    assert eight.users_for(64 * K) is not None
    assert eight.users_for(7) is None


def test_lengths_above_a_computed_context_cannot_be_told() -> None:
    got = answer(at=NOW, model="E2B", piece=parse("v6e-1"), context=16 * K)
    assert counts(got) == {8: 140, 16: 70, 32: None, 64: None}
    assert "above the context" in got.users[-1].note


def test_nothing_known_asks_for_model_and_slice() -> None:
    with pytest.raises(UsageError, match="model and the slice"):
        answer(at=NOW, startup=log(["a log of something else"]))


def test_every_figure_carries_its_time_and_source() -> None:
    for got in (
        answer(at=NOW, piece=parse("v6e-4"), startup=log(PUBLISHED), startup_at=THEN),
        answer(at=NOW, model="12B", piece=parse("v6e-4")),
    ):
        figures = [row.users for row in got.users if row.users] + [one for one in (got.tokens, got.max_concurrency) if one]
        assert figures
        assert all(figure.source and figure.unit and figure.at.tzinfo for figure in figures)


def test_a_hybrid_engine_gives_the_guarantee_and_what_is_expected_beside_it() -> None:
    labels = {
        "num_gpu_blocks": "16384",
        "block_size": "16",
        "kv_cache_size_tokens": "137342",
        "kv_cache_max_concurrency": "4.191353",
    }
    got = answer(at=NOW, model="31B", labels=labels, served_context=32 * K, on_tpu=False)
    row = next(row for row in got.users if row.context == 32 * K)
    assert row.users is not None
    assert row.decoding is not None
    assert (row.users.value, row.decoding.value) == (4, 12)
    assert got.planner is Planner.HYBRID
