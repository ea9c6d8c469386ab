"""One RQ worker, for one queue: only then RQ keeps a job safe between taking and starting it."""

import os
import signal
from types import FrameType

from redis import Redis
from rq import Queue, Worker

from jobs.process import die_with_parent
from jobs.step_job import StepJob

WORKER_TTL_S = 25
"""RQ waits this long less 15 s for a job before it looks up again."""

MAINTENANCE_S = 30
MONITOR_S = 2


class StepWorker(Worker):
    """Runs each job in a forked horse that dies with this worker, and passes SIGTERM on to it: steps end at their boundary."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the job that runs, and ask that one to end now."""
        if self.horse_pid:
            os.kill(self.horse_pid, signal.SIGTERM)
        super().request_stop(signum, frame)

    def setup_work_horse_signals(self) -> None:
        """In the horse: nobody works on when the worker was killed, or two would do the same work."""
        die_with_parent()
        super().setup_work_horse_signals()


def work(queue: str, redis: Redis) -> None:
    """Run jobs of one queue until SIGTERM."""
    only = Queue(queue, connection=redis, serializer="json", job_class=StepJob)
    worker = StepWorker(
        [only],
        connection=redis,
        serializer="json",
        job_class=StepJob,
        worker_ttl=WORKER_TTL_S,
        maintenance_interval=MAINTENANCE_S,
        job_monitoring_interval=MONITOR_S,
        log_job_description=False,
    )
    worker.log_result_lifespan = False
    worker.work(logging_level="WARNING")
