"""How Slack says no."""

from typing import Any

Json = dict[str, Any]
"""A JSON object as it crosses the wire."""


class Refused(Exception):
    """An answer with ok false. `error` is Slack's code; `extra` goes beside it (needed, provided, response_metadata)."""

    def __init__(self, error: str, **extra: Any) -> None:
        super().__init__(error)
        self.error = error
        self.extra = extra

    def answer(self) -> Json:
        """The body that Slack would send."""
        return {"ok": False, "error": self.error, **self.extra}


class RateLimited(Exception):
    """HTTP 429 with Retry-After in whole seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"retry after {retry_after} s")
        self.retry_after = retry_after


def invalid_arguments(*messages: str) -> Refused:
    """The refusal that points at arguments, one line each."""
    return Refused("invalid_arguments", response_metadata={"messages": [f"[ERROR] {message}" for message in messages]})
