"""The one maker of filters for Cloud Logging (its query language): every value in them passes `quoted`. Pure."""

import re
from datetime import UTC, datetime

from bot.ports import LogSearch

SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY")
LONGEST = 20_000
"""Characters of a filter that Cloud Logging takes (its quota page)."""
WORDS_MOST = 400
"""Our choice: longer than anybody types, and far below the limit when every character is escaped."""


def quoted(value: str) -> str:
    """The value as one string of the query language. Nothing in it can end the string: backslash and quote are escaped, and what
    does not print becomes a blank."""
    printable = "".join(letter if letter.isprintable() else " " for letter in value)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'


def moment(at: datetime) -> str:
    """RFC 3339 in UTC with microseconds. Raises ValueError for a time without a zone, which would mean another hour there."""
    if at.tzinfo is None:
        raise ValueError("a time in a log filter needs its zone")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def filter_of(search: LogSearch) -> str:
    """What Google wrote about the machine: the TPU's own messages, and who did what to it.

    A worker's `node_id` may be the machine's name or its number; both are asked for. Raises ValueError for a wrong severity.
    """
    parts = [
        f"timestamp>={quoted(moment(search.since))}",
        f"timestamp<={quoted(moment(search.until))}",
        f"({_worker(search)} OR {_deeds(search)})",
    ]
    if search.at_least is not None:
        if search.at_least not in SEVERITIES:
            raise ValueError(f"{search.at_least[:40]!r} is no severity of Cloud Logging")
        parts.append(f"severity>={search.at_least}")
    if search.words:
        parts.append(quoted(search.words[:WORDS_MOST]))
    return " AND ".join(parts)


def _worker(search: LogSearch) -> str:
    """Messages of the TPU runtime on this machine; of all machines of the zone when it has no name."""
    parts = ['resource.type="tpu_worker"']
    if search.zone:
        parts.append(f"resource.labels.zone={quoted(search.zone)}")
    if search.nodes:
        parts.append(f"resource.labels.node_id=({' OR '.join(map(quoted, search.nodes))})")
    return f"({' AND '.join(parts)})"


def _deeds(search: LogSearch) -> str:
    """Google's audit of calls to the TPU API about this machine: created, deleted, preempted (form from memory)."""
    parts = ['protoPayload.serviceName="tpu.googleapis.com"']
    if search.zone:
        parts.append(f"protoPayload.resourceName:{quoted(f'/locations/{search.zone}/')}")
    if search.nodes:
        ends = "|".join(re.escape(name) for name in search.nodes)
        parts.append(f"protoPayload.resourceName=~{quoted(f'/nodes/({ends})$')}")
    return f"({' AND '.join(parts)})"
