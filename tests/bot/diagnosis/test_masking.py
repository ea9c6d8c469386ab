"""Prompts and answers in the engine's log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.masking import hide_conversations

PRIVATE = "my dear diary, it's 3 a.m."
LINES = [
    f"INFO 11-02 03:04:05 [logger.py:40] Received request cmpl-1: prompt: {PRIVATE!r}, "
    f"params: SamplingParams(n=1), prompt_token_ids: [2, 105, 9], x: None",
    f"INFO [logger.py:40] Generated response chatcmpl-7: output: {PRIVATE!r}, output_token_ids: [1, 2], finish_reason: stop",
    f"INFO [logger.py:40] Generated response chatcmpl-7 (streaming complete): output: {PRIVATE!r}",
    f'body {{"messages": [{{"role": "user", "content": "{PRIVATE}"}}], "model": "gemma"}}',
    f'{{"choices": [{{"text": "{PRIVATE}", "index": 0}}], "role": ""}}',
    f"ChatCompletionRequest(messages=[{{'content': {PRIVATE!r}, 'role': 'user'}}], model='gemma')",
    f"1 validation error: input_value={PRIVATE!r}, input_type=str",
    f"Received request cmpl-1: prompt: {PRIVATE!r}, params: x', params: SamplingParams()".replace(
        PRIVATE, "ok', params: " + PRIVATE
    ),
    "Received request cmpl-1: prompt: 'cut off " + PRIVATE,
]
OTHERS = [
    "INFO 11-02 03:04:05 [loggers.py:1] Avg prompt throughput: 12.0 tokens/s, Running: 1 reqs",
    '(APIServer pid=1) INFO:     10.0.0.7:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "Detected the chat template content format to be 'openai'.",
    "Received request cmpl-1: prompt: '', params: SamplingParams(n=1)",
    "output: 3 files",
]


@pytest.mark.parametrize("line", LINES)
def test_what_users_wrote_is_hidden_and_the_rest_of_the_line_stays(line: str) -> None:
    hidden = hide_conversations(line)
    assert "diary" not in hidden
    assert "[hidden: " in hidden
    assert hidden[:10] == line[:10]


def test_token_ids_are_hidden_for_they_can_be_read_back() -> None:
    hidden = hide_conversations(LINES[0])
    assert "105" not in hidden
    assert "SamplingParams(n=1)" in hidden


@pytest.mark.parametrize("line", OTHERS)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert hide_conversations(line).replace("[hidden: 2 characters]", "''") == line


@given(st.text(alphabet="prompt: content'\"\\,[]{}=xy params", max_size=80))
def test_hiding_twice_changes_nothing(line: str) -> None:
    once = hide_conversations(line)
    assert hide_conversations(once) == once


def test_a_hostile_megabyte_is_no_burden() -> None:
    for piece in ("prompt: '", "content: '\\", '"content":"', ", params", "prompt: [", "\\'"):
        hide_conversations(piece * (1_000_000 // len(piece)))
