"""The planners against vLLM's own figures, and the rules they must keep."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.gemma import FAMILY, Geometry, KvLayers, find
from bot.serving.planner import Planner, group_size, hybrid_groups, plan, planner_of, tpu_block_size

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures/planner/kv_capacity_by_vllm_0.32.jsonl").read_text().splitlines()
]
MODELS = st.sampled_from([model.name for model in FAMILY])
PLANNERS = st.sampled_from(list(Planner))
LENGTHS = st.integers(1, 131_072)
CHIPS = st.sampled_from([1, 2, 4, 8])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']}-{row['max_model_len']}-{row['mbt']}-{row['dtype']}")
def test_hybrid_planner_gives_every_figure_that_vllm_gives(row: dict[str, object]) -> None:
    got = plan(
        str(row["model"]),
        kv_gib=float(str(row["kv_gib"])),
        context=int(str(row["max_model_len"])),
        batched_tokens=int(str(row["mbt"])),
        tp=int(str(row["tp"])),
        kv_dtype=str(row["dtype"]),
    )
    assert (got.num_blocks, got.tokens, round(got.max_concurrency, 2)) == (row["num_blocks"], row["tokens"], row["max_conc"])
    assert (got.in_flight, len(got.groups)) == (row["inflight"], row["ngroups"])


def test_steady_decode_holds_twelve_sequences_where_vllm_guarantees_four() -> None:
    got = plan("31B", kv_gib=40, context=32_768, batched_tokens=8_192)
    assert got.decode_blocks_per_request == 1_349
    assert int(got.expected_in_decode) == 12
    assert round(got.max_concurrency, 2) == 4.19
    assert got.users(32_768) == 4
    assert got.users(32_768, decoding=True) == 12


def test_a_small_hybrid_model_with_blocks_of_128_gives_what_the_cpu_server_printed() -> None:
    tiny = find("31B").model_copy(
        update={
            "name": "tiny",
            "sliding": KvLayers(count=5, kv_heads=2, head_dim=64, window=128),
            "full": KvLayers(count=1, kv_heads=1, head_dim=128, window=None),
        }
    )
    got = plan(tiny, kv_gib=1, context=2_048, batched_tokens=2_048, block_size=128)
    assert (got.num_blocks, got.tokens, round(got.max_concurrency, 2)) == (16_384, 332_222, 162.22)
    assert got.block_size == 128


def test_tpu_planner_gives_the_log_of_e2b_within_one_block() -> None:
    got = plan("E2B", kv_gib=19.77, context=32_768, batched_tokens=4_096, planner="all-layers-full")
    assert abs(got.num_blocks - 17_996) <= 1
    assert abs(got.tokens - 1_151_744) <= 64
    assert round(got.max_concurrency, 2) == 35.15
    assert got.block_size == 64


@pytest.mark.parametrize(("dtype", "block", "tokens", "requests"), [("bf16", None, 67_328, 1.03), ("fp8", 256, 134_656, 2.05)])
def test_tpu_planner_explains_526_blocks_of_31b_on_four_chips(
    dtype: str, block: int | None, tokens: int, requests: float
) -> None:
    bytes_of_526 = 526 * 128 * 225_280
    got = plan(
        "31B",
        kv_gib=bytes_of_526 / 2**30,
        context=65_536,
        tp=4,
        kv_dtype=dtype,
        block_size=block,
        planner=Planner.ALL_LAYERS_FULL,
    )
    assert (got.num_blocks, got.tokens, round(got.max_concurrency, 2)) == (526, tokens, requests)
    near = plan("31B", kv_gib=14.2, context=65_536, tp=4, kv_dtype=dtype, block_size=block, planner=Planner.ALL_LAYERS_FULL)
    assert near.num_blocks == pytest.approx(526, rel=0.005)


@pytest.mark.parametrize(("context", "block"), [(2_048, 16), (16_384, 32), (32_768, 64), (65_536, 128), (131_072, 256)])
def test_tpu_blocks_grow_with_the_context(context: int, block: int) -> None:
    assert tpu_block_size(context) == block


def test_groups_take_the_rarest_kind_as_their_size_unless_the_counts_are_close() -> None:
    assert group_size([50, 10]) == 10
    assert group_size([13, 12]) == 13
    assert group_size([18, 12]) == 12
    assert group_size([17, 12]) == 17


def test_an_uneven_model_pads_its_last_group() -> None:
    sliding = KvLayers(count=52, kv_heads=2, head_dim=64, window=128)
    full = KvLayers(count=10, kv_heads=2, head_dim=64, window=None)
    groups, block_bytes = hybrid_groups((sliding, full), 2, 1, 16)
    assert [group.layers for group in groups] == [9, 9, 9, 9, 8, 8, 10]
    assert block_bytes == 10 * 16 * sliding.bytes_per_token(2)


def test_pages_become_equal_by_larger_blocks_of_the_smaller_kind() -> None:
    groups, block_bytes = hybrid_groups((find("31B").sliding, find("31B").full), 2, 1, 16)
    assert {(group.window, group.block_size) for group in groups} == {(1_024, 16), (None, 32)}
    assert block_bytes == 10 * 262_144
    split, _ = hybrid_groups((find("E2B").sliding, find("E2B").full), 2, 1, 16)
    assert {(group.window, group.block_size) for group in split} == {(512, 32), (None, 16)}


def test_eight_chips_make_the_pages_of_31b_equal_by_themselves() -> None:
    groups, block_bytes = hybrid_groups((find("31B").sliding, find("31B").full), 2, 8, 16)
    assert {group.block_size for group in groups} == {16}
    assert block_bytes == 10 * 16 * 2_048


def test_an_engine_that_cannot_hold_one_request_does_not_start() -> None:
    assert not plan("31B", kv_gib=1, context=262_144, batched_tokens=8_192).starts
    assert plan("31B", kv_gib=40, context=262_144, batched_tokens=8_192).starts


def test_asynchronous_scheduling_doubles_what_is_in_flight() -> None:
    twice = plan("31B", kv_gib=40, context=32_768, batched_tokens=8_192, concurrent_batches=2)
    assert twice.in_flight == 16_384
    assert twice.tokens == 82_991


@pytest.mark.parametrize(
    ("gib", "context", "batched", "tp", "dtype"),
    [
        (0, 8_192, 8_192, 1, "bf16"),
        (40, 0, 8_192, 1, "bf16"),
        (40, 8_192, 0, 1, "bf16"),
        (40, 8_192, 8_192, 3, "bf16"),
        (40, 8, 8, 1, "q4"),
    ],
)
def test_impossible_values_are_refused_in_words(gib: float, context: int, batched: int, tp: int, dtype: str) -> None:
    with pytest.raises(UsageError):
        plan("31B", kv_gib=gib, context=context, batched_tokens=batched, tp=tp, kv_dtype=dtype)


@given(MODELS, PLANNERS, LENGTHS, LENGTHS, CHIPS)
def test_a_longer_request_never_takes_fewer_blocks(model: str, rule: Planner, one: int, other: int, tp: int) -> None:
    got = plan(model, kv_gib=20, context=131_072, tp=tp, planner=rule)
    short, long = sorted((one, other))
    assert got.users(short) >= got.users(long)
    assert got.users(short, decoding=True) >= got.users(short)


@given(MODELS, PLANNERS, LENGTHS, CHIPS, st.floats(0.5, 180))
def test_half_the_bytes_give_twice_the_blocks(model: str, rule: Planner, context: int, tp: int, gib: float) -> None:
    wide = plan(model, kv_gib=gib, context=context, tp=tp, planner=rule)
    narrow = plan(model, kv_gib=gib, context=context, tp=tp, kv_dtype="fp8", planner=rule)
    assert narrow.bytes_per_block * 2 == wide.bytes_per_block
    assert 0 <= narrow.num_blocks - 2 * wide.num_blocks <= 1


@given(MODELS, PLANNERS, LENGTHS, st.floats(0.5, 180))
def test_more_chips_never_hold_less_and_nothing_is_ever_negative(model: str, rule: Planner, context: int, gib: float) -> None:
    before = -1
    for tp in (1, 2, 4, 8):
        got = plan(model, kv_gib=gib, context=context, tp=tp, planner=rule)
        assert got.num_blocks >= 0
        assert got.tokens >= 0
        held = got.num_blocks // got.blocks_per_request
        assert held >= before
        before = held


@given(st.sampled_from(FAMILY), CHIPS)
def test_every_group_has_the_same_bytes_per_block(model: Geometry, tp: int) -> None:
    groups, _ = hybrid_groups((model.sliding, model.full), 2, tp, 16)
    pages = set()
    for group in groups:
        kind = model.full if group.window is None else model.sliding
        pages.add(group.block_size * kind.bytes_per_token(2, tp))
    assert len(pages) == 1
    assert sum(group.layers for group in groups) == model.layers - model.shared_layers


@pytest.mark.parametrize(
    ("on_tpu", "version", "groups", "rule"),
    [
        (True, "0.26.1", None, Planner.ALL_LAYERS_FULL),
        (True, "0.30.0", 6, Planner.HYBRID),
        (False, "0.32.0", None, Planner.HYBRID),
        (False, "v0.20.2", None, Planner.ALL_LAYERS_FULL),
        (False, "0.32.0", 1, Planner.ALL_LAYERS_FULL),
        (False, None, None, None),
        (None, "0.32.0", None, None),
    ],
)
def test_the_rule_follows_the_log_then_the_build(
    on_tpu: bool | None, version: str | None, groups: int | None, rule: Planner
) -> None:
    assert planner_of(on_tpu=on_tpu, version=version, kv_groups=groups) is rule
