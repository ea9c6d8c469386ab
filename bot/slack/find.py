"""Looking for a message that we may have posted, by the key in its metadata."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.diagnosis.secrets import redact
from bot.errors import RetryLater
from bot.nouns import Heard
from bot.slack.failures import MessageGoneError
from bot.slack.wire import Wire
from bot.slack.words import words_of

PAGE = 200
"""Messages per call; Slack takes up to 1,000 and advises 200."""
PAGES = 10
"""Calls before giving up: 2,000 messages since the post."""
ROOT_LIMIT = 4000
"""Characters of a first message that are read."""
CLOCKS_APART = timedelta(minutes=2)
"""How far our clock and Slack's may disagree."""


class Finder:
    """Reads back threads and channels. Only what our own bot has written counts: anybody can copy a key."""

    def __init__(self, wire: Wire, bot_id: str, event_type: str) -> None:
        """`bot_id` is ours; `event_type` what our metadata is called."""
        self._wire = wire
        self._bot_id = bot_id
        self._event_type = event_type

    async def find(self, channel: str, thread: str | None, key: str, since: datetime) -> str | None:
        """The ts of the earliest message with this key; None when it surely is not there.

        A message whose thread is gone may stand in the channel itself, so that is looked through as well.
        Raises RetryLater when there is more to read than the bound allows: "not found" would be a guess.
        """
        if thread is not None:
            try:
                found = await self._search("conversations.replies", {"channel": channel, "ts": thread}, key, since)
            except MessageGoneError:
                found = None
            if found is not None:
                return found
        return await self._search("conversations.history", {"channel": channel}, key, since)

    async def _search(self, method: str, where: Mapping[str, str], key: str, since: datetime) -> str | None:
        oldest = f"{(since - CLOCKS_APART).timestamp():.6f}"
        cursor = ""
        matches: list[str] = []
        for _ in range(PAGES):
            fields: dict[str, str | int] = {"oldest": oldest, "limit": PAGE, "include_all_metadata": "true", **where}
            if cursor:
                fields["cursor"] = cursor
            answer = await self._wire.form(method, fields)
            matches.extend(str(one["ts"]) for one in answer.get("messages", ()) if self._ours(one, key))
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if matches or not cursor:
                return min(matches, key=float, default=None)
        raise RetryLater(f"More than {PAGE * PAGES:,} messages since then: I could not look through all of them.", arrived=None)

    def _ours(self, message: Mapping[str, Any], key: str) -> bool:
        metadata = message.get("metadata")
        if message.get("bot_id") != self._bot_id or not isinstance(metadata, Mapping):
            return False
        payload = metadata.get("event_payload")
        return metadata.get("event_type") == self._event_type and isinstance(payload, Mapping) and payload.get("key") == key


async def root(wire: Wire, own_bot: str, channel: str, thread: str) -> Heard | None:
    """The first message of a thread, if another program wrote it. A person's is theirs, and ours says nothing new."""
    answer = await wire.form("conversations.replies", {"channel": channel, "ts": thread, "limit": 1})
    first = next((one for one in answer.get("messages", ()) if isinstance(one, Mapping) and str(one.get("ts")) == thread), None)
    if first is None or not first.get("bot_id") or first.get("bot_id") == own_bot:
        return None
    profile = first.get("bot_profile")
    name = profile.get("name") if isinstance(profile, Mapping) else first.get("username")
    words = redact(words_of(first, 2 * ROOT_LIMIT)).text[:ROOT_LIMIT]  # half a secret would not be known as one
    return Heard(text=words, by=str(name or "another program")[:60], at=datetime.fromtimestamp(float(thread), UTC))
