"""How a window is shared between the prompt, what is looked up, and the answer. All numbers are tokens."""

from dataclasses import dataclass
from typing import Final

from bot.errors import PersonMovesNext
from bot.ports import PromptTooLongError

SMALLEST: Final = 4_096
"""The smallest window in which a question, a few tools, a result and an answer fit (design: 4,096 included)."""
ANSWER_SHARE: Final = 8
"""One part in so many is kept for an answer."""
ANSWER_BOUNDS: Final = (512, 2_048)
"""An answer to a person fits in 512 and gains nothing beyond 2,048: eight lines and what is behind Details."""
LEAST_ANSWER: Final = 256
"""Room below which an answer would be cut before it says anything."""
FORMAT_SLACK: Final = 16
"""What the template may add that was not counted: a thought channel, the head of the next turn."""
RESULT_PARTS: Final = 4
"""A single result takes at most one part in so many of what is left, so that several calls can be answered."""


@dataclass(frozen=True)
class Room:
    """What is left in a window beside a prompt of a known size.

    `answer` is what an answer may take (max_tokens), `results` what may still be looked up, in all and `one_result` at a time.
    """

    window: int
    prompt: int
    answer: int
    results: int
    one_result: int


def room(window: int, prompt: int) -> Room:
    """Share what is left. `prompt` is the exact size of messages and tools (`Model.size`).

    Raises PersonMovesNext for a window below 4,096, PromptTooLongError when too little is left for any answer.
    """
    if window < SMALLEST:
        raise PersonMovesNext(
            f"Gemma's window is {window:,} tokens, too small to look anything up and answer",
            next_step=f"Start the engine with --max-model-len {SMALLEST} or more.",
        )
    left = window - prompt - FORMAT_SLACK
    if left < LEAST_ANSWER:
        raise PromptTooLongError(
            f"The conversation takes {prompt:,} of the {window:,} tokens of Gemma's window and leaves no room for an answer",
            window=window,
        )
    low, high = ANSWER_BOUNDS
    answer = min(left, max(low, min(high, window // ANSWER_SHARE)))
    results = left - answer
    return Room(window, prompt, answer, results, results // RESULT_PARTS if results >= RESULT_PARTS * LEAST_ANSWER else results)
