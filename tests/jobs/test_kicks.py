"""Notes become jobs, in order, and what is no note of ours becomes nothing."""

import pytest
from redis import Redis
from rq import Queue

from bot.store import keys
from jobs.kick import Kicker
from jobs.kicks import forward_once

pytestmark = pytest.mark.wire


@pytest.fixture
def connection(valkey: str) -> Redis:
    redis = Redis.from_url(valkey)
    redis.flushdb()
    return redis


def queued(redis: Redis, queue: str) -> list[str]:
    """The work ids of the jobs in a queue, the oldest first."""
    return [job.args[0] for job in Queue(queue, connection=redis, serializer="json").jobs]


def test_all_notes_that_lie_there_become_jobs_of_their_queues(connection: Redis) -> None:
    for note in ("reads r-1", "answers r-2", "reads r-3"):
        connection.lpush(keys.KICKS, note)
    assert forward_once(connection, Kicker(connection), 1) == 3
    assert (queued(connection, "reads"), queued(connection, "answers")) == (["r-1", "r-3"], ["r-2"])
    assert connection.llen(keys.KICKS) == 0


def test_what_is_no_note_of_ours_is_passed_over(connection: Redis) -> None:
    for note in (b"\xff\xfe", "reads", "reads ../../x", "a b c", "reads r-1"):
        connection.lpush(keys.KICKS, note)
    assert forward_once(connection, Kicker(connection), 1) == 5
    assert queued(connection, "reads") == ["r-1"]


def test_without_notes_it_only_waits(connection: Redis) -> None:
    assert forward_once(connection, Kicker(connection), 0.01) == 0
