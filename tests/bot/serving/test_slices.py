"""Slice names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.slices import SINGLE_HOST, hosts, parse


@pytest.mark.parametrize(
    ("said", "name", "generation", "chips"),
    [
        ("v6e-4", "v6e-4", "v6e", 4),
        ("V6E-8", "v6e-8", "v6e", 8),
        ("v5e-4", "v5litepod-4", "v5e", 4),
        ("v5litepod-8", "v5litepod-8", "v5e", 8),
        ("v5p-8", "v5p-8", "v5p", 4),
        ("v5p-16", "v5p-16", "v5p", 8),
        ("tpu7x-4", "tpu7x-4", "v7x", 4),
        ("v7x-4", "tpu7x-4", "v7x", 4),
        ("ct6e-standard-4t", "v6e-4", "v6e", 4),
        ("tpu7x-standard-4t", "tpu7x-4", "v7x", 4),
        ("ct5p-hightpu-4t", "v5p-8", "v5p", 4),
    ],
)
def test_slices_are_understood_as_people_and_google_write_them(said: str, name: str, generation: str, chips: int) -> None:
    piece = parse(said)
    assert (piece.name, piece.generation, piece.chips) == (name, generation, chips)


def test_v5p_names_count_cores_and_the_smallest_is_eight() -> None:
    with pytest.raises(UsageError, match="count cores"):
        parse("v5p-4")


@pytest.mark.parametrize("said", ["v6e-3", "v6e", "v6e-٤", "h100-8", "v6e-4; rm -rf", "", "v5e-2048"])
def test_slices_that_nobody_sells_are_refused_with_those_that_exist(said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(said)
    assert "v6e-4" in caught.value.near


@pytest.mark.parametrize("name", SINGLE_HOST)
def test_listed_slices_are_one_machine_and_parse_to_themselves(name: str) -> None:
    assert parse(name).name == name
    assert hosts(parse(name)) == 1


def test_sixteen_chips_of_v6e_are_four_machines() -> None:
    assert hosts(parse("v6e-16")) == 4


@given(st.text(max_size=30))
def test_any_text_is_a_slice_that_reads_back_or_a_usage_error(text: str) -> None:
    try:
        name = parse(text).name
    except UsageError:
        return
    assert parse(name).name == name
