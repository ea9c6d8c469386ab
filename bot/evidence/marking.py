"""The answer as it may be shown: what is not supported is marked or taken out."""

from collections.abc import Callable, Sequence

from bot.evidence.figure import Figure


def mark(answer: str, figures: Sequence[Figure], *, sign: str = " (not checked)") -> str:
    """The answer with `sign` behind each figure that nothing supports."""
    return _rewritten(answer, figures, lambda text: text + sign)


def remove(answer: str, figures: Sequence[Figure], *, instead: str = "[?]") -> str:
    """The answer with `instead` in the place of each figure that nothing supports."""
    return _rewritten(answer, figures, lambda _: instead)


def _rewritten(answer: str, figures: Sequence[Figure], write: Callable[[str], str]) -> str:
    """Overlapping or foreign spans are left alone: text may be marked too little, never garbled."""
    parts: list[str] = []
    place = 0
    for figure in sorted(figures, key=lambda f: f.span):
        start, end = figure.span
        if figure.supported or start < place or answer[start:end] != figure.text:
            continue
        parts += [answer[place:start], write(figure.text)]
        place = end
    return "".join((*parts, answer[place:]))
