"""Notices that a model says the same over and over, so that an answer ends before its token limit does it.

Models held to a JSON schema pad with blanks without end (vllm#42110, #40080; reproduced with random weights).
"""

from typing import Final

BLANKS: Final = 200
"""White space in a row that no answer of ours has."""
UNIT: Final = 64
"""Characters of the longest unit that is looked for."""
TIMES: Final = 16
"""How often it stands in a row before it is called endless."""
ENOUGH: Final = 240
"""Characters that the repetition must fill: short rows such as `--------` are lines of a table."""


def whole_part(text: str) -> int | None:
    """Where the text that is worth keeping ends, if its end is endless repetition; None when it is not.

    Of a repeated unit one is kept, of blanks none.
    """
    spoken = len(text.rstrip())
    if len(text) - spoken >= BLANKS:
        return spoken
    for size in range(1, UNIT + 1):
        times = max(TIMES, -(-ENOUGH // size))
        unit = text[-size:]
        if len(text) >= size * times and text.endswith(unit * times):
            return _first_of(text, unit)
    return None


def _first_of(text: str, unit: str) -> int:
    """Where the first of the repeated units at the end is over."""
    end = len(text)
    while end >= 2 * len(unit) and text[end - 2 * len(unit) : end - len(unit)] == unit:
        end -= len(unit)
    return end


def cut_repetition(text: str) -> tuple[str, bool]:
    """The text without endless repetition at its end, and whether there was any."""
    end = whole_part(text)
    return (text, False) if end is None else (text[:end], True)
