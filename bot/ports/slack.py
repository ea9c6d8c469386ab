"""Slack: the one writer, its pace, and who people are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bot.nouns import Actor, Standing
from bot.view import Attachment, Mention, View


class Pace(Protocol):
    """Slack's rate limits, counted for all workers together."""

    async def wait(self, method: str, channel: str | None, *, urgent: bool) -> None:
        """Return when one more call of `method` is within its tier and, for posts, within one a second in `channel`.

        `urgent` calls (final answers) go first; what is not urgent may be given up. Raises RetryLater(arrived=False) when the
        wait would be longer than the implementation's bound.
        """


@dataclass(frozen=True)
class Posted:
    """A message that Slack has taken. `thread` is the thread it really stands in: None when Slack lost the parent."""

    channel: str
    ts: str
    thread: str | None


@dataclass(frozen=True)
class Person:
    """What the workspace knows about a user. `guest` is a single- or multi-channel guest; `team_id` their home workspace."""

    user_id: str
    team_id: str
    name: str
    guest: bool
    bot: bool
    deleted: bool
    zone: str | None


@dataclass(frozen=True)
class Identity:
    """Who our token makes us. `bot_id` marks our own messages."""

    team_id: str
    user_id: str
    bot_id: str


class Slack(Protocol):
    """The one writer to Slack. A `View` goes in; blocks, limits, escaping and rate limits are its own affair.

    All methods raise RetryLater (`arrived` says whether a write may have got through: then `find` before repeating),
    PersonMovesNext (a person can put it right, and how) or WeMoveNext (Slack refused what we built).
    `details` is what the [Details] button says when more is to be shown; `chart` the id from `upload_chart`.
    """

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
        """Post a message that `find` recognises by `key`. Never repeated here."""

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
        """Replace the content of our message; notifies nobody."""

    async def ephemeral(
        self, channel: str, user: str, view: View, thread: str | None = None, *, details: str | None = None
    ) -> None:
        """Show a message to `user` alone; it may be shown twice and is never found again."""

    async def respond(
        self, response_url: str, view: View, *, replace: bool = True, details: str | None = None, chart: str | None = None
    ) -> None:
        """Answer the asker alone (5 times within 30 minutes), replacing what was shown before unless `replace` is off."""

    async def find(self, channel: str, thread: str | None, key: str, since: datetime) -> str | None:
        """The ts of our message with this key, posted after `since`; None when it surely is not there."""

    async def open_dm(self, user: str) -> str:
        """The id of the direct-message channel with this user."""

    async def permalink(self, channel: str, ts: str) -> str:
        """The address of a message."""

    async def open_view(self, trigger_id: str, view: Mapping[str, Any]) -> str:
        """Open a modal (final JSON) within 3 s of the press; its view id."""

    async def update_view(self, view_id: str, view: Mapping[str, Any], *, view_hash: str | None = None) -> None:
        """Replace an open modal."""

    async def publish_home(self, user: str, views: Sequence[View]) -> None:
        """Show these views, one below the other, on the user's Home tab."""

    async def upload_chart(self, png: bytes, title: str, alt: str) -> str:
        """Upload a picture that no channel sees yet; its file id, for `chart`."""

    async def attach(self, channel: str, thread: str | None, attachment: Attachment) -> str:
        """Show a text file in a channel, a thread or a direct message; its file id. Repeated, it is shown twice."""

    async def members_of_group(self, group: str) -> frozenset[str]:
        """User ids in a user group."""

    async def user_info(self, user: str) -> Person:
        """What the workspace knows about a user."""

    async def whoami(self) -> Identity:
        """Who we are; asked once."""


class Directory(Protocol):
    """Who people are, as Slack says. Answers are cached for minutes; a failed look-up raises, and the gate then denies."""

    async def standing(self, actor: Actor) -> Standing:
        """What this person is in the workspace."""

    async def in_group(self, actor: Actor, group_id: str) -> bool:
        """Whether this person is a member of a user group (S…)."""
