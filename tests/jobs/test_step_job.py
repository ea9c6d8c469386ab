"""Whatever stands in Redis, a worker runs our one step or nothing."""

import json
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis import Redis
from rq import Callback, Queue
from rq.job import Job

from jobs.kick import STEP, Kicker
from jobs.step_job import ForgedJobError, StepJob
from jobs.tasks import step

NOWHERE = Redis()
"""Never asked."""


def job(data: str | bytes) -> StepJob:
    """A job as it is read from Redis, without one."""
    made = StepJob(id="forged", connection=NOWHERE, serializer="json")
    made.data = data if isinstance(data, bytes) else data.encode()
    return made


def calling(function: object, *args: object, instance: object = None, **named: object) -> StepJob:
    return job(json.dumps([function, instance, args, named]))


def test_our_step_with_one_work_id_is_run() -> None:
    assert calling(STEP, "r-1").func is step


@pytest.mark.parametrize(
    "forged",
    [
        calling("os.system", "touch /tmp/owned"),
        calling("jobs.tasks._step", "r-1"),
        calling("builtins.eval", "1"),
        calling(STEP, "r-1", instance="os"),
        calling(STEP, "r-1", "r-2"),
        calling(STEP),
        calling(STEP, "r-1", more=1),
        calling(STEP, 7),
        calling(STEP, "r-1; rm"),
        calling(STEP, "r" * 81),
        calling(STEP, "r-1\n"),
        calling([STEP], "r-1"),
        job('["jobs.tasks.step", null, {"0": "r-1"}, {}]'),
        job('["jobs.tasks.step", null, 5, {}]'),
        job("[]"),
        job("5"),
        job("null"),
        job(b"\x80\x04\x95cos\nsystem\n."),
    ],
)
def test_anything_else_is_refused(forged: StepJob) -> None:
    with pytest.raises(ForgedJobError):
        forged.func("r-1")


VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.just(STEP)
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=2), max_leaves=6
)


@given(JSON)
@settings(max_examples=60)
def test_no_json_whatever_resolves_a_name(data: Any) -> None:
    with pytest.raises(ForgedJobError):
        job(json.dumps(data)).func()


def test_there_are_no_callbacks_whatever_the_record_says() -> None:
    forged = calling(STEP, "r-1")
    forged._success_callback_name = forged._failure_callback_name = forged._stopped_callback_name = "os.system"
    assert (forged.success_callback, forged.failure_callback, forged.stopped_callback) == (None, None, None)


WORKER = """
import sys
from redis import Redis
from rq import Queue
import jobs.step_job as step_job
from jobs.worker import StepWorker

def step(work_id):
    open(sys.argv[2] + "/" + work_id, "w").close()

step_job.step = step
redis = Redis.from_url(sys.argv[1])
queue = Queue("reads", connection=redis, serializer="json", job_class=step_job.StepJob)
worker = StepWorker([queue], connection=redis, serializer="json", job_class=step_job.StepJob)
worker.work(burst=True, logging_level="CRITICAL")
"""


@pytest.fixture
def connection(valkey: str) -> Iterator[Redis]:
    redis = Redis.from_url(valkey)
    redis.flushdb()
    yield redis
    redis.close()


def worked(valkey: str, folder: Path) -> None:
    """A real worker in a process of its own, until the queue is empty; its step leaves a file named like the work."""
    code = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", WORKER, valkey, str(folder)])
    assert code == 0


def forged(redis: Redis, name: str, **fields: str | bytes) -> None:
    """A job record written by hand and put into the queue, as whoever can write to Redis could."""
    common: dict[str, str | bytes] = {"created_at": "2026-11-30T03:00:00.000000Z", "status": "queued", "origin": "reads"}
    for field, value in (common | fields).items():
        redis.hset(f"rq:job:{name}", field, value)
    redis.lpush("rq:queue:reads", name)


@pytest.mark.wire
def test_forged_jobs_and_callbacks_run_nothing_and_the_next_kick_is_done(connection: Redis, valkey: str, tmp_path: Path) -> None:
    owned = tmp_path / "owned"
    command = json.dumps(["os.system", None, [f"touch {owned}"], {}]).encode()
    forged(connection, "plain", data=command)
    forged(connection, "packed", data=zlib.compress(command))
    ours = json.dumps([STEP, None, ["r-0"], {}]).encode()
    forged(connection, "callback", data=zlib.compress(ours), success_callback_name="os.system", failure_callback_name="os.system")
    by_rq = Queue("reads", connection=connection, serializer="json")
    by_rq.enqueue("os.system", f"touch {owned}", on_success=Callback("os.system"), on_failure=Callback("os.system"))
    Kicker(connection).kick("r-1", "reads")
    worked(valkey, tmp_path)
    assert not owned.exists()
    assert {one.name for one in tmp_path.iterdir()} == {"r-0", "r-1"}
    assert connection.llen("rq:queue:reads") == 0
    assert "forged" not in str(connection.hget("rq:job:plain", "result"))


@pytest.mark.wire
def test_a_kick_holds_a_name_and_a_work_id_and_is_forgotten_when_done(connection: Redis) -> None:
    Kicker(connection).kick("r-1", "reads")
    (job_id,) = Queue("reads", connection=connection).job_ids
    stored = Job.fetch(job_id, connection=connection, serializer="json")
    assert json.loads(stored.data) == [STEP, None, ["r-1"], {}]
    assert (stored.result_ttl, stored.failure_ttl, stored.timeout) == (0, 600, 120)
    assert stored.retries_left is None
