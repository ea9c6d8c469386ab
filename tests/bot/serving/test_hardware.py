"""The chip table."""

import pytest

from bot.errors import UsageError
from bot.nouns import Quantity
from bot.serving.hardware import CHIPS, MEMORY, READ_AT, chip


def test_every_figure_has_a_unit_a_date_and_a_source() -> None:
    for row in CHIPS:
        for figure in (row.bf16_tflops, row.hbm, row.usable_hbm_gib, row.bandwidth, row.interconnect, row.low_precision_tops):
            if figure is not None:
                assert isinstance(figure, Quantity)
                assert figure.value > 0
                assert figure.unit
                assert figure.at == READ_AT
                assert figure.source


def test_what_nobody_confirmed_says_so() -> None:
    assert chip("v7x").bandwidth.source == MEMORY
    assert "nominal" in chip("v5p").usable_hbm_gib.source


@pytest.mark.parametrize(("said", "name"), [("v6e", "v6e"), ("Trillium", "v6e"), ("tpu7x", "v7x"), ("v5litepod", "v5e")])
def test_generations_are_found_by_their_names(said: str, name: str) -> None:
    assert chip(said).generation == name


def test_the_newest_generation_is_not_in_the_tpu_interface() -> None:
    assert [row.generation for row in CHIPS if not row.in_tpu_api] == ["v7x"]


def test_an_unknown_generation_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError) as caught:
        chip("v3")
    assert caught.value.near == ("v5e", "v5p", "v6e", "v7x")
