"""RQ as the executor: one function, JSON, no callbacks. A kick says "look at this work"; losing or repeating one does no harm."""

import re

from redis import Redis
from rq import Queue

STEP = "jobs.tasks.step"
"""The one function name that Redis ever holds."""

WORK_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")

FORGOTTEN_AFTER_S = 600
"""How long a failed kick stays visible in RQ."""

STEP_TIMEOUT_S = 120
"""RQ's own bound on one step; every step has shorter bounds inside."""


class Kicker:
    """Enqueues kicks. Synchronous, as RQ is: call it from a thread."""

    def __init__(self, redis: Redis) -> None:
        """`redis` is a synchronous connection with short time-outs."""
        self._redis = redis
        self._queues: dict[str, Queue] = {}

    def kick(self, work_id: str, queue: str) -> None:
        """Ask a worker of `queue` to look at this work. Raises redis errors; the clock repeats what got lost."""
        known = self._queues.get(queue)
        if known is None:
            known = self._queues[queue] = Queue(queue, connection=self._redis, serializer="json")
        known.enqueue(STEP, work_id, result_ttl=0, failure_ttl=FORGOTTEN_AFTER_S, job_timeout=STEP_TIMEOUT_S)
