"""What a served Gemma 31B looks like at a quiet hour, a busy one, and when long prompts fill its cache."""

from bisect import bisect_left
from dataclasses import dataclass

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Quantiles:
    """A distribution by its quantile function: pairs (share 0..1, value), ascending in both, straight between them."""

    points: Points

    def at(self, share: float) -> float:
        """The value below which this share of observations lies."""
        i = bisect_left(self.points, (share, float("-inf")))
        if i == 0:
            return self.points[0][1]
        if i == len(self.points):
            return self.points[-1][1]
        (left, low), (right, high) = self.points[i - 1], self.points[i]
        return low + (high - low) * (share - left) / (right - left)


@dataclass(frozen=True)
class Scenario:
    """Background traffic. Rates per second; times in seconds; lengths in tokens.

    `resident_tokens` is what one running request holds in the KV cache on average. `hit_share` of prompt tokens are found in the
    prefix cache, `length_share` of answers end at their limit.
    """

    name: str
    running: int
    waiting: int
    requests_per_s: float
    resident_tokens: int
    ttft: Quantiles
    itl: Quantiles
    queue: Quantiles
    prompt: Quantiles
    answer: Quantiles
    hit_share: float = 0.3
    preemptions_per_s: float = 0.0
    length_share: float = 0.06


NO_WAIT = Quantiles(((0.0, 0.00001), (1.0, 0.002)))
USUAL_TTFT = Quantiles(((0.0, 0.14), (0.74, 0.25), (0.9, 0.41), (0.99, 0.5), (1.0, 0.9)))
"""p90 0.41 s: with vLLM's edges, 0.25 and 0.5 s, straight interpolation finds the same."""
LONG_TTFT = Quantiles(((0.0, 0.5), (0.5, 1.6), (0.884, 2.5), (0.9, 2.9), (0.984, 5.0), (1.0, 6.2)))
"""p90 2.9 s, also when interpolated in the bucket from 2.5 to 5 s."""
USUAL_PROMPT = Quantiles(((0.0, 120), (0.5, 900), (0.9, 2400), (1.0, 7600)))
LONG_PROMPT = Quantiles(((0.0, 900), (0.5, 4700), (0.9, 7800), (1.0, 15000)))
USUAL_ANSWER = Quantiles(((0.0, 12), (0.5, 180), (0.9, 420), (1.0, 1000)))

QUIET = Scenario(
    name="quiet",
    running=4,
    waiting=0,
    requests_per_s=0.48,
    resident_tokens=1300,
    ttft=USUAL_TTFT,
    itl=Quantiles(((0.0, 0.028), (0.9, 0.04), (1.0, 0.07))),
    queue=NO_WAIT,
    prompt=USUAL_PROMPT,
    answer=USUAL_ANSWER,
)
BUSY = Scenario(
    name="busy",
    running=14,
    waiting=0,
    requests_per_s=1.4,
    resident_tokens=2100,
    ttft=USUAL_TTFT,
    itl=Quantiles(((0.0, 0.034), (0.9, 0.048), (1.0, 0.1))),
    queue=NO_WAIT,
    prompt=USUAL_PROMPT,
    answer=USUAL_ANSWER,
)
SATURATED = Scenario(
    name="saturated",
    running=14,
    waiting=23,
    requests_per_s=0.9,
    resident_tokens=4660,
    ttft=LONG_TTFT,
    itl=Quantiles(((0.0, 0.04), (0.9, 0.075), (1.0, 0.6))),
    queue=Quantiles(((0.0, 0.2), (0.9, 2.2), (1.0, 5.4))),
    prompt=LONG_PROMPT,
    answer=USUAL_ANSWER,
    hit_share=0.04,
    preemptions_per_s=0.11,
)
IDLE = Scenario(
    name="idle",
    running=0,
    waiting=0,
    requests_per_s=0.0,
    resident_tokens=0,
    ttft=USUAL_TTFT,
    itl=QUIET.itl,
    queue=NO_WAIT,
    prompt=USUAL_PROMPT,
    answer=USUAL_ANSWER,
)

SCENARIOS = {scenario.name: scenario for scenario in (QUIET, BUSY, SATURATED, IDLE)}
"""By name. How the server answers at all (down, failing, hanging, restarted) is `VllmStandIn.scenario`'s matter."""
