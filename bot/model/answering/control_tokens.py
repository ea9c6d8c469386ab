"""Gemma's control tokens: kept out of what is sent, and taken out of what comes back.

A control token that stands in a log line or a message is read by the server's tokenizer as the real one: `<turn|>` in a log
would end the turn, `<|"|>` would end the value of a tool result. So they are broken up on the way out.
"""

import re
from typing import Final

CONTROL_TOKENS: Final = (
    '<|"|>', "<|audio>", "<|audio|>", "<|channel>", "<|image>", "<|image|>", "<|think|>", "<|tool>", "<|tool_call>",
    "<|tool_response>", "<|turn>", "<|video|>", "<audio|>", "<bos>", "<channel|>", "<eos>", "<image|>", "<mask>", "<pad>",
    "<tool_call|>", "<tool_response|>", "<tool|>", "<turn|>", "<unk>",
)  # fmt: skip
"""The 24 added tokens of the Gemma 4 tokenizer, all special [read from its tokenizer.json]."""

CALL_OPENS: Final = "<|tool_call>"
CALL_CLOSES: Final = "<tool_call|>"
THOUGHT_OPENS: Final = "<|channel>"
THOUGHT_CLOSES: Final = "<channel|>"
QUOTE: Final = '<|"|>'

_ANY = re.compile("|".join(map(re.escape, CONTROL_TOKENS)))
_THOUGHT = re.compile(r"<\|channel>(?:thought\n?)?(.*?)(?:<channel\|>|\Z)", re.DOTALL)
_LONGEST = max(map(len, CONTROL_TOKENS))


def broken_up(text: str) -> str:
    """The text with each control token broken by a blank behind its `<`, so that no tokenizer takes it for one.

    A text without any is itself. `<|turn>` becomes `< |turn>`, which a reader still knows.
    """
    return _ANY.sub(lambda found: f"< {found[0][1:]}", text)


def without_control_tokens(text: str) -> str:
    """The text without them; the quote token, which stands for a quotation mark, becomes one."""
    return _ANY.sub(lambda found: '"' if found[0] == QUOTE else "", text)


def has_control_token(text: str) -> bool:
    """Whether any stands in it."""
    return _ANY.search(text) is not None


def thought_apart(text: str) -> tuple[str, str]:
    """(what is left, what stood in thought channels): a channel that leaked into the text is no part of the answer.

    A channel that is never closed runs to the end.
    """
    if THOUGHT_OPENS not in text:
        return text, ""
    thoughts = [thought.strip() for thought in _THOUGHT.findall(text)]
    return _THOUGHT.sub("", text), "\n".join(filter(None, thoughts))


def may_continue(text: str) -> int:
    """How many characters at the end of the text could be the beginning of a control token; 0 when none could."""
    tail = text[-(_LONGEST - 1) :]
    start = tail.rfind("<")
    if start < 0 or not any(token.startswith(tail[start:]) for token in CONTROL_TOKENS):
        return 0
    return len(tail) - start
