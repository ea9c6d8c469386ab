"""Words that people will be able to say, and cannot yet. The one list of them; it may only shrink."""

from bot.errors import UsageError

PLANNED = frozenset({"bench", "mute", "report"})
"""First words of operations that are not built."""


def not_yet(word: str) -> UsageError:
    """What somebody is told who says one of them."""
    return UsageError(f"“{word}” is not built yet.", near=("help all",), next_step="Nothing was done. What there is today:")
