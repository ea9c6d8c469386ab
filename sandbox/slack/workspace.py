"""The workspace: who is in it, its channels and user groups, and the app that is installed."""

from dataclasses import dataclass, field
from typing import Literal

BOT_SCOPES = frozenset(
    [
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "reactions:write",
        "usergroups:read",
        "users:read",
    ]
)
"""What the app's manifest asks for."""

BOT_EVENTS = frozenset(
    [
        "app_mention",
        "app_home_opened",
        "app_context_changed",
        "message.channels",
        "message.groups",
        "message.im",
        "app_uninstalled",
        "tokens_revoked",
        "subteam_updated",
        "subteam_members_changed",
    ]
)
"""What the app's manifest subscribes to."""

ChannelKind = Literal["public", "private", "im"]


@dataclass(slots=True)
class Person:
    """Somebody who can sign in, or another bot. `team_id` is set for strangers who come by Slack Connect."""

    id: str
    name: str
    real_name: str
    tz: str = "Etc/UTC"
    restricted: bool = False
    ultra_restricted: bool = False
    admin: bool = False
    bot: bool = False
    deleted: bool = False
    team_id: str | None = None


@dataclass(slots=True)
class Group:
    """A user group, mentioned as @handle."""

    id: str
    handle: str
    name: str
    members: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Channel:
    """A public or private channel, or a direct message (`kind` im) between the bot and one person."""

    id: str
    name: str
    kind: ChannelKind = "public"
    members: set[str] = field(default_factory=set)
    shared: bool = False
    archived: bool = False


@dataclass(slots=True)
class App:
    """The installed app with its bot and everything Slack would have given it."""

    id: str = "A0GEMMA"
    name: str = "Gemma ChatOps"
    bot_user: str = "U0GEMMA"
    bot_id: str = "B0GEMMA"
    bot_name: str = "gemma"
    bot_token: str = "xoxb-sandbox-bot"
    app_token: str = "xapp-1-A0GEMMA-sandbox"
    signing_secret: str = "sandbox-signing-secret"
    verification_token: str = "sandbox-verification"
    scopes: set[str] = field(default_factory=lambda: set(BOT_SCOPES))
    app_scopes: set[str] = field(default_factory=lambda: {"connections:write"})
    events: set[str] = field(default_factory=lambda: set(BOT_EVENTS))
    commands: set[str] = field(default_factory=lambda: {"/gemma"})
    shortcuts: dict[str, str] = field(default_factory=lambda: {"ask_gemma_message": "Ask Gemma about this"})
    interactive: bool = True


@dataclass(slots=True)
class Workspace:
    """One Slack workspace. `paid` is False on free plans, which have no user groups."""

    team_id: str
    name: str
    domain: str
    people: dict[str, Person]
    channels: dict[str, Channel]
    groups: dict[str, Group]
    app: App = field(default_factory=App)
    paid: bool = True

    def person(self, ref: str) -> Person:
        """By id or name ("anna", "@anna"). KeyError when there is none."""
        if ref in self.people:
            return self.people[ref]
        for person in self.people.values():
            if person.name == ref.removeprefix("@"):
                return person
        raise KeyError(ref)

    def channel(self, ref: str) -> Channel:
        """By id or name ("ops", "#ops"). KeyError when there is none."""
        if ref in self.channels:
            return self.channels[ref]
        for channel in self.channels.values():
            if channel.kind != "im" and channel.name == ref.removeprefix("#"):
                return channel
        raise KeyError(ref)

    def direct(self, user: str) -> Channel:
        """The direct message between that person and the bot, made when there is none yet."""
        made = f"D0{user.removeprefix('U')}"
        if made not in self.channels:
            self.channels[made] = Channel(made, user, "im", {user, self.app.bot_user})
        return self.channels[made]

    def named(self, user_id: str) -> str:
        """The name that people see for an id, or the id itself."""
        if user_id == self.app.bot_user:
            return self.app.bot_name
        return self.people[user_id].name if user_id in self.people else user_id


def default_workspace(app: App | None = None) -> Workspace:
    """Team T0SANDBOX: anna (admin), ben, carla (guest), dana; group tpu-ops (anna, ben); #ops with the bot, #general without."""
    people = [
        Person("U0ANNA", "anna", "Anna Berg", "Europe/Berlin", admin=True),
        Person("U0BEN", "ben", "Ben Ito", "America/New_York"),
        Person("U0CARLA", "carla", "Carla Diaz", "Europe/Madrid", restricted=True),
        Person("U0DANA", "dana", "Dana Kim", "Asia/Seoul"),
    ]
    everyone = {p.id for p in people}
    app = app or App()
    channels = [
        Channel("C0OPS", "ops", "public", everyone | {app.bot_user}),
        Channel("C0GENERAL", "general", "public", set(everyone)),
    ]
    return Workspace(
        "T0SANDBOX",
        "Sandbox",
        "sandbox",
        {p.id: p for p in people},
        {c.id: c for c in channels},
        {"S0TPUOPS": Group("S0TPUOPS", "tpu-ops", "TPU operators", ["U0ANNA", "U0BEN"])},
        app,
    )
