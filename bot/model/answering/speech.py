"""The words of a model without what is no word: control tokens, thoughts, endless repetition."""

from dataclasses import dataclass

from bot.model.answering.control_tokens import (
    CALL_OPENS,
    THOUGHT_CLOSES,
    THOUGHT_OPENS,
    has_control_token,
    may_continue,
    thought_apart,
    without_control_tokens,
)
from bot.model.answering.repetition import cut_repetition

_COULD_BE_A_CALL = ("{", "[", "`", "call:")


@dataclass(frozen=True)
class Speech:
    """What of a text is said to people, what was thought, and what had to be taken away."""

    text: str
    thought: str
    leaked: bool
    repeated: bool


def speech_in(content: str) -> Speech:
    """Read the whole content of an answer."""
    said, thought = thought_apart(content)
    plain = without_control_tokens(said)
    text, repeated = cut_repetition(plain)
    return Speech(text.strip(), thought, bool(thought) or has_control_token(said), repeated)


class Pieces:
    """Gives out the text of a growing answer as soon as it is sure to stay.

    What could still turn out to be a control token, a thought, a call or white space at the end is held back. When tools were
    offered, a message that begins like a call in JSON is held back as a whole.
    """

    def __init__(self, *, tools_offered: bool) -> None:
        """Nothing was said yet."""
        self._tools_offered = tools_offered
        self._given = ""

    def next(self, content: str) -> str:
        """What can be given out now that the content has grown to this; empty when nothing can."""
        return self._give(without_control_tokens(thought_apart(self._sure(content))[0]).strip())

    def rest(self, text: str) -> str:
        """What is left of the final text."""
        return self._give(text)

    def _give(self, text: str) -> str:
        """The part behind what was given; nothing if the text turned out to be another one."""
        if not text.startswith(self._given):
            return ""
        piece, self._given = text[len(self._given) :], text
        return piece

    def _sure(self, content: str) -> str:
        """The part of the content that later pieces cannot change the meaning of."""
        if self._tools_offered and content.lstrip().startswith(_COULD_BE_A_CALL):
            return ""
        sure = content[: len(content) - may_continue(content)]
        call = sure.find(CALL_OPENS)
        if call >= 0:
            sure = sure[:call]
        thought = sure.rfind(THOUGHT_OPENS)
        return sure[:thought] if thought >= 0 and THOUGHT_CLOSES not in sure[thought:] else sure
