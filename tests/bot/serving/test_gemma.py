"""Geometry and the names people use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.gemma import FAMILY, find


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("31B", "31B"),
        ("google/gemma-4-31B-it", "31B"),
        ("gemma4 e2b", "E2B"),
        ("Gemma 4 E4B", "E4B"),
        ("gemma-4-26b", "26B-A4B"),
        ("google/gemma-4-26B-A4B-it", "26B-A4B"),
        ("12b", "12B"),
        ("gemma-4-12B-unified-it", "12B"),
        ("someone/gemma-4-31B-it-FP8-dynamic", "31B"),
        (" gemma31b ", "31B"),
    ],
)
def test_models_are_found_by_what_people_say(said: str, name: str) -> None:
    assert find(said).name == name


@pytest.mark.parametrize(
    "said", ["", "gemma-3-27b", "gemma-3-12b", "27B", "31", "llama-4", "google/gemma-4-31B-it-assistant", "E2B; rm"]
)
def test_other_names_are_refused_with_the_five_that_exist(said: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(said)
    assert "31B" in caught.value.near


@given(st.text())
def test_any_text_is_a_model_or_a_usage_error(text: str) -> None:
    try:
        found = find(text).name
    except UsageError as error:
        found = error.near[0]
    assert found in {model.name for model in FAMILY}


@pytest.mark.parametrize(
    ("name", "owners", "context"),
    [
        ("E2B", (12, 3), 131_072),
        ("E4B", (20, 4), 131_072),
        ("12B", (40, 8), 262_144),
        ("26B-A4B", (25, 5), 262_144),
        ("31B", (50, 10), 262_144),
    ],
)
def test_layers_that_own_a_cache_are_all_layers_less_those_that_share(name: str, owners: tuple[int, int], context: int) -> None:
    model = find(name)
    assert (model.sliding.count, model.full.count) == owners
    assert sum(owners) == model.layers - model.shared_layers
    assert model.context == context


def test_a_chip_never_stores_less_than_one_head() -> None:
    full = find("12B").full
    assert full.bytes_per_token(2, 1) == full.bytes_per_token(2, 8) == 2_048
    assert find("26B-A4B").full.bytes_per_token(2, 2) == find("26B-A4B").full.bytes_per_token(2, 4) == 2_048
    assert find("31B").sliding.bytes_per_token(2, 4) == 4_096
    with pytest.raises(UsageError):
        full.bytes_per_token(2, 0)
