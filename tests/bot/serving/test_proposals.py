"""What would do instead."""

import pytest

from bot.serving.proposals import for_users, lower_utilization

K = 1_024


def test_five_users_at_64k_need_eight_v6e_and_an_fp8_cache() -> None:
    found = for_users("31B", 5, 64 * K, generation="v6e")
    assert [(fit.piece.name, fit.cache, fit.users[64 * K]) for fit in found] == [("v6e-8", "fp8", 5)]


def test_fewest_chips_come_first_and_bf16_before_fp8() -> None:
    found = for_users("31B", 2, 64 * K, generation="v6e")
    assert [(fit.piece.name, fit.cache) for fit in found] == [("v6e-4", "fp8"), ("v6e-8", "bf16"), ("v6e-8", "fp8")]
    assert for_users("E2B", 1, 8 * K, generation="v6e")[0].piece.name == "v6e-1"


def test_nothing_is_proposed_that_does_not_serve_them() -> None:
    assert for_users("31B", 500, 64 * K, generation="v6e") == ()


def test_a_start_that_was_37_mib_short_fits_at_0_92_and_not_at_0_90() -> None:
    fix = lower_utilization("31B", "v6e-4", 64 * K, "bf16", 0.95, 384.11 - 346.77)
    assert fix is not None
    assert fix.utilization == 0.92
    assert fix.frees_gib == pytest.approx(0.94, abs=0.005)
    assert (round(fix.request_gib, 2), round(fix.cache_gib, 2)) == (13.75, 14.18)
    assert fix.too_low == 0.90


def test_no_share_is_offered_that_would_not_hold_a_request() -> None:
    assert lower_utilization("31B", "v6e-4", 64 * K, "bf16", 0.92, 2_048) is None


def test_below_the_default_the_next_share_that_frees_enough_is_offered() -> None:
    fix = lower_utilization("31B", "v6e-4", 32 * K, "bf16", 0.92, 400)
    assert fix is not None
    assert fix.utilization == 0.90
    assert fix.frees_gib * 1_024 >= 400
