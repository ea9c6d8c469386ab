"""What somebody asked for, with where it was said and where the answer belongs."""

import hashlib
from datetime import datetime
from enum import StrEnum

from bot.nouns.base import Noun
from bot.nouns.people import Actor


class Door(StrEnum):
    """The way in. Slash, button, terminal, MCP and model differ only in who wrote the arguments."""

    COMMAND = "command"
    MENTION = "mention"
    MESSAGE = "message"
    BUTTON = "button"
    SHORTCUT = "shortcut"
    MODAL = "modal"
    HOME = "home"
    SCHEDULE = "schedule"
    TERMINAL = "terminal"
    MCP = "mcp"
    MODEL = "model"


class Place(Noun):
    """Where the answer belongs. `thread` is the root message's ts; `direct` a direct message with the bot.

    `message` is the ts of the message the request came from: its own message, or the one that holds the pressed button.
    `response_url` lets an answer be seen by the asker alone (5 uses, 30 minutes); `ephemeral` is set when the button pressed
    sits in a message that only the asker sees.
    """

    channel: str
    thread: str | None = None
    message: str | None = None
    direct: bool = False
    ephemeral: bool = False
    response_url: str | None = None


class Request(Noun):
    """One thing asked, already redacted. `words` is what was typed after `/gemma` or after the mention.

    `id` is the same whenever the same thing arrives again; it is safe in Redis keys and RQ ids ([A-Za-z0-9_-]).
    `approval` is set only where a stored question was answered with yes, never from anything that Slack sent.
    """

    v: int = 1
    id: str
    door: Door
    actor: Actor
    place: Place
    words: str
    at: datetime
    approval: str | None = None


def request_id(*trigger: str) -> str:
    """A stable id from what triggered the request, 32 hex digits of SHA-256: RQ refuses the dots of Slack's own ids."""
    return hashlib.sha256("\x1f".join(trigger).encode()).hexdigest()[:32]
