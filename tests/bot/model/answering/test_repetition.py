"""Endless repetition, and what only looks like it."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.repetition import BLANKS, ENOUGH, cut_repetition

RECORDED = Path(__file__).parents[3] / "fixtures" / "vllm"


def content(name: str) -> str:
    """The content of a recorded answer."""
    said: str = json.loads((RECORDED / name).read_text())["choices"][0]["message"]["content"]
    return said


def test_the_recorded_blanks_of_a_json_schema_answer_are_cut() -> None:
    assert cut_repetition(content("tiny_gemma4/json_schema.json")) == ("{", True)


def test_the_recorded_nonsense_is_cut_to_one_of_its_words() -> None:
    cut, repeated = cut_repetition(content("tiny_gemma4/tools_named.json"))
    assert repeated
    assert len(cut) < 150
    assert cut.endswith("cauchy")


@pytest.mark.parametrize(
    "text",
    [
        "The capital of France is Paris.",
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 12,
        "=" * 80,
        "ha" * 20,
        "A paragraph.\n\n\n\nAnother one." + " " * 50,
        "0.5 " * 40,
        "",
    ],
)
def test_tables_rules_and_short_rows_stay(text: str) -> None:
    assert cut_repetition(text) == (text, False)


@settings(deadline=None)
@given(st.text("abc .", max_size=40), st.text("xyz ", min_size=1, max_size=40).filter(str.strip))
def test_a_unit_without_end_is_cut_to_one_and_what_stood_before_is_kept(before: str, unit: str) -> None:
    cut, repeated = cut_repetition(before + unit * ENOUGH)
    assert repeated
    assert cut.startswith(before)
    assert len(cut) <= len(before) + 2 * len(unit)


@settings(deadline=None)
@given(st.text(max_size=30), st.integers(BLANKS, 3 * BLANKS))
def test_blanks_without_end_are_cut(before: str, many: int) -> None:
    cut, repeated = cut_repetition(before + "x" + "\n " * many)
    assert repeated
    assert cut == before + "x"
