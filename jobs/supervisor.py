"""`gemma worker`: imports everything once, forks a worker for each place in each queue, and starts anew what died."""

import importlib
import os
import signal
import time
from types import FrameType

import structlog
from redis.exceptions import RedisError

from bot.settings import Settings
from jobs import kicks, worker
from jobs.kick import Kicker
from jobs.process import die_with_parent, freeze_memory
from jobs.redis import for_rq

log = structlog.get_logger()

PRELOADED = (
    *("jobs.step_job", "google.cloud.tpu_v2alpha1", "bot.cloud.assembly", "slackblocks"),
    *("httpx", "httpcore", "h11", "anyio", "anyio._backends._asyncio"),
    *("matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.dates", "matplotlib.font_manager"),
)
"""Imported before the fork: a horse then starts in about 11 ms instead of 700 (measured with RQ 3.0)."""

KICKS = "kicks"
"""The place that is no queue."""

GRACE_S = 10.0
"""After SIGTERM, workers have this long before they are killed: steps release their lease at once."""

REDIS_PAUSE_S = 1.0
"""A worker that finds no Redis waits this long before its place is tried again."""

RESTART_PAUSE_S = 0.2
"""Between a death and the next try, so that a worker that cannot start does not spin."""


class Supervisor:
    """Keeps `places` workers alive: one entry a worker, each the name of its queue."""

    def __init__(self, settings: Settings, places: list[str]) -> None:
        """Nothing is forked before `run`."""
        self._settings = settings
        self._places = places
        self._children: dict[int, str] = {}
        self._stopping = False

    def run(self) -> None:
        """Until SIGTERM or SIGINT. No client, channel or pool exists before the fork: gRPC and sockets do not survive it."""
        for name in PRELOADED:
            importlib.import_module(name)
        freeze_memory()
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        for queue in self._places:
            self._fork(queue)
        while self._children:
            self._await_one()

    def _fork(self, queue: str) -> None:
        pid = os.fork()
        if pid == 0:
            self._be_worker(queue)
        self._children[pid] = queue

    def _be_worker(self, queue: str) -> None:
        """In the child; never returns."""
        die_with_parent()
        code = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._work(queue)
            code = 0
        except RedisError as error:
            log.warning("worker waits for Redis", queue=queue, why=type(error).__name__)
            time.sleep(REDIS_PAUSE_S)
        except Exception:
            log.exception("worker died", queue=queue)
        finally:
            os._exit(code)

    def _work(self, place: str) -> None:
        redis = for_rq(self._settings, blocking=True)
        if place == KICKS:
            kicks.forward(redis, Kicker(redis))
        else:
            worker.work(place, redis)

    def _await_one(self) -> None:
        try:
            pid, _ = os.wait()
        except (InterruptedError, ChildProcessError):
            return
        queue = self._children.pop(pid, None)
        if queue is not None and not self._stopping:
            log.info("worker is started anew", queue=queue)
            time.sleep(RESTART_PAUSE_S)
            self._fork(queue)

    def _stop(self, _signum: int, _frame: FrameType | None) -> None:
        if self._stopping:
            return
        self._stopping = True
        for pid in self._children:
            _signal(pid, signal.SIGTERM)
        signal.signal(signal.SIGALRM, self._kill)
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)

    def _kill(self, _signum: int, _frame: FrameType | None) -> None:
        for pid in self._children:
            _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def places(settings: Settings) -> list[str]:
    """One that turns kicks into jobs, and the queues, each as often as it has workers."""
    return [
        KICKS,
        *["reads"] * settings.workers_reads,
        *["answers"] * settings.workers_answers,
        *["steps"] * settings.workers_steps,
        *["benchmarks"] * settings.workers_benchmarks,
    ]
