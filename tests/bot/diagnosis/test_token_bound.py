"""The bound on Gemma tokens. The true counts were taken once with the Gemma 4 tokenizer (262,144 entries)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.token_bound import token_bound


@given(st.text(), st.text())
def test_a_longer_text_has_no_smaller_bound(one: str, other: str) -> None:
    assert token_bound(one + other) >= token_bound(one)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1234567890", 10),
        ("the engine did not start because the compiled program did not fit", 12),
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 59),
        ("ERROR ×1 line 17,179 at 2026-08-10T17:53:38Z: kernel: mesh failed with errno 9", 42),
        ("(EngineCore pid=187) ERROR 08-07 20:43:46 [core.py:1349] EngineCore failed to start.", 41),
        ("qzjxk vwpqz kxjqw zzqxv", 12),
        ("漢字仮名交", 4),
        ("{'a': [1, 2, {'b': None}]}", 14),
        ("ZQXJKVWP QWXZJ", 9),
    ],
)
def test_the_bound_is_no_lower_than_the_true_count(text: str, tokens: int) -> None:
    assert tokens <= token_bound(text) <= 4 * tokens
