"""The only reader of Slack's JSON. What leaves here is plain, redacted and has a stable id."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.diagnosis.secrets import Kind, redact
from bot.nouns import Actor
from bot.requests import Door, Place, Request, request_id
from bot.slack.words import words_of
from handlers.slack.secrets import sealed

WORDS_LIMIT = 4000
"""Characters of what somebody typed that are kept."""

ABOUT = "ask What does this message mean for us, and what should be done about it"
"""What is asked of a message that somebody picks."""

PICKED_LIMIT = 2000
"""Characters of a picked message that are asked about."""

_MENTION = re.compile(r"^\s*<@([A-Z0-9]+)(?:\|[^>]*)?>[\s,:]*")
_LABELLED = re.compile(r"<(?:https?|mailto):[^|>]*\|([^>]*)>")
_UNSEEN = re.compile("[\x00\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_BARE = re.compile(r"<((?:https?|mailto):[^|>]*)>")


@dataclass(frozen=True)
class Said:
    """A request as it was said, and the kinds of secret that were hidden in it before anybody stored it."""

    request: Request
    secrets: tuple[Kind, ...]


Body = Mapping[str, Any]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _plain(raw: str) -> str:
    """Slack's own dress off: links become their words, entities become characters; nothing unseen splits a word."""
    bare = _BARE.sub(r"\1", _LABELLED.sub(r"\1", raw[: WORDS_LIMIT * 4]))
    return _UNSEEN.sub("", html.unescape(bare)).strip()


def _said(door: Door, actor: Actor, place: Place, raw: str, now: datetime, *trigger: str) -> Said:
    """Secrets are hidden before anything is cut off: half a secret would not be known as one."""
    hidden = redact(_plain(raw))
    words = sealed(hidden.text[:WORDS_LIMIT])
    request = Request(id=request_id(*trigger), door=door, actor=actor, place=place, words=words, at=now)
    return Said(request, hidden.found)


def from_command(body: Body, now: datetime) -> Said | None:
    """A slash command; its id is made of its trigger id, which no other command has. None when it is not whole."""
    actor = Actor(team_id=_text(body.get("team_id")), user_id=_text(body.get("user_id")))
    channel, trigger = _text(body.get("channel_id")), _text(body.get("trigger_id"))
    if not (actor.team_id and actor.user_id and channel and trigger):
        return None
    place = Place(
        channel=channel,
        direct=_text(body.get("channel_name")) == "directmessage",
        response_url=_text(body.get("response_url")) or None,
    )
    return _said(Door.COMMAND, actor, place, _text(body.get("text")), now, "command", actor.team_id, trigger)


def from_event(body: Body, now: datetime) -> Said | None:
    """A mention in a channel or a message to the bot alone. None for everything else, other bots' words above all.

    The id is made of channel and ts, so a mention that arrives as two events is one request.
    """
    event = body.get("event")
    if not isinstance(event, Mapping) or event.get("bot_id") or event.get("subtype"):
        return None
    if event.get("type") == "app_home_opened":
        return _home(body, event, now)
    kind, channel, ts = event.get("type"), _text(event.get("channel")), _text(event.get("ts"))
    direct = event.get("channel_type") == "im" or channel.startswith("D")
    if kind != "app_mention" and not (kind == "message" and direct):
        return None
    user_team = _text(event.get("user_team")) or _text(event.get("team")) or _text(body.get("team_id"))
    actor = Actor(team_id=user_team, user_id=_text(event.get("user")))
    if not (actor.team_id and actor.user_id and channel and ts):
        return None
    place = Place(channel=channel, thread=_text(event.get("thread_ts")) or None, message=ts, direct=direct)
    door, words = Door.MESSAGE if direct else Door.MENTION, _MENTION.sub("", _text(event.get("text")))
    return _said(door, actor, place, words, now, "message", _text(body.get("team_id")), channel, ts)


def _home(body: Body, event: Body, now: datetime) -> Said | None:
    """Somebody opens the Home tab; the Messages tab is another one."""
    actor = Actor(team_id=_text(body.get("team_id")), user_id=_text(event.get("user")))
    ts = _text(event.get("event_ts"))
    if event.get("tab") != "home" or not (actor.team_id and actor.user_id and ts):
        return None
    place = Place(channel=actor.user_id, direct=True)
    return _said(Door.HOME, actor, place, "home", now, "home", actor.team_id, actor.user_id, ts)


