"""What a worker makes of a job that it finds in Redis: our one step, or nothing."""

import json
from collections.abc import Callable
from typing import Any, NoReturn

from rq.job import Job

from jobs.kick import STEP, WORK_ID
from jobs.tasks import step


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
        ours = name == STEP and instance is None and kwargs == {} and isinstance(args, list) and len(args) == 1
        if not (ours and isinstance(args[0], str) and WORK_ID.fullmatch(args[0])):
            return _refuse
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
