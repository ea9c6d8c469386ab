"""How one chip's memory is shared out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.gemma import find
from bot.serving.layout import layout
from bot.serving.slices import parse
from bot.serving.weights import weights


def test_e2b_on_one_v6e_leaves_what_its_log_said() -> None:
    room = layout(find("E2B"), parse("v6e-1"))
    assert room.weights_low_gib == room.weights_high_gib == 8.97
    assert room.kv_low_gib == pytest.approx(19.77, abs=0.01)
    assert room.programs_gib == pytest.approx(2.5, abs=0.01)


def test_31b_on_four_v6e_leaves_what_was_published() -> None:
    room = layout(find("31B"), parse("v6e-4"))
    assert room.weights_low_gib == pytest.approx(14.56, abs=0.01)
    assert room.kv_low_gib == pytest.approx(14.18, abs=0.01)
    assert not room.programs_short
    assert layout(find("31B"), parse("v6e-4"), 0.95).programs_short


def test_unverified_encoders_make_a_range_and_say_so() -> None:
    size = weights(find("E4B"))
    assert size.high_gib - size.low_gib == pytest.approx(1.03)
    assert not size.measured
    assert "not verified" in size.source
    assert weights(find("12B")).high_gib == weights(find("12B")).low_gib


def test_fp8_weights_halve_at_best() -> None:
    size = weights(find("26B-A4B"), "fp8")
    assert size.low_gib == pytest.approx(23.5)
    assert size.high_gib > size.low_gib


@pytest.mark.parametrize("share", [0, -0.1, 1.01, 92])
def test_a_share_outside_0_to_1_is_refused(share: float) -> None:
    with pytest.raises(UsageError):
        layout(find("31B"), parse("v6e-4"), share)


@given(st.floats(0.05, 1.0), st.sampled_from(["v6e-1", "v6e-4", "v6e-8", "v5litepod-1", "v5litepod-8", "v5p-8", "tpu7x-4"]))
def test_the_parts_of_a_chip_add_up(share: float, name: str) -> None:
    room = layout(find("26B-A4B"), parse(name), share)
    assert room.kv_low_gib <= room.kv_high_gib
    assert room.kv_high_gib + room.weights_low_gib + room.programs_gib == pytest.approx(room.usable_gib.value)
