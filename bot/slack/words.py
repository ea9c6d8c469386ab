"""What can be read of a message as Slack tells it: of people's words, and of alerts, which stand in other places."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def words_of(message: Mapping[str, Any], most: int) -> str:
    """All of it, a part a line, at most so many characters. Alerts of Alertmanager stand in attachments, Google's in blocks."""
    return "\n".join(part for part in _texts(message) if part.strip())[:most]


def _texts(message: Mapping[str, Any]) -> Iterator[str]:
    yield _text(message.get("text"))
    for one in _objects(message.get("attachments")):
        yield from (_text(one.get(key)) for key in ("title", "pretext", "text", "fallback"))
        for field in _objects(one.get("fields")):
            yield f"{_text(field.get('title'))}: {_text(field.get('value'))}"
    for block in _objects(message.get("blocks")):
        inner = block.get("text")
        if isinstance(inner, Mapping):
            yield _text(inner.get("text"))


def _objects(value: object) -> Iterable[Mapping[str, Any]]:
    return (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
