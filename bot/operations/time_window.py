"""From `since 30m` or `at 02:40` to two moments."""

from datetime import datetime, timedelta

AROUND = timedelta(minutes=15)
"""On each side of a moment that was asked about: enough requests for a percentile, and still that moment."""


def window(now: datetime, since_s: int | None, at: int | None, usual: timedelta) -> tuple[datetime, datetime, datetime | None]:
    """(since, until, the moment in the middle if one was asked for). `at` counts minutes after midnight, UTC: the last time the
    clock showed that.
    """
    if at is None:
        return now - (usual if since_s is None else timedelta(seconds=since_s)), now, None
    hour, minute = divmod(at, 60)
    moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    moment = moment if moment <= now else moment - timedelta(days=1)
    return moment - AROUND, min(now, moment + AROUND), moment
