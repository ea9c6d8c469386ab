"""Our own log: one JSON object a line on standard error, with secrets hidden in every value."""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog

from bot.diagnosis.secrets import redact


def configure(level: str) -> None:
    """Set up structlog and the libraries' loggers. Bodies of requests are never logged, whatever the level.

    Bolt and the Slack SDK log whole payloads at DEBUG, and a refused signature's body at INFO: both stay at WARNING.
    """
    chosen = getattr(logging, level.upper(), logging.INFO)
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(_Discreet("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[shown], force=True)
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
    return {key: _hidden(value) for key, value in event.items()}


def _hidden(value: object) -> object:
    """The value without its secrets, however deep they lie."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _hidden(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_hidden(item) for item in value]
    return redact(str(value)).text


class _Discreet(logging.Formatter):
    """Lines of libraries, tracebacks included, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """The line as the library wrote it, secrets hidden."""
        return redact(super().format(record)).text
