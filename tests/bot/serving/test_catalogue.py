"""What fits where, told before money is spent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.catalogue import LENGTHS, Verdict, fits
from bot.serving.gemma import FAMILY, Geometry
from bot.serving.planner import Planner
from bot.serving.slices import SINGLE_HOST

K = 1_024


def test_64k_with_31b_on_four_v6e_is_tight_and_serves_one() -> None:
    fit = fits("31B", "v6e-4", 64 * K)
    assert fit.verdict is Verdict.TIGHT
    assert fit.users == {8 * K: 8, 16 * K: 4, 32 * K: 2, 64 * K: 1}
    assert "13.75 of 14.18 GiB" in fit.why
    assert fits("31B", "v6e-4", 64 * K, "fp8").users[64 * K] == 2


@pytest.mark.parametrize(
    ("model", "piece", "context", "verdict", "words"),
    [
        ("31B", "v6e-1", 8 * K, Verdict.NO, "the weights need 58.2 GiB on each chip, 28.7 GiB"),
        ("12B", "v6e-1", 64 * K, Verdict.NO, "21.00 GiB"),
        ("12B", "v6e-1", 8 * K, Verdict.YES, "6.54 GiB"),
        ("26B-A4B", "v5litepod-8", 8 * K, Verdict.NO, "does not run on v5e"),
        ("26B-A4B", "v6e-8", 8 * K, Verdict.TIGHT, "nightly tests"),
        ("E4B", "v5litepod-1", 8 * K, Verdict.TIGHT, "are left"),
        ("E2B", "v6e-1", 32 * K, Verdict.YES, "19.77 GiB"),
        ("E2B", "v6e-1", 256 * K, Verdict.NO, "window of 131,072"),
        ("31B", "v6e-16", 8 * K, Verdict.NO, "4 machines"),
        ("31B", "tpu7x-4", 64 * K, Verdict.YES, "cache"),
    ],
)
def test_verdicts_give_their_reason(model: str, piece: str, context: int, verdict: Verdict, words: str) -> None:
    fit = fits(model, piece, context)
    assert (fit.verdict, words in fit.why) == (verdict, True), fit.why


def test_what_can_never_run_serves_nobody() -> None:
    assert set(fits("26B-A4B", "v5litepod-8", 64 * K).users.values()) == {0}


def test_lengths_above_the_context_are_not_told() -> None:
    assert fits("E2B", "v6e-1", 16 * K).users == {8 * K: 140, 16 * K: 70, 32 * K: None, 64 * K: None}


def test_programs_without_room_make_it_tight() -> None:
    fit = fits("31B", "v6e-4", 32 * K, utilization=0.97)
    assert fit.verdict is Verdict.TIGHT
    assert "compiled programs" in fit.why


def test_an_fp8_cache_says_that_its_quality_is_not_tested() -> None:
    fit = fits("31B", "v6e-8", 64 * K, "fp8")
    assert any("not tested" in note for note in fit.notes)
    assert "--kv-cache-dtype" in fit.flags


def test_flags_are_an_argument_list_of_exactly_these_values() -> None:
    flags = fits("31B", "v6e-4", 32 * K).flags
    assert flags[0] == "google/gemma-4-31B-it"
    assert flags[flags.index("--tensor-parallel-size") + 1] == "4"
    assert flags[flags.index("--max-model-len") + 1] == "32768"
    assert flags[flags.index("--gpu-memory-utilization") + 1] == "0.92"
    assert "--kv-cache-dtype" not in flags


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UsageError):
        fits("gemma-3", "v6e-4", 8 * K)
    with pytest.raises(UsageError):
        fits("31B", "v6e-4", 8 * K, "q4")


@given(
    st.sampled_from(FAMILY),
    st.sampled_from(SINGLE_HOST),
    st.integers(1, 131_072),
    st.sampled_from(["bf16", "fp8"]),
    st.floats(0.5, 0.99),
    st.sampled_from(list(Planner)),
)
def test_verdict_and_users_never_contradict(
    model: Geometry, piece: str, context: int, cache: str, share: float, rule: Planner
) -> None:
    fit = fits(model, piece, context, cache, share, rule)
    told = [fit.users[length] for length in sorted(fit.users) if fit.users[length] is not None]
    assert told == sorted(told, key=lambda users: -(users or 0))
    assert all((users or 0) >= 0 for users in told)
    if fit.verdict is Verdict.NO and context <= model.context:
        assert not fit.users[context]
    assert set(LENGTHS) <= set(fit.users)
