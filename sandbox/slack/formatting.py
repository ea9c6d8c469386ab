"""Slack's markup as readers see it: mentions as names, times in the reader's zone, links as their words."""

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from sandbox.slack.workspace import Workspace

TOKEN = re.compile(r"<([^<>\s][^<>]*)>")
DATE_PART = re.compile(r"\{(\w+)\}")
ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))

DATES: dict[str, str] = {
    "date_num": "%Y-%m-%d",
    "date": "%B %-d, %Y",
    "date_short": "%b %-d, %Y",
    "date_long": "%A, %B %-d, %Y",
    "date_pretty": "%B %-d, %Y",
    "date_short_pretty": "%b %-d, %Y",
    "date_long_pretty": "%A, %B %-d, %Y",
    "day_divider_pretty": "%A, %B %-d",
    "time": "%H:%M",
    "time_secs": "%H:%M:%S",
}
"""The tokens of <!date^...>. Readers here use the 24-hour clock; "today" and "yesterday" replace the date in pretty ones."""


class Reader:
    """Somebody who reads: their zone and the names they see. `now` is epoch seconds."""

    def __init__(self, workspace: Workspace, tz: str, now: float) -> None:
        self._workspace = workspace
        self._zone = ZoneInfo(tz)
        self._now = now

    def plain(self, text: str) -> str:
        """Markup as plain text, entities decoded last so that nothing is parsed twice."""
        return decoded(self.tokens(text, lambda words, _url: words))

    def tokens(self, text: str, link: Callable[[str, str], str]) -> str:
        """Every token replaced; `link` writes a link from its words and address. Entities stay as they are."""
        return TOKEN.sub(lambda match: self._token(match.group(1), match.group(0), link), text)

    def _token(self, body: str, whole: str, link: Callable[[str, str], str]) -> str:
        words, _, label = body.partition("|")
        if words.startswith("@"):
            return f"@{self._workspace.named(words[1:])}"
        if words.startswith("#"):
            channel = self._workspace.channels.get(words[1:])
            return f"#{channel.name if channel else label or words[1:]}"
        if words.startswith("!subteam^"):
            group = self._workspace.groups.get(words.removeprefix("!subteam^"))
            return f"@{group.handle}" if group else label or "@group"
        if words.startswith("!date^"):
            return self.date(words, label)
        if words in {"!channel", "!here", "!everyone"}:
            return f"@{words[1:]}"
        if re.match(r"(https?|mailto|tel|slack):", words):
            return link(label or words, words)
        return whole

    def date(self, words: str, fallback: str) -> str:
        """<!date^epoch^format^link|fallback> in the reader's zone."""
        parts = words.split("^")
        try:
            at = datetime.fromtimestamp(int(parts[1]), self._zone)
            return DATE_PART.sub(lambda match: self._date_part(match.group(1), at), parts[2])
        except (ValueError, IndexError, OverflowError):
            return fallback

    def _date_part(self, name: str, at: datetime) -> str:
        if name == "ago":
            return ago(self._now - at.timestamp())
        if name.endswith("pretty"):
            days = (datetime.fromtimestamp(self._now, self._zone).date() - at.date()).days
            if days in {-1, 0, 1}:
                return {0: "today", 1: "yesterday", -1: "tomorrow"}[days]
        return at.strftime(DATES[name]) if name in DATES else f"{{{name}}}"

    def clock(self, ts: str) -> str:
        """The time of a message."""
        return datetime.fromtimestamp(float(ts), self._zone).strftime("%H:%M")


def ago(seconds: float) -> str:
    """Roughly how long ago, or in how long."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if abs(seconds) >= size:
            count = int(abs(seconds) // size)
            words = f"{count} {name}{'' if count == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"


def decoded(text: str) -> str:
    """Entities as their characters."""
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    return text
