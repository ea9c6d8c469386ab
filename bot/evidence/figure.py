"""What is said about one figure of an answer."""

from bot.nouns.base import Noun


class Figure(Noun):
    """One figure of an answer: its text, where it stands (start, end), and by what it is supported, if it is.

    `by` is a path into the results ("r1.status.running") or the calculation in words; None when nothing supports it.
    """

    text: str
    span: tuple[int, int]
    supported: bool
    by: str | None = None
