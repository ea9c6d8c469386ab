"""Questions that wait for a yes, and the one step from a yes to its work."""

from datetime import datetime
from typing import cast

from redis.asyncio import Redis

from bot.nouns import Actor
from bot.ports import Question
from bot.store import keys
from bot.store.scripts import Scripts
from bot.store.work import kick, new_work

KEEP_AFTER_S = 24 * 3600
"""How long an expired question can still be looked at, so that a late click is told what happened."""


class ApprovalStore:
    """Implements `bot.ports.Approvals`. `queue` is where approved work runs; `kick_s` how long it may wait for its kick."""

    def __init__(self, redis: Redis, *, queue: str, kick_s: float) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)
        self._queue = queue
        self._kick_ms = int(kick_s * 1000)

    async def ask(self, question: Question) -> None:
        """Store a question; asking the same again changes nothing."""
        key = keys.approval(question.id)
        if await self._redis.hsetnx(key, "question", question.model_dump_json()):
            expires = int(question.expires_at.timestamp())
            await self._redis.expireat(key, expires + KEEP_AFTER_S)
            waiting = keys.questions(question.request.actor.team_id)
            await self._redis.zadd(waiting, {question.id: expires})
            await self._redis.zremrangebyscore(waiting, "-inf", expires - KEEP_AFTER_S)

    async def get(self, question_id: str) -> Question | None:
        """The question with its answer, or None."""
        raw, answer, by = await self._redis.hmget(keys.approval(question_id), ["question", "answer", "by"])
        if raw is None:
            return None
        question = Question.model_validate_json(raw)
        spent = by if by is not None and answer in (b"yes", "yes") else None
        return question.model_copy(update={"spent_by": spent.decode() if isinstance(spent, bytes) else spent})

    async def waiting(self, team_id: str, now: datetime) -> tuple[Question, ...]:
        """Those that expire later than `now` and have no answer, the soonest first; at most 50 are looked at."""
        key, soonest = keys.questions(team_id), int(now.timestamp())
        ids = cast(list[bytes], await self._redis.zrange(key, soonest, "+inf", byscore=True, offset=0, num=50))
        found = []
        for question_id in ids:
            raw, answer = await self._redis.hmget(keys.approval(question_id.decode()), ["question", "answer"])
            if raw is not None and answer is None:
                found.append(Question.model_validate_json(raw))
        return tuple(found)

    async def spend(self, question: Question, by: Actor) -> bool:
        """Answer yes and record the work, whose id is the question's, in one call."""
        from_asker = question.request.model_copy(update={"id": question.id, "approval": question.id})
        answered = await self._scripts.call(
            "spend",
            [
                keys.approval(question.id),
                keys.work(question.id),
                keys.DUE,
                keys.open_work(from_asker.actor.team_id),
                keys.KICKS,
            ],
            [
                by.user_id,
                question.id,
                self._kick_ms,
                kick(question.id, self._queue),
                *new_work(from_asker, work_id=question.id, kind="request", queue=self._queue),
            ],
        )
        return bool(answered)

    async def decline(self, question: Question, by: Actor) -> bool:
        """Answer no. The first answer wins."""
        key = keys.approval(question.id)
        first = await self._redis.hsetnx(key, "answer", "no")
        if first:
            await self._redis.hset(key, "by", by.user_id)
        return bool(first)
