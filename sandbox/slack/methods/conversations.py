"""conversations.*: where messages live, and reading them back."""

import base64
from typing import Any

from sandbox.slack.access import KIND_SCOPE, require, require_for
from sandbox.slack.backend import Backend
from sandbox.slack.message import Message
from sandbox.slack.method import Call
from sandbox.slack.refusal import Json, Refused
from sandbox.slack.workspace import Channel

HISTORY_LIMIT = 999
TYPES = {"public_channel": "public", "private_channel": "private", "im": "im", "mpim": "mpim"}


def shape(channel: Channel, backend: Backend) -> Json:
    """The conversation object."""
    about: Json = {
        "id": channel.id,
        "is_channel": channel.kind == "public",
        "is_group": channel.kind == "private",
        "is_im": channel.kind == "im",
        "is_mpim": False,
        "is_private": channel.kind != "public",
        "is_archived": channel.archived,
        "is_ext_shared": channel.shared,
        "is_member": backend.app.bot_user in channel.members,
        "context_team_id": backend.workspace.team_id,
    }
    if channel.kind == "im":
        return {**about, "user": next(iter(channel.members - {backend.app.bot_user}), "")}
    return {**about, "name": channel.name, "name_normalized": channel.name, "num_members": len(channel.members)}


def page(call: Call, items: list[Any], default: int, most: int) -> tuple[list[Any], Json]:
    """One page of a list and the response_metadata that leads to the next. Refused("invalid_cursor")."""
    start = 0
    if cursor := call.text("cursor"):
        try:
            start = int(base64.b64decode(cursor, validate=True).decode().removeprefix("at:"))
        except ValueError:
            raise Refused("invalid_cursor") from None
    limit = call.number("limit", default, 1, most)
    more = start + limit < len(items)
    following = base64.b64encode(f"at:{start + limit}".encode()).decode() if more else ""
    return items[start : start + limit], {"next_cursor": following}


def within(call: Call, messages: list[Message]) -> list[Message]:
    """Those between `oldest` and `latest`; the ends belong to it only with `inclusive`."""
    inclusive = call.flag("inclusive")
    low, high = _moment(call, "oldest"), _moment(call, "latest")
    if low is not None:
        messages = [m for m in messages if m.ts > low or (inclusive and m.ts == low)]
    if high is not None:
        messages = [m for m in messages if m.ts < high or (inclusive and m.ts == high)]
    return messages


def _moment(call: Call, name: str) -> str | None:
    given = call.text(name)
    if not given or given == "0":
        return None
    try:
        return f"{float(given):.6f}" if "." not in given else given if float(given) >= 0 else None
    except ValueError:
        raise Refused(f"invalid_ts_{name}") from None


def readable(call: Call) -> Channel:
    """A channel whose messages the bot may read: it must be a member."""
    channel = call.backend.channel(call.args["channel"])
    require_for(channel, "history", call.backend.workspace)
    if call.backend.app.bot_user not in channel.members:
        raise Refused("not_in_channel")
    return channel


def with_thread(message: Message, call: Call) -> Json:
    """The message; a thread's root carries its counts."""
    about = message.shape(call.backend.app, with_metadata=call.flag("include_all_metadata"))
    replies = [m for m in call.backend.visible(message.channel) if m.thread_ts == message.ts and m.ts != message.ts]
    if replies:
        users = list(dict.fromkeys(m.user for m in replies))
        about |= {"thread_ts": message.ts, "reply_count": len(replies), "reply_users": users, "latest_reply": replies[-1].ts}
        about["reply_users_count"] = len(users)
    return about


def history(call: Call) -> Json:
    """conversations.history: newest first, replies only when broadcast."""
    channel = readable(call)
    roots = [m for m in call.backend.visible(channel.id) if not m.is_reply() or m.broadcast]
    found, following = page(call, within(call, roots)[::-1], 100, HISTORY_LIMIT)
    answer: Json = {"ok": True, "messages": [with_thread(m, call) for m in found], "has_more": bool(following["next_cursor"])}
    return {**answer, "response_metadata": following} if answer["has_more"] else answer


def replies(call: Call) -> Json:
    """conversations.replies: the root first, then its replies, oldest first."""
    channel = readable(call)
    given = call.backend.find(channel.id, call.args["ts"])
    if given is None or given.only_for:
        raise Refused("thread_not_found")
    root = given.thread_ts or given.ts
    thread = [m for m in call.backend.visible(channel.id) if root in (m.ts, m.thread_ts)]
    first, rest = thread[:1], within(call, thread[1:])
    found, following = page(call, first + rest, 1000, 1000)
    answer: Json = {"ok": True, "messages": [with_thread(m, call) for m in found], "has_more": bool(following["next_cursor"])}
    return {**answer, "response_metadata": following} if answer["has_more"] else answer


def info(call: Call) -> Json:
    """conversations.info."""
    channel = call.backend.channel(call.args["channel"])
    require_for(channel, "read", call.backend.workspace)
    return {"ok": True, "channel": shape(channel, call.backend)}


def members(call: Call) -> Json:
    """conversations.members."""
    channel = call.backend.channel(call.args["channel"])
    require_for(channel, "read", call.backend.workspace)
    found, following = page(call, sorted(channel.members), 100, 1000)
    return {"ok": True, "members": found, "response_metadata": following}


def list_all(call: Call) -> Json:
    """conversations.list: public channels, and private ones and direct messages that the bot is in."""
    asked = [name.strip() for name in (call.text("types") or "public_channel").split(",")]
    if unknown := [name for name in asked if name not in TYPES]:
        raise Refused("invalid_types", response_metadata={"messages": unknown})
    kinds = {TYPES[name] for name in asked}
    for kind in kinds & set(KIND_SCOPE):
        require({f"{KIND_SCOPE[kind]}:read"}, call.backend.workspace.app.scopes)
    bot = call.backend.app.bot_user
    known = [c for c in call.backend.workspace.channels.values() if c.kind in kinds and (c.kind == "public" or bot in c.members)]
    if call.flag("exclude_archived"):
        known = [c for c in known if not c.archived]
    found, following = page(call, known, 100, 1000)
    return {"ok": True, "channels": [shape(c, call.backend) for c in found], "response_metadata": following}


def open_direct(call: Call) -> Json:
    """conversations.open: a direct message with one person; the stand-in has none with several (too_many_users)."""
    if call.args.get("channel"):
        channel = call.backend.channel(call.args["channel"])
        return {"ok": True, "channel": {"id": channel.id}}
    users = [user for user in (call.text("users") or "").split(",") if user]
    if not users:
        raise Refused("users_list_not_supplied")
    if len(users) > 1:
        raise Refused("too_many_users")
    person = call.backend.workspace.people.get(users[0])
    if person is None:
        raise Refused("user_not_found")
    if person.bot:
        raise Refused("cannot_dm_bot")
    require({"im:write"}, call.backend.app.scopes)
    return {"ok": True, "channel": {"id": call.backend.workspace.direct(person.id).id}}


def join(call: Call) -> Json:
    """conversations.join."""
    channel = call.backend.channel(call.args["channel"])
    if channel.kind != "public":
        raise Refused("method_not_supported_for_channel_type")
    if channel.archived:
        raise Refused("is_archived")
    channel.members.add(call.backend.app.bot_user)
    return {"ok": True, "channel": shape(channel, call.backend)}


METHODS = {
    "conversations.history": history,
    "conversations.replies": replies,
    "conversations.info": info,
    "conversations.members": members,
    "conversations.list": list_all,
    "conversations.open": open_direct,
    "conversations.join": join,
}
