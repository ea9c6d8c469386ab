"""The payloads of commands, interactions and a few events."""

from typing import Any

from sandbox.slack.backend import Backend, ModalView
from sandbox.slack.message import Message
from sandbox.slack.methods.views import shape
from sandbox.slack.refusal import Json
from sandbox.slack.workspace import Channel, Person


def channel_name(channel: Channel) -> str:
    """The name in payloads; direct messages are all called "directmessage"."""
    return "directmessage" if channel.kind == "im" else ("privategroup" if channel.kind == "private" else channel.name)


def command(backend: Backend, person: Person, place: Channel, word: str, text: str) -> Json:
    """A slash command, still without response_url and trigger_id."""
    return {
        "token": backend.app.verification_token,
        "team_id": person.team_id or backend.workspace.team_id,
        "team_domain": backend.workspace.domain,
        "channel_id": place.id,
        "channel_name": channel_name(place),
        "user_id": person.id,
        "user_name": person.name,
        "command": word,
        "text": text,
        "api_app_id": backend.app.id,
        "is_enterprise_install": "false",
    }


def _by(backend: Backend, person: Person, kind: str) -> Json:
    space, team = backend.workspace, person.team_id or backend.workspace.team_id
    return {
        "type": kind,
        "user": {"id": person.id, "username": person.name, "name": person.name, "team_id": team},
        "api_app_id": backend.app.id,
        "token": backend.app.verification_token,
        "team": {"id": space.team_id, "domain": space.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def in_message(backend: Backend, person: Person, message: Message) -> Json:
    """A press in a message. An ephemeral message is not sent along, as in Slack."""
    channel = backend.workspace.channels[message.channel]
    container: Json = {"type": "message", "message_ts": message.ts, "channel_id": channel.id}
    container["is_ephemeral"] = message.only_for is not None
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    payload = _by(backend, person, "block_actions")
    payload |= {"container": container, "channel": {"id": channel.id, "name": channel_name(channel)}, "state": {"values": {}}}
    if not message.only_for:
        payload["message"] = message.shape(backend.app, with_metadata=True)
    return payload


def in_view(backend: Backend, view: ModalView, kind: str, state: Json | None = None) -> Json:
    """Something that happened in a modal or on the home tab."""
    person = backend.workspace.people[view.user]
    shown: dict[str, Any] = {**shape(view, backend), "state": {"values": state or {}}}
    payload = {**_by(backend, person, kind), "view": shown}
    if kind == "block_actions":
        payload["container"] = {"type": "view", "view_id": view.id}
    if kind == "view_submission":
        payload["response_urls"] = []
    return payload


def shortcut(backend: Backend, person: Person, message: Message, callback_id: str) -> Json:
    """A message shortcut, still without response_url and trigger_id."""
    channel = backend.workspace.channels[message.channel]
    return {
        **_by(backend, person, "message_action"),
        "callback_id": callback_id,
        "action_ts": backend.new_ts(),
        "message_ts": message.ts,
        "channel": {"id": channel.id, "name": channel_name(channel)},
        "message": message.shape(backend.app),
    }


def reaction(backend: Backend, user: str, message: Message, name: str) -> Json:
    """The reaction_added event."""
    item = {"type": "message", "channel": message.channel, "ts": message.ts}
    return {
        "type": "reaction_added",
        "user": user,
        "reaction": name,
        "item": item,
        "item_user": message.user,
        "event_ts": backend.new_ts(),
    }


def home_opened(backend: Backend, person: Person, tab: str) -> Json:
    """The app_home_opened event."""
    event: Json = {"type": "app_home_opened", "user": person.id, "channel": backend.workspace.direct(person.id).id, "tab": tab}
    event["event_ts"] = backend.new_ts()
    if tab == "home" and person.id in backend.homes:
        event["view"] = shape(backend.homes[person.id], backend)
    return event
