"""From Cloud Logging's JSON to our words. What an entry holds is foreign text: it is cut, and secrets in it are hidden. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from bot.cloud.log_filter import SEVERITIES
from bot.diagnosis.secrets import redact_lines
from bot.nouns import LogEntry

TEXT_MOST = 8_000
_NAME_MOST = 120


def entry_from(answer: Mapping[str, Any], now: datetime) -> LogEntry:
    """One entry. A time that cannot be read becomes `now`, so that the entry is seen rather than lost."""
    severity = str(answer.get("severity") or "DEFAULT")
    resource = answer.get("resource")
    return LogEntry(
        at=_moment(answer.get("timestamp")) or _moment(answer.get("receiveTimestamp")) or now,
        severity=severity if severity in SEVERITIES else "DEFAULT",
        text="\n".join(redact_lines(_text(answer)[:TEXT_MOST].splitlines())),
        log=str(answer.get("logName", "")).rpartition("/")[2].replace("%2F", "/")[:_NAME_MOST],
        resource=str(resource.get("type", "") if isinstance(resource, Mapping) else "")[:_NAME_MOST],
    )


def _moment(told: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(told))
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo is not None else None


def _text(answer: Mapping[str, Any]) -> str:
    """What a person would read of the three kinds of payload."""
    for kind, read in (("textPayload", str), ("jsonPayload", _json_text), ("protoPayload", _audit_text)):
        if answer.get(kind):
            return read(answer[kind])
    return "(an entry without text)"


def _json_text(payload: object) -> str:
    if not isinstance(payload, Mapping):
        return str(payload)
    said = payload.get("message") or payload.get("msg")
    return said if isinstance(said, str) else _as_json(payload)


def _audit_text(payload: object) -> str:
    """Which call, and how it ended. Who called stays out: a mail address is nobody's business in a channel."""
    if not isinstance(payload, Mapping) or not payload.get("methodName"):
        return _as_json(payload)
    status = payload.get("status")
    ended = status.get("message") if isinstance(status, Mapping) else None
    name = str(payload.get("resourceName", "")).rpartition("/")[2]
    return f"{str(payload['methodName']).rpartition('.')[2]} {name}" + (f": {ended}" if ended else "")


def _as_json(payload: object) -> str:
    return orjson.dumps(payload, default=str, option=orjson.OPT_SORT_KEYS).decode()
