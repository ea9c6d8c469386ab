"""Rate limits: a token bucket per method and workspace, and one per channel for posting."""

import math
from dataclasses import dataclass

from sandbox.slack.clock import Clock
from sandbox.slack.method import facts
from sandbox.slack.refusal import RateLimited

SPECIAL_PER_MINUTE = {"chat.postMessage": 300, "auth.test": 600, "assistant.threads.setStatus": 600, "chat.getPermalink": 600}
"""Slack only says "special" or "several hundred per minute" here; the figures are assumptions."""
CHANNEL_BURST = 4
"""Posts that one channel takes at once before 1 per second applies. Slack says "short bursts"; the figure is an assumption."""


@dataclass(slots=True)
class Bucket:
    """Holds at most `size` permits and gains `per_second`."""

    size: float
    per_second: float
    level: float
    at: float

    def take(self, now: float) -> None:
        """Takes one permit. RateLimited with the whole seconds until there is one."""
        self.level = min(self.size, self.level + (now - self.at) * self.per_second)
        self.at = now
        if self.level < 1:
            raise RateLimited(max(1, math.ceil((1 - self.level) / self.per_second)))
        self.level -= 1


class Rates:
    """All buckets of a workspace. `enforced` False lets everything pass, for tests of other things."""

    def __init__(self, clock: Clock, enforced: bool = True) -> None:
        self._clock = clock
        self.enforced = enforced
        self._buckets: dict[str, Bucket] = {}

    def take(self, method: str) -> None:
        """One call of a method, by its tier."""
        per_minute = facts()[method].per_minute or SPECIAL_PER_MINUTE[method]
        self._take(method, per_minute, per_minute / 60)

    def take_post(self, channel: str) -> None:
        """One new message in a channel: about one per second with a small burst."""
        self._take(f"post:{channel}", CHANNEL_BURST, 1.0)

    def _take(self, key: str, size: float, per_second: float) -> None:
        if not self.enforced:
            return
        now = self._clock.now()
        self._buckets.setdefault(key, Bucket(size, per_second, size, now)).take(now)
