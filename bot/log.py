"""Our own log: one JSON object a line on standard error, with secrets hidden in every value."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from bot.diagnosis.secrets import redact


def configure(level: str) -> None:
    """Set up structlog and the libraries' loggers. Bodies of requests are never logged, whatever the level.

    Bolt and the Slack SDK log whole payloads at DEBUG, and a refused signature's body at INFO: both stay at WARNING.
    """
    chosen = getattr(logging, level.upper(), logging.INFO)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s", force=True)
    for name in ("slack_bolt", "slack_sdk", "aiohttp", "httpx", "asyncio", "google", "openai"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("slack_bolt.RequestVerification").setLevel(logging.ERROR)
    logging.getLogger("rq.worker").setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _hide_secrets,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(chosen),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _hide_secrets(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact(value).text
    return event
