"""Control tokens on the way out and on the way in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.control_tokens import (
    CONTROL_TOKENS,
    broken_up,
    has_control_token,
    may_continue,
    thought_apart,
    without_control_tokens,
)

MIXED = st.lists(st.one_of(st.sampled_from(CONTROL_TOKENS), st.text("<|>turnq\" a'", max_size=6))).map("".join)


@settings(deadline=None)
@given(MIXED)
def test_no_text_reaches_the_server_with_a_control_token_in_it(text: str) -> None:
    assert not has_control_token(broken_up(text))


@settings(deadline=None)
@given(MIXED)
def test_no_control_token_is_left_in_what_people_read(text: str) -> None:
    assert not has_control_token(without_control_tokens(text))


def test_a_broken_token_can_still_be_read_and_other_text_is_untouched() -> None:
    assert broken_up("a log with <turn|> in it") == "a log with < turn|> in it"
    assert broken_up("if a < b | c > d: <html>") == "if a < b | c > d: <html>"


def test_quote_tokens_that_leaked_become_quotation_marks() -> None:
    assert without_control_tokens('it says <|"|>OOM<|"|>.<turn|>') == 'it says "OOM".'


@pytest.mark.parametrize(
    ("content", "said", "thought"),
    [
        ("<|channel>thought\nI need pods.<channel|>All good.", "All good.", "I need pods."),
        ("<|channel>thought\nI need pods and", "", "I need pods and"),
        ("One.<|channel>thought\na<channel|> Two.<|channel>b<channel|>", "One. Two.", "a\nb"),
        ("No thought at all.", "No thought at all.", ""),
    ],
)
def test_a_thought_channel_is_no_part_of_the_answer(content: str, said: str, thought: str) -> None:
    assert thought_apart(content) == (said, thought)


@pytest.mark.parametrize(
    ("text", "held"), [("ok <", 1), ("ok <|tool_c", 8), ('x <|"', 3), ("a < b", 0), ("done.", 0), ("<html", 0), ("", 0)]
)
def test_only_what_could_become_a_token_is_held_back(text: str, held: int) -> None:
    assert may_continue(text) == held


@settings(deadline=None)
@given(st.text("ab <", max_size=10), st.sampled_from(CONTROL_TOKENS), st.data())
def test_every_beginning_of_a_token_is_held_back(before: str, token: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(token) - 1))
    assert may_continue(before + token[:size]) >= size
