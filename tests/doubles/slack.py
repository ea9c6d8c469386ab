"""A Slack of a few lines: what was posted, replaced and shown to whom; refusals are put in by the name of the method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.errors import RetryLater
from bot.ports import Identity, Person, Posted
from bot.view import Attachment, Mention, View, plain


@dataclass
class Message:
    """A message as it stands now; `shown` is every verdict that it ever had."""

    channel: str
    thread: str | None
    key: str
    view: View
    shown: list[str]


@dataclass
class FakeSlack:
    """`refusals` are raised in order, one a call; `alone` is what a response_url took, and whether it replaced."""

    messages: dict[str, Message] = field(default_factory=dict)
    alone: list[tuple[str, bool, View]] = field(default_factory=list)
    whispered: list[tuple[str, str, View]] = field(default_factory=list)
    refusals: dict[str, list[Exception]] = field(default_factory=dict)
    attached: list[tuple[str, str | None, Attachment]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    break_after_post: bool = False
    """The next post arrives, and its answer does not."""

    def refuse(self, method: str, *errors: Exception) -> None:
        self.refusals.setdefault(method, []).extend(errors)

    def _called(self, method: str) -> None:
        self.calls.append(method)
        if self.refusals.get(method):
            raise self.refusals[method].pop(0)

    async def post(
        self,
        channel: str,
        thread: str | None,
        view: View,
        key: str,
        *,
        mention: Mention | None = None,
        details: str | None = None,
        chart: str | None = None,
        urgent: bool = True,
    ) -> Posted:
        del mention, details, chart, urgent
        self._called("post")
        ts = f"{len(self.messages) + 1}.0"
        self.messages[ts] = Message(channel, thread, key, view, [plain(view.verdict)])
        if self.break_after_post:
            self.break_after_post = False
            raise RetryLater("The connection to Slack broke.", arrived=None)
        return Posted(channel, ts, thread)

    async def update(
        self,
        channel: str,
        ts: str,
        view: View,
        *,
        details: str | None = None,
        chart: str | None = None,
        urgent: bool = False,
    ) -> None:
        del channel, details, chart, urgent
        self._called("update")
        self.messages[ts].view = view
        self.messages[ts].shown.append(plain(view.verdict))

    async def ephemeral(
        self, channel: str, user: str, view: View, thread: str | None = None, *, details: str | None = None
    ) -> None:
        del thread, details
        self._called("ephemeral")
        self.whispered.append((channel, user, view))

    async def respond(
        self, response_url: str, view: View, *, replace: bool = True, details: str | None = None, chart: str | None = None
    ) -> None:
        del details, chart
        self._called("respond")
        self.alone.append((response_url, replace, view))

    async def find(self, channel: str, thread: str | None, key: str, since: datetime) -> str | None:
        del thread, since
        self._called("find")
        return next((ts for ts, one in self.messages.items() if (one.channel, one.key) == (channel, key)), None)

    async def open_dm(self, user: str) -> str:
        self._called("open_dm")
        return f"D{user}"

    async def permalink(self, channel: str, ts: str) -> str:
        return f"https://slack.example/{channel}/{ts}"

    async def open_view(self, trigger_id: str, view: Mapping[str, Any]) -> str:
        del trigger_id, view
        self._called("open_view")
        return "V1"

    async def update_view(self, view_id: str, view: Mapping[str, Any], *, view_hash: str | None = None) -> None:
        del view_id, view, view_hash
        self._called("update_view")

    async def publish_home(self, user: str, views: Sequence[View]) -> None:
        del user, views
        self._called("publish_home")

    async def upload_chart(self, png: bytes, title: str, alt: str) -> str:
        del png, title, alt
        self._called("upload_chart")
        return "F0CHART01"

    async def attach(self, channel: str, thread: str | None, attachment: Attachment) -> str:
        self._called("attach")
        self.attached.append((channel, thread, attachment))
        return "F0FILE001"

    async def members_of_group(self, group: str) -> frozenset[str]:
        del group
        return frozenset()

    async def user_info(self, user: str) -> Person:
        return Person(user, "T1", user, guest=False, bot=False, deleted=False, zone=None)

    async def whoami(self) -> Identity:
        return Identity("T1", "U0BOT", "B0BOT")
