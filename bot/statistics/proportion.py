"""How sure a share of successes is."""

import math

Z95 = 1.959964
"""Standard deviations on each side that hold 95 % of a normal distribution."""


def wilson(successes: int, n: int, z: float = Z95) -> tuple[float, float] | None:
    """The Wilson interval of a share (0..1), 95 % by default; None without any trial.

    It holds its level for few trials and shares near 0 or 1, where the usual formula does not (E. B. Wilson, JASA 22, 1927).
    Raises ValueError when there are more successes than trials or fewer than none.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return None
    share, weight = successes / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)
