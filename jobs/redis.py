"""The synchronous connection that RQ needs."""

from redis import Redis

from bot.settings import Settings


def for_rq(settings: Settings, *, blocking: bool = False) -> Redis:
    """A connection with short time-outs; `blocking` for a worker, which waits in Redis for its next job."""
    return Redis.from_url(
        settings.redis_url.get_secret_value(),
        socket_connect_timeout=1.0,
        socket_timeout=None if blocking else 2.0,
        health_check_interval=15,
    )
