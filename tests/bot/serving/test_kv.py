"""Bytes of the cache by geometry alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.gemma import FAMILY, GIB, Geometry, find
from bot.serving.kv import kv_bytes, sequence_bytes

MIB = 2**20


@pytest.mark.parametrize(
    ("name", "growing", "constant", "every_layer"),
    [
        ("E2B", 6_144, 6 * MIB, 18_432),
        ("E4B", 16_384, 20 * MIB, 57_344),
        ("12B", 16_384, 320 * MIB, 344_064),
        ("26B-A4B", 20_480, 200 * MIB, 225_280),
        ("31B", 81_920, 800 * MIB, 901_120),
    ],
)
def test_rates_are_those_of_the_published_configurations(name: str, growing: int, constant: int, every_layer: int) -> None:
    rates = kv_bytes(find(name))
    assert (rates.growing_per_token, rates.constant, rates.every_layer_per_token) == (growing, constant, every_layer)


@pytest.mark.parametrize(
    ("name", "hybrid", "full"),
    [("E2B", 0.19, 0.56), ("E4B", 0.52, 1.75), ("12B", 0.81, 10.5), ("26B-A4B", 0.82, 6.9), ("31B", 3.28, 27.5)],
)
def test_a_sequence_of_32k_takes_what_was_worked_out_by_hand(name: str, hybrid: float, full: float) -> None:
    assert sequence_bytes(find(name), 32_768) / GIB == pytest.approx(hybrid, abs=0.01)
    assert sequence_bytes(find(name), 32_768, every_layer_full=True) / GIB == pytest.approx(full, abs=0.05)


@given(st.sampled_from(FAMILY), st.integers(0, 262_144), st.integers(0, 262_144), st.sampled_from([1, 2, 4, 8]), st.booleans())
def test_bytes_grow_with_length_and_halve_with_fp8(model: Geometry, one: int, other: int, tp: int, full: bool) -> None:
    short, long = sorted((one, other))
    assert (
        0
        <= sequence_bytes(model, short, "bf16", tp, every_layer_full=full)
        <= sequence_bytes(model, long, "bf16", tp, every_layer_full=full)
    )
    assert sequence_bytes(model, long, "fp8", tp) * 2 == sequence_bytes(model, long, "bf16", tp)
    assert sequence_bytes(model, long, "bf16", tp) <= sequence_bytes(model, long, "bf16", tp, every_layer_full=True)
    assert sequence_bytes(model, long, "bf16", tp) <= sequence_bytes(model, long, "bf16", 1)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="number format"):
        kv_bytes(find("31B"), "q4_k_m")
