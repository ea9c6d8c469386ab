"""Masking of single words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.tokens import SAME_DIGIT, MaskedWords, mask


@pytest.mark.parametrize(
    ("word", "masked"),
    [
        ("connected", "connected"),
        ("port=8000,", "port=<*>,"),
        ("user=root", "user=<*>"),
        ("ruser=", "ruser=<*>"),
        ('tag="View', 'tag="<*>'),
        ("10.0.0.7:5012", "<*>"),
        ("blk_-1608999687919862906", "<*>"),
        ("/var/lib/docker", "<*>"),
        ("https://huggingface.co/google", "<*>"),
        ("us-east.example.com", "<*>"),
        ("java.net.NoRouteToHostException:", "java.net.NoRouteToHostException:"),
        ("[core.py:1349]", "[core.py:<*>]"),
        ("a==b", "a==b"),
    ],
)
def test_values_are_masked_and_names_stay(word: str, masked: str) -> None:
    assert mask(word) == masked


@given(st.text(alphabet="ab1=/.-_:<*>\"' ", max_size=40))
def test_a_masked_word_holds_no_digit(word: str) -> None:
    assert not any(c.isdigit() for c in mask(word))


def test_a_very_long_word_is_data_and_costs_no_more_than_a_short_one() -> None:
    assert len(mask("a=" * 1_000_000)) < 1_000


def test_the_cache_of_words_stays_bounded_and_changes_no_result() -> None:
    words = MaskedWords()
    for i in range(120_000):
        words.words(f"key{chr(97 + i % 26)}{i:x}".translate(SAME_DIGIT))
    assert len(words) <= 50_000
    assert words.words("port=8000") == [mask("port=8000")]
