"""A way out of a start that failed for want of memory, with its arithmetic; None where there is none to offer."""

from bot.errors import UsageError
from bot.nouns import Noun
from bot.serving.proposals import UtilizationFix, lower_utilization
from bot.serving.shortage import Shortage, shortage
from bot.serving.specification import EngineSpecification


class StartFix(Noun):
    """What was short, and the lower share of memory under which it would not be; `fix` is None when no share would do."""

    short: Shortage
    current: float
    fix: UtilizationFix | None


def start_fix(wanted: EngineSpecification, said: str) -> StartFix | None:
    """Read from the engine's words how much was missing, and look for the share that leaves it. None when they do not say."""
    short = shortage(said)
    if short is None:
        return None
    try:
        fix = lower_utilization(
            wanted.geometry, wanted.piece, wanted.context, wanted.cache.value, wanted.utilization, short.missing_mib
        )
    except UsageError:
        fix = None
    return StartFix(short=short, current=wanted.utilization, fix=fix)
