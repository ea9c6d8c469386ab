"""What is found out about a deployment at one moment."""

from datetime import datetime

from pydantic import BaseModel

from bot.nouns import Happening, Quantity
from bot.operations.grade import Grade
from bot.ports import LastReport


class Status(BaseModel):
    """How a deployment stands at `at`. None is unknown, and `missing` says in words what could not be learnt and why.

    `last_change` is the newest change that was seen since `watched_since`; None with a `watched_since`: none was seen.
    `last_errors` is what `errors` found last; None: nobody looked.
    """

    deployment: str
    grade: Grade
    at: datetime
    seen: datetime | None
    model: str | None
    accelerator: str | None
    zone: str | None
    machine: str | None
    machine_state: str | None
    machine_health: str | None
    running: Quantity | None
    waiting: Quantity | None
    cache: Quantity | None
    first_token: Quantity | None
    first_token_usual: Quantity | None
    requests_per_second: Quantity | None
    slow_since: datetime | None
    usd_per_hour: Quantity | None
    ends_at: datetime | None
    last_change: Happening | None = None
    watched_since: datetime | None = None
    last_errors: LastReport | None = None
    missing: tuple[str, ...] = ()
