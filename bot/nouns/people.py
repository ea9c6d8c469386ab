"""Who asks, what they may do, and what an operation does to the world."""

from enum import IntEnum, StrEnum

from bot.nouns.base import Noun


class Role(IntEnum):
    """What somebody may do. Ordered: an ADMIN may do all that an OPERATOR may."""

    NOBODY = 0
    VIEWER = 1
    OPERATOR = 2
    ADMIN = 3


class Effect(StrEnum):
    """What an operation does to the world outside."""

    READS = "reads"
    CHANGES = "changes"
    SPENDS = "spends"
    DESTROYS = "destroys"


class SeenBy(StrEnum):
    """Who sees an answer: the person who asked, or the whole channel."""

    YOU = "you"
    CHANNEL = "channel"


class Actor(Noun):
    """Somebody in one Slack workspace, or a terminal user mapped to one."""

    team_id: str
    user_id: str


class Standing(StrEnum):
    """What somebody is in the workspace. Full members may look at everything; guests, strangers and bots may do nothing."""

    MEMBER = "member"
    GUEST = "guest"
    STRANGER = "stranger"
    BOT = "bot"
