"""How much memory a failed start was short of, from the compiler's or the runtime's own words."""

import re

from bot.nouns import Noun

_UNIT_MIB = {"B": 1 / 2**20, "K": 1 / 1024, "M": 1.0, "G": 1024.0}
_SIZE = r"(\d{1,9}(?:\.\d{1,6})?)([BKMG])"
_RESERVE = re.compile(
    r"reserve " + _SIZE + r"\s+at\s+the\s+bottom\s+of\s+memory.{0,80}?There\s+are\s+" + _SIZE + r" free", re.DOTALL | re.ASCII
)
_USED = re.compile(r"Used " + _SIZE + r" of " + _SIZE + r" hbm", re.ASCII)
_PROGRAM = re.compile(r"\b(jit_\w{1,120})", re.ASCII)


class Shortage(Noun):
    """MiB per chip. `program` is the compiled program's name when the message holds one; `missing_mib` = wanted - free."""

    wanted_mib: float
    free_mib: float
    program: str | None

    @property
    def missing_mib(self) -> float:
        """What was short, at least 0."""
        return max(0.0, self.wanted_mib - self.free_mib)


def shortage(text: str) -> Shortage | None:
    """Read "Attempting to reserve 384.11M at the bottom of memory ... There are 346.77M free" (program load, TPU runtime) or
    "Used 17.1G of 15.75G hbm" (XLA compile). None when `text` says neither. Sources: OpenXLA error page 0101 and its
    compile-time twin, and public reports quoting both.
    """
    match = _RESERVE.search(text) or _USED.search(text)
    if match is None:
        return None
    program = _PROGRAM.search(text)
    return Shortage(
        wanted_mib=float(match[1]) * _UNIT_MIB[match[2]],
        free_mib=float(match[3]) * _UNIT_MIB[match[4]],
        program=program[1] if program else None,
    )
