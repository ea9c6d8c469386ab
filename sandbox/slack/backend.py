"""What Slack remembers: messages, views, files, pings; and the few verbs that every family of methods needs."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.slack.blockkit import identify
from sandbox.slack.clock import Clock
from sandbox.slack.message import Message
from sandbox.slack.pings import Ping, mentioned, notified
from sandbox.slack.refusal import Json, Refused
from sandbox.slack.workspace import Channel, Workspace


@dataclass(slots=True)
class ModalView:
    """An open modal or a published home. `stack` is the id of the first view of its stack; `state` what was filled in."""

    id: str
    user: str
    view: Json
    hash: str
    root: str
    previous: str | None = None


STREAM_SECONDS = 300.0
"""A stream dies about 5 minutes after its start even while it is fed (python-slack-sdk issue 1859)."""


@dataclass(slots=True)
class Stream:
    """A message that is being streamed; `length` counts the characters sent so far."""

    ts: str
    started: float
    length: int = 0
    stopped: bool = False

    def running(self, now: float) -> bool:
        """Whether it can still be fed."""
        return not self.stopped and now - self.started <= STREAM_SECONDS


@dataclass(slots=True)
class Status:
    """What an assistant thread shows under the box ("is thinking ..."), until `until` (epoch seconds)."""

    text: str
    until: float


@dataclass(slots=True)
class UploadedFile:
    """A file with its bytes. `complete` turns true with files.completeUploadExternal."""

    id: str
    name: str
    length: int
    content: bytes | None = None
    title: str = ""
    alt_text: str = ""
    complete: bool = False
    created: int = 0
    channels: list[str] = field(default_factory=list)


EventSink = Callable[[str, Json], None]
"""Takes a subscription name ("message.im") and the inner event."""


class Backend:
    """The state of one workspace. Everything is in memory and belongs to one event loop."""

    def __init__(self, workspace: Workspace, clock: Clock) -> None:
        self.workspace = workspace
        self.app = workspace.app
        self.clock = clock
        self.base_url = ""
        self.messages: dict[str, list[Message]] = {}
        self.views: dict[str, ModalView] = {}
        self.stacks: dict[str, list[str]] = {}
        self.homes: dict[str, ModalView] = {}
        self.streams: dict[tuple[str, str], Stream] = {}
        self.statuses: dict[tuple[str, str], Status] = {}
        self.prompts: dict[str, list[Json]] = {}
        self.titles: dict[tuple[str, str], str] = {}
        self.files: dict[str, UploadedFile] = {}
        self.pings: list[Ping] = []
        self.changes = 0
        self.on_event: EventSink = lambda _subscription, _event: None
        self._numbers = itertools.count(1)
        self._last_ts = 0

    def new_ts(self) -> str:
        """A message time stamp: epoch seconds with six decimals, never twice."""
        self._last_ts = max(self._last_ts + 1, int(self.clock.now() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def new_id(self, prefix: str) -> str:
        """An id in Slack's shape, such as V0SB000012."""
        return f"{prefix}0SB{next(self._numbers):06d}"

    def channel(self, ref: object) -> Channel:
        """The channel with that id. Refused("channel_not_found") when the bot cannot know of it."""
        found = self.workspace.channels.get(str(ref))
        if found is None or (found.kind != "public" and self.app.bot_user not in found.members):
            raise Refused("channel_not_found")
        return found

    def writable_channel(self, ref: object) -> Channel:
        """A channel that the bot may write to: by channel id, "#name", or user id (its direct message)."""
        text = str(ref)
        if text in self.workspace.people:
            return self.workspace.direct(text)
        if text.startswith("#"):
            text = next((c.id for c in self.workspace.channels.values() if c.name == text[1:]), text)
        found = self.channel(text)
        if found.archived:
            raise Refused("is_archived")
        if self.app.bot_user not in found.members:
            raise Refused("not_in_channel")
        return found

    def find(self, channel: str, ts: object) -> Message | None:
        """The message with that ts, if it is still there."""
        return next((m for m in self.messages.get(channel, []) if m.ts == str(ts) and not m.deleted), None)

    def visible(self, channel: str) -> list[Message]:
        """What history knows: no ephemeral messages, nothing deleted, oldest first."""
        return [m for m in self.messages.get(channel, []) if m.kind == "message" and not m.only_for and not m.deleted]

    def add(self, message: Message) -> Message:
        """Keeps a message, records who it notifies and tells the subscribers."""
        message.team = message.team or self.workspace.team_id
        identify(message.blocks)
        self.messages.setdefault(message.channel, []).append(message)
        self.touched()
        if message.kind != "message":
            return message
        self.ping(message)
        if not message.only_for:
            self.announce(message)
        return message

    def app_message(self, channel: str, text: str, blocks: list[Json], **more: object) -> Message:
        """A new message by the bot, not yet added."""
        message = Message(self.new_ts(), channel, self.app.bot_user, text, blocks, by_app=True)
        for name, value in more.items():
            setattr(message, name, value)
        return message

    def announce(self, message: Message) -> None:
        """The message event; and the app_mention twin (another event_id, same ts) when somebody else mentions the bot."""
        event = message.shape(self.app)
        event |= {"channel": message.channel, "event_ts": message.ts}
        if message.files:
            event["subtype"] = "file_share"
        if message.team != self.workspace.team_id:
            event["user_team"] = message.team
        channel = self.workspace.channels[message.channel]
        if channel.kind != "im" and not message.by_app and f"<@{self.app.bot_user}>" in message.text:
            self.on_event("app_mention", {**event, "type": "app_mention"})
        self.message_event(channel, event)

    def message_event(self, channel: Channel, event: Json) -> None:
        """A message event under the subscription of its kind of channel, if the bot is in there."""
        if self.app.bot_user not in channel.members:
            return
        names = {"public": ("message.channels", "channel"), "private": ("message.groups", "group"), "im": ("message.im", "im")}
        subscription, channel_type = names[channel.kind]
        self.on_event(subscription, {**event, "channel_type": channel_type})

    def changed(self, message: Message, before: Json, subtype: str = "message_changed") -> None:
        """The event of an edit or a deletion. Edits notify nobody."""
        identify(message.blocks)
        self.touched()
        if message.only_for:
            return
        event: Json = {"type": "message", "subtype": subtype, "hidden": True, "channel": message.channel, "ts": self.new_ts()}
        event |= {"event_ts": event["ts"], "previous_message": before}
        if subtype == "message_changed":
            event["message"] = message.shape(self.app)
        else:
            event["deleted_ts"] = message.ts
        self.message_event(self.workspace.channels[message.channel], event)

    def ping(self, message: Message) -> None:
        """Records whom a new message (or a finished part of a stream) would notify."""
        channel = self.workspace.channels[message.channel]
        for token in mentioned(message.text, message.blocks, message.attachments):
            people = [] if message.only_for else notified(token, channel, self.workspace)
            self.pings.append(Ping(message.channel, message.ts, token, people, by_app=message.by_app))

    def touched(self) -> None:
        """Counts changes, so that the page knows when to look again."""
        self.changes += 1
