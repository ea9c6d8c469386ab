"""Reads what /v1/chat/completions answers: whole bodies, the lines of a stream, and refusals in vLLM's own words."""

import json
from typing import Any

from bot.errors import PersonMovesNext
from bot.model.address import WHAT
from bot.model.wire import Reply, unreadable

Json = dict[str, Any]

REFUSAL_SHOWN = 300
"""Characters of a refusal that are repeated."""

DONE = "[DONE]"


def completion(reply: Reply) -> Json:
    """The body of an answer that is not streamed. Raises as `expect_understood`, RetryLater when it is no JSON object."""
    found = _object(expect_understood(reply).body)
    if found is None or not isinstance(found.get("choices"), list):
        raise unreadable(reply.place, "answer")
    return found


def expect_understood(reply: Reply) -> Reply:
    """Itself when the status is 200. 400, 404 and 422 with vLLM's error body: PersonMovesNext with what it says."""
    said = _refusal(reply.body) if reply.status in {400, 404, 422} else None
    if said is not None:
        raise PersonMovesNext(f"{WHAT} at {reply.place} refuses: {said}")
    return reply.expect_ok()


def _refusal(body: bytes) -> str | None:
    """The message of `{"error": {"message": …}}`, shortened."""
    error = (_object(body) or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else None
    return " ".join(message.split())[:REFUSAL_SHOWN] if isinstance(message, str) else None


def event(line: str, place: str) -> Json | None:
    """The chunk of one line of a stream, None for lines without one. Raises RetryLater for what cannot be read, and for an error
    inside a stream that began well.
    """
    if not line.startswith("data:") or line[5:].strip() == DONE:
        return None
    chunk = _object(line[5:].encode())
    if chunk is None or "error" in chunk:
        raise unreadable(place, "stream")
    return chunk


def ends(line: str) -> bool:
    """Whether this line is the end of the stream."""
    return line.startswith("data:") and line[5:].strip() == DONE


def _object(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
