"""What labels and logs say of a cache."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.serving.cache_facts import CacheFacts, from_labels, from_startup, users_at
from bot.serving.gemma import FAMILY, Geometry, find
from bot.serving.planner import plan
from bot.serving.startup import read

K = 1_024
TINY = {
    "num_gpu_blocks": "16384",
    "block_size": "128",
    "cache_dtype": "auto",
    "kv_cache_size_tokens": "332222",
    "kv_cache_max_concurrency": "162.21782178217822",
}


def test_the_labels_own_tokens_win_over_blocks_times_size() -> None:
    got = from_labels(TINY, 2_048, one_group=None)
    assert got is not None
    assert (got.tokens, got.uniform, got.context) == (332_222, False, 2_048)


def test_without_the_served_context_it_follows_from_the_labels() -> None:
    got = from_labels(TINY, None, one_group=None)
    assert got is not None
    assert got.context == 2_048


def test_blocks_times_size_counts_only_where_there_is_one_group() -> None:
    old = {"num_gpu_blocks": "526", "block_size": "128"}
    assert from_labels(old, 64 * K, one_group=None) is None
    got = from_labels(old, 64 * K, one_group=True)
    assert got is not None
    assert (got.tokens, round(got.max_concurrency or 0, 2)) == (67_328, 1.03)


@pytest.mark.parametrize(
    "labels", [{}, {"num_gpu_blocks": "None", "block_size": "16"}, {"num_gpu_blocks": "x"}, {"block_size": "0"}]
)
def test_labels_that_say_nothing_give_nothing(labels: dict[str, str]) -> None:
    assert from_labels(labels, None, one_group=True) is None


def test_users_of_a_uniform_cache_are_counted_in_whole_blocks() -> None:
    cache = CacheFacts(tokens=67_328, max_concurrency=1.03, context=64 * K, blocks=526, block_size=128, uniform=True)
    assert [users_at(cache, length * K, None, 4)[0] for length in (8, 16, 32, 64)] == [8, 4, 2, 1]
    refused, note = users_at(cache, 128 * K, None, 4)
    assert (refused, "refused" in note) == (0, True)


def test_a_hybrid_cache_of_an_unknown_model_gives_a_lower_bound() -> None:
    got = from_labels(TINY, 2_048, one_group=None)
    assert got is not None
    assert users_at(got, 2_048, None, 1) == (162, "")
    users, note = users_at(got, 1_024, None, 1)
    assert (users, "at least" in note) == (162, True)


@given(
    st.sampled_from(FAMILY),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([8 * K, 32 * K, 64 * K, 128 * K]),
    st.integers(1, 128 * K),
    st.integers(512, 16_384),
)
def test_users_of_a_hybrid_cache_are_those_of_the_planner(
    model: Geometry, tp: int, context: int, length: int, batched: int
) -> None:
    planned = plan(model, kv_gib=40, context=context, batched_tokens=batched, tp=tp)
    cache = CacheFacts(
        tokens=planned.tokens,
        max_concurrency=planned.max_concurrency,
        context=context,
        blocks=planned.num_blocks,
        block_size=16,
        uniform=False,
    )
    got, _ = users_at(cache, min(length, context), model, tp)
    expected = int(planned.max_concurrency) if length >= context else planned.users(length)
    assert got == expected


def test_a_log_that_told_no_cache_gives_nothing() -> None:
    assert from_startup(read(["Loading model with x"])) is None


def test_a_log_with_one_group_gives_tokens_from_its_blocks() -> None:
    got = from_startup(
        read(
            [
                "Hybrid KV cache layout: num_kv_cache_groups=1, kv_cache_config.num_blocks=526",
                "Increase the page size from 16 to 128 to avoid SMEM OOM",
            ]
        )
    )
    assert got is not None
    assert (got.tokens, got.uniform, got.max_concurrency) == (67_328, True, None)
    assert users_at(got, 64 * K, find("31B"), 4) == (1, "")


@given(st.dictionaries(st.sampled_from([*TINY, "x"]), st.text(max_size=20)), st.one_of(st.none(), st.integers(1, 10**6)))
def test_any_labels_give_facts_or_nothing(labels: dict[str, str], context: int | None) -> None:
    got = from_labels(labels, context, one_group=True)
    if got is not None:
        users, _ = users_at(got, 8 * K, find("31B"), 1)
        assert users is None or users >= 0
