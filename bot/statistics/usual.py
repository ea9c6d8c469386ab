"""What is usual: the middle of many quiet and busy windows, so that a bad night does not become the norm."""

from collections.abc import Sequence
from statistics import median

from bot.nouns import Delta, Usual
from bot.statistics.windows import quantile

WINDOWS_NEEDED = 6
"""An hour of use at least, in ten-minute windows: less says nothing about what is usual."""

REQUESTS_NEEDED = 3
"""A window with fewer requests has no middle worth counting."""


def usual_first_token(windows: Sequence[Delta]) -> Usual | None:
    """The median over the windows of their median time to first token, in seconds; None when too few windows saw requests.

    A median of medians: each window counts once however many requests it saw, so an incident with many requests does not
    raise the bar that it is held against.
    """
    middles = []
    for window in windows:
        found = quantile(window, "ttft", 0.5)
        if found is not None and found.value is not None and found.n >= REQUESTS_NEEDED:
            middles.append(found.value)
    if len(middles) < WINDOWS_NEEDED:
        return None
    return Usual(first_token_s=median(middles), windows=len(middles), since=windows[0].since)
