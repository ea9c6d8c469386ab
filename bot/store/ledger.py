"""Machine time by the month: one hash a month, whole seconds, each span of time added once."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from redis.asyncio import Redis

from bot.ports import Counted, Kind, Month
from bot.store import keys
from bot.store.scripts import Scripts

KEPT_S = 400 * 24 * 3600
"""A month is kept for over a year after it was last added to."""

MOST_FIELDS = 2_000
"""About 400 kinds a month. Labels of machines are other people's to write: without a bound they could fill the memory."""

PARTS = {"run": "run_s", "busy": "busy_s", "idle": "idle_s", "tokens": "output_tokens", "tokens_s": "tokens_s"}
"""Fields of the hash are `part|kind as JSON`; here with the name of the part in `Counted`."""


class LedgerStore:
    """Implements `bot.ports.Ledger`."""

    def __init__(self, redis: Redis, *, most_fields: int = MOST_FIELDS) -> None:
        """Nothing is sent before the first call."""
        self._redis = redis
        self._scripts = Scripts(redis)
        self._most_fields = most_fields

    async def add(
        self, team_id: str, since: datetime, until: datetime, counted: Sequence[Counted], unseen: Mapping[str, int]
    ) -> bool:
        """See `bot.ports.Ledger.add`. Raises ValueError for a span that is empty or lies in two months."""
        if since >= until or _month(since) != _month(until, last=True):
            raise ValueError(f"not a span of one month: {since} to {until}")
        args: list[str | int | bytes] = [int(since.timestamp()), int(until.timestamp()), KEPT_S, self._most_fields]
        for one in counted:
            kind = one.kind.model_dump_json()
            for part, name in PARTS.items():
                if getattr(one, name):
                    args += [f"{part}|{kind}", getattr(one, name)]
        for zone, seconds in unseen.items():
            args += [f"unseen|{zone}", seconds]
        return bool(await self._scripts.call("count_time", [keys.ledger(team_id, _month(since))], args))

    async def month(self, team_id: str, at: datetime) -> Month | None:
        """See `bot.ports.Ledger.month`."""
        raw = await self._redis.hgetall(keys.ledger(team_id, _month(at)))
        return _read({_text(field): int(value) for field, value in raw.items()}) if raw else None


def _text(field: bytes | str) -> str:
    return field.decode() if isinstance(field, bytes) else field


def _month(at: datetime, *, last: bool = False) -> str:
    """`2026-11`; for the end of a span the month of the moment before it."""
    moment = datetime.fromtimestamp(at.timestamp() - (0.001 if last else 0), UTC)
    return f"{moment:%Y-%m}"


def _read(fields: Mapping[str, int]) -> Month:
    by_kind: dict[str, dict[str, int]] = {}
    unseen: dict[str, int] = {}
    for field, value in fields.items():
        part, _, of = field.partition("|")
        if part in PARTS and of:
            by_kind.setdefault(of, {})[PARTS[part]] = value
        elif part == "unseen":
            unseen[of] = value
    counted = [
        Counted.model_validate({"kind": Kind.model_validate_json(kind), "run_s": 0, **parts}) for kind, parts in by_kind.items()
    ]
    return Month(
        since=datetime.fromtimestamp(fields["since"], UTC),
        until=datetime.fromtimestamp(fields["until"], UTC),
        seen_s=fields["seen"],
        counted=tuple(sorted(counted, key=lambda one: -one.run_s)),
        unseen=unseen,
        over_s=fields.get("over", 0),
    )
