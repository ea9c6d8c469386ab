"""A message as Slack keeps it, and the shapes in which the Web API and events show it."""

from dataclasses import dataclass, field

from sandbox.slack.refusal import Json
from sandbox.slack.workspace import App


@dataclass(slots=True)
class Message:
    """One message. `only_for` is the user id of the single reader of an ephemeral one.

    `kind` is "message", "command" (what somebody typed as a slash command; Slack shows it to nobody else) or "notice" (Slackbot).
    `via` is the response_url key through which it was posted.
    """

    ts: str
    channel: str
    user: str
    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    by_app: bool = False
    bot_id: str | None = None
    thread_ts: str | None = None
    broadcast: bool = False
    only_for: str | None = None
    edited: str | None = None
    deleted: bool = False
    metadata: Json | None = None
    files: list[Json] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    kind: str = "message"
    via: str | None = None
    streaming: bool = False
    team: str | None = None

    def is_reply(self) -> bool:
        """Whether it lives inside a thread and is not its root."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    def shape(self, app: App, with_metadata: bool = False) -> Json:
        """The message object of the Web API and of events."""
        shape: Json = {"type": "message", "user": self.user, "ts": self.ts, "text": self.text, "team": self.team}
        if self.by_app:
            profile = {"id": app.bot_id, "app_id": app.id, "name": app.name, "deleted": False, "team_id": self.team}
            shape |= {"bot_id": app.bot_id, "app_id": app.id, "bot_profile": profile}
        elif self.bot_id:
            shape["bot_id"] = self.bot_id
        optional = {
            "blocks": self.blocks,
            "attachments": self.attachments,
            "thread_ts": self.thread_ts,
            "files": self.files,
            "metadata": self.metadata if with_metadata else None,
        }
        shape |= {key: value for key, value in optional.items() if value}
        if self.edited:
            shape["edited"] = {"user": self.user, "ts": self.edited}
        if self.reactions:
            shape["reactions"] = [{"name": n, "users": list(us), "count": len(us)} for n, us in self.reactions.items()]
        return shape