def from_button(body: Body, now: datetime) -> Said | None:
    """A pressed button: it says its value, as its presser would type it. None when it is not one of ours."""
    actions, user = body.get("actions"), body.get("user")
    if not (isinstance(actions, list) and actions and isinstance(actions[0], Mapping) and isinstance(user, Mapping)):
        return None
    action, held = actions[0], _object(body.get("container"))
    actor = Actor(team_id=_text(user.get("team_id")) or _text(_object(body.get("team")).get("id")), user_id=_text(user.get("id")))
    trigger, at_home = _text(body.get("trigger_id")), _object(body.get("view")).get("type") == "home"
    channel = _text(held.get("channel_id")) or _text(_object(body.get("channel")).get("id")) or (actor.user_id if at_home else "")
    if not (actor.team_id and actor.user_id and channel and trigger and isinstance(action.get("value"), str)):
        return None
    place = Place(
        channel=channel,
        thread=_text(held.get("thread_ts")) or None,
        message=_text(held.get("message_ts")) or None,
        direct=at_home or channel.startswith("D"),
        ephemeral=bool(held.get("is_ephemeral")),
        response_url=_text(body.get("response_url")) or None,
    )
    door = Door.HOME if at_home else Door.BUTTON
    return _said(door, actor, place, action["value"], now, "button", actor.team_id, trigger)


def from_shortcut(body: Body, now: datetime) -> Said | None:
    """A message that somebody picked to ask about: a question with its words, answered in its thread. None when it is not whole.

    Its words are somebody else's: a secret in them is hidden and nobody told, for who picked it did not paste it. Without any
    words the request has none.
    """
    user, message = _object(body.get("user")), _object(body.get("message"))
    actor = Actor(team_id=_text(user.get("team_id")) or _text(_object(body.get("team")).get("id")), user_id=_text(user.get("id")))
    channel, trigger = _text(_object(body.get("channel")).get("id")), _text(body.get("trigger_id"))
    ts = _text(body.get("message_ts")) or _text(message.get("ts"))
    if not (actor.team_id and actor.user_id and channel and trigger and ts):
        return None
    place = Place(
        channel=channel,
        thread=_text(message.get("thread_ts")) or ts,
        message=ts,
        direct=channel.startswith("D"),
        response_url=_text(body.get("response_url")) or None,
    )
    picked = " ".join(_plain(words_of(message, PICKED_LIMIT)).split())
    said = f"{ABOUT}: “{picked}”" if picked else ""
    asked = _said(Door.SHORTCUT, actor, place, said, now, "shortcut", actor.team_id, trigger)
    return Said(asked.request, ())


@dataclass(frozen=True)
class Filled:
    """A form that was sent: who filled it in, where it was asked for, its id with its version, and each field's text by name.

    A ticked box is `true`. Nothing here is redacted yet: whoever takes it says beside the field what does not belong there.
    """

    actor: Actor
    channel: str
    view: tuple[str, str]
    values: Mapping[str, str]


def form_of(body: Body) -> str:
    """Which of our forms was sent; empty when that cannot be told."""
    return _text(_object(body.get("view")).get("callback_id"))


def from_form(body: Body, names: tuple[str, ...]) -> Filled | None:
    """The fields of these names; one that is not there is empty. None when it cannot be told who sent it or where it belongs.

    `block_id` and `action_id` of a field are both its name; `private_metadata` is the channel.
    """
    view, user = _object(body.get("view")), _object(body.get("user"))
    actor = Actor(team_id=_text(user.get("team_id")) or _text(_object(body.get("team")).get("id")), user_id=_text(user.get("id")))
    channel, view_id = _text(view.get("private_metadata")), _text(view.get("id"))
    if not (actor.team_id and actor.user_id and channel and view_id):
        return None
    state = _object(_object(view.get("state")).get("values"))
    values = {name: _field(_object(_object(state.get(name)).get(name))) for name in names}
    return Filled(actor, channel, (view_id, _text(view.get("hash"))), values)


def _field(of: Body) -> str:
    return "true" if of.get("selected_options") else _UNSEEN.sub("", _text(of.get("value"))).strip()
