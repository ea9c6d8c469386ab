"""From notes to jobs: turns what shall be looked at into RQ jobs, beside the workers and away from whoever listens to Slack.

RQ needs 0.3 ms of processor time to enqueue a job; in the listening process that would be paid by the next person.
"""

import time

import structlog
from redis import Redis
from redis.exceptions import RedisError

from bot.store import keys
from jobs.kick import WORK_ID, Kicker

log = structlog.get_logger()

BATCH = 100
PAUSE_S = 0.5
"""After Redis was away."""

WAIT_S = 5
"""How long one blocking call waits for a note."""


def forward(redis: Redis, kicker: Kicker) -> None:
    """Until killed. A note that is lost on the way costs seconds: the clock writes it again."""
    while True:
        try:
            forward_once(redis, kicker, WAIT_S)
        except RedisError as error:
            log.info("kicks wait", why=type(error).__name__)
            time.sleep(PAUSE_S)


def forward_once(redis: Redis, kicker: Kicker, wait_s: float) -> int:
    """Wait for a note, then enqueue it and all that lie there already; how many those were."""
    first = redis.brpop([keys.KICKS], timeout=wait_s)
    if first is None:
        return 0
    notes = [first[1], *(redis.rpop(keys.KICKS, BATCH) or [])]
    for note in notes:
        queue, _, work_id = note.decode(errors="replace").partition(" ")
        if WORK_ID.fullmatch(work_id) and WORK_ID.fullmatch(queue):
            kicker.kick(work_id, queue)
    return len(notes)
