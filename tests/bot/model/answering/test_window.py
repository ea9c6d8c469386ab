"""How a window is shared."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import PersonMovesNext
from bot.model.answering.window import FORMAT_SLACK, LEAST_ANSWER, SMALLEST, room
from bot.ports import PromptTooLongError


@pytest.mark.parametrize(
    ("window", "prompt", "answer", "results", "one_result"),
    [
        (4_096, 2_000, 512, 1_568, 392),
        (4_096, 3_500, 512, 68, 68),
        (16_384, 3_000, 2_048, 11_320, 2_830),
        (32_768, 3_000, 2_048, 27_704, 6_926),
        (131_072, 8_000, 2_048, 121_008, 30_252),
    ],
)
def test_known_windows(window: int, prompt: int, answer: int, results: int, one_result: int) -> None:
    left = room(window, prompt)
    assert (left.answer, left.results, left.one_result) == (answer, results, one_result)


@settings(deadline=None)
@given(st.integers(SMALLEST, 262_144), st.data())
def test_prompt_answer_and_results_never_exceed_the_window(window: int, data: st.DataObject) -> None:
    prompt = data.draw(st.integers(0, window - LEAST_ANSWER - FORMAT_SLACK))
    left = room(window, prompt)
    assert prompt + left.answer + left.results + FORMAT_SLACK == window
    assert left.answer >= LEAST_ANSWER
    assert 0 <= left.one_result <= left.results


def test_a_prompt_that_leaves_no_room_is_too_long_and_names_both_numbers() -> None:
    with pytest.raises(PromptTooLongError, match="takes 3,900 of the 4,096 tokens") as raised:
        room(4_096, 3_900)
    assert raised.value.window == 4_096


def test_a_window_that_is_too_small_says_how_to_start_the_engine() -> None:
    with pytest.raises(PersonMovesNext) as raised:
        room(2_048, 100)
    assert "--max-model-len 4096" in raised.value.telling.next_step
