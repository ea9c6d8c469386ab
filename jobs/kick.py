"""RQ as the executor: one function, JSON, no callbacks. A kick says "look at this work"; losing or repeating one does no harm."""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from redis import Redis
from rq import Queue
from rq.job import Job

STEP = "jobs.tasks.step"
"""The one function name that Redis ever holds."""

WORK_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")

FORGOTTEN_AFTER_S = 600
"""How long a failed kick stays visible in RQ."""

STEP_TIMEOUT_S = 120
"""RQ's own bound on one step; every step has shorter bounds inside."""


class ForgedJobError(Exception):
    """Something in Redis asks for another function than ours. It is refused and left for people to look at."""


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise ForgedJobError("this job asks for something that we never enqueue")


class StepJob(Job):
    """A job that can only ever run `jobs.tasks.step` with one work id, whatever Redis says.

    RQ resolves a dotted name from Redis and calls it, for the job and for its callbacks: whoever can write to Redis could
    otherwise run anything. Names are never resolved here; callbacks and web hooks do not exist.
    """

    @property
    def func(self) -> Callable[..., Any]:
        """Our step, or a function that refuses."""
        try:
            name, instance, args, kwargs = json.loads(self.data)
        except (ValueError, TypeError):
            return _refuse
        ours = name == STEP and instance is None and not kwargs and len(args) == 1
        if not (ours and isinstance(args[0], str) and WORK_ID.fullmatch(args[0])):
            return _refuse
        from jobs.tasks import step

        return step

    @property
    def success_callback(self) -> None:
        """There is none."""

    @property
    def failure_callback(self) -> None:
        """There is none."""

    @property
    def stopped_callback(self) -> None:
        """There is none."""

    def restore(self, raw_data: Any) -> Any:
        """Read the job from Redis without its web hooks, retries and repeats, which are never ours."""
        result = super().restore(raw_data)
        self.webhooks = []
        self.retries_left = None
        self.repeats_left = None
        self._dependency_ids = []
        return result


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
            known = self._queues[queue] = Queue(queue, connection=self._redis, serializer="json", job_class=StepJob)
        known.enqueue(STEP, work_id, result_ttl=0, failure_ttl=FORGOTTEN_AFTER_S, job_timeout=STEP_TIMEOUT_S)
