"""chat.*: post, update, delete, ephemeral and permalinks."""

import json
import re

from sandbox.slack.blockkit import check_blocks
from sandbox.slack.message import Message
from sandbox.slack.method import Call
from sandbox.slack.refusal import Json, Refused
from sandbox.slack.typed import with_names
from sandbox.slack.workspace import Channel

POST_TEXT_LIMIT = 40_000
"""Longer text is cut off, not refused (facts on chat.postMessage)."""
UPDATE_TEXT_LIMIT = 4_000
MARKDOWN_LIMIT = 12_000
METADATA_LIMIT = 16_000
"""Bytes of the metadata payload; Slack says "too large" without a figure, so this one is an assumption."""
ATTACHMENTS_LIMIT = 100
TS = re.compile(r"^\d{10}\.\d{6}$")


def content(call: Call, text_limit: int | None = None) -> tuple[str, list[Json], list[Json]]:
    """Text, blocks and attachments of a message, checked as Slack checks them."""
    text, markdown = linked(call), call.text("markdown_text")
    blocks = call.items("blocks", "invalid_blocks_format")
    attachments = call.items("attachments", "invalid_attachments")
    if markdown is not None:
        return _markdown(markdown, text, blocks), [{"type": "markdown", "text": markdown}], attachments
    if not (text or blocks or attachments):
        raise Refused("no_text")
    if text_limit and len(text) > text_limit:
        raise Refused("msg_too_long")
    if len(attachments) > ATTACHMENTS_LIMIT:
        raise Refused("too_many_attachments")
    check_blocks(blocks, "message", call.backend.files)
    for attachment in attachments:
        check_blocks(attachment.get("blocks") or [], "message", call.backend.files)
    return text[:POST_TEXT_LIMIT], blocks, attachments


def linked(call: Call) -> str:
    """The text. With link_names or parse=full Slack turns plain @names into mentions, which then notify."""
    text = call.text("text") or ""
    return with_names(text, call.backend.workspace) if call.flag("link_names") or call.args.get("parse") == "full" else text


def _markdown(markdown: str, text: str, blocks: list[Json]) -> str:
    if text or blocks:
        raise Refused("markdown_text_conflict")
    if not markdown:
        raise Refused("no_text")
    if len(markdown) > MARKDOWN_LIMIT:
        raise Refused("msg_too_long")
    return markdown


def metadata(call: Call) -> Json | None:
    """Message metadata: event_type and an event_payload of flat values or lists and objects."""
    given = call.structure("metadata", "invalid_metadata_format")
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) - {"event_type", "event_payload", "entities"}:
        raise Refused("invalid_metadata_format")
    if not isinstance(given.get("event_type"), str) or not isinstance(given.get("event_payload"), dict):
        raise Refused("invalid_metadata_format")
    if len(json.dumps(given).encode()) > METADATA_LIMIT:
        raise Refused("metadata_too_large")
    return given


def thread_of(call: Call, channel: Channel, name: str = "thread_ts") -> str | None:
    """The thread to post into: its root's ts. A reply's ts leads to its root."""
    given = call.text(name)
    if not given:
        return None
    if not TS.match(given):
        raise Refused("invalid_thread_ts", response_metadata={"messages": [f"[ERROR] {given} is not a valid thread_ts"]})
    found = call.backend.find(channel.id, given)
    if found is None or found.kind != "message":
        raise Refused("thread_not_found")
    if found.only_for:
        raise Refused("cannot_reply_to_message")
    return found.thread_ts or found.ts


def post_message(call: Call) -> Json:
    """chat.postMessage."""
    channel = call.backend.writable_channel(call.args["channel"])
    text, blocks, attachments = content(call)
    message = call.backend.app_message(channel.id, text, blocks, attachments=attachments, metadata=metadata(call))
    message.thread_ts = thread_of(call, channel)
    message.broadcast = call.flag("reply_broadcast")
    call.backend.add(message)
    call.backend.statuses.pop((channel.id, message.thread_ts or ""), None)
    return posted(call, channel.id, message)


def posted(call: Call, channel: str, message: Message) -> Json:
    """The answer to a new message."""
    return {"ok": True, "channel": channel, "ts": message.ts, "message": message.shape(call.backend.app, with_metadata=True)}


def own_message(call: Call, refusal: str) -> tuple[Channel, Message]:
    """The bot's own message that `channel` and `ts` name."""
    channel = call.backend.channel(call.args["channel"])
    message = call.backend.find(channel.id, call.args["ts"])
    if message is None or message.only_for or message.kind != "message":
        raise Refused("message_not_found")
    if not message.by_app:
        raise Refused(refusal)
    return channel, message


def update(call: Call) -> Json:
    """chat.update: replaces the text. Blocks and attachments stay when they are not given; an empty list removes them.

    Slack's method page says so, and python-slack-sdk issue 523 saw it: text alone changes nothing that people see.
    """
    channel, message = own_message(call, "cant_update_message")
    stream = call.backend.streams.get((channel.id, message.ts))
    if stream and stream.running(call.backend.clock.now()):
        raise Refused("streaming_state_conflict")
    text, blocks, attachments = content(call, UPDATE_TEXT_LIMIT)
    before = message.shape(call.backend.app)
    given = metadata(call)
    message.text, message.edited, message.streaming = text, call.backend.new_ts(), False
    message.blocks = blocks if blocks or "blocks" in call.args else message.blocks
    message.attachments = attachments if "attachments" in call.args else message.attachments
    message.metadata = given if given is not None else message.metadata
    call.backend.changed(message, before)
    shape = message.shape(call.backend.app, with_metadata=True)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "text": message.text, "message": shape}


def delete(call: Call) -> Json:
    """chat.delete."""
    channel, message = own_message(call, "cant_delete_message")
    message.deleted = True
    call.backend.changed(message, message.shape(call.backend.app), "message_deleted")
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def post_ephemeral(call: Call) -> Json:
    """chat.postEphemeral: only for somebody who is in the channel."""
    channel = call.backend.writable_channel(call.args["channel"])
    user = str(call.args["user"])
    if user not in call.backend.workspace.people or user not in channel.members:
        raise Refused("user_not_in_channel")
    text, blocks, attachments = content(call)
    message = call.backend.app_message(channel.id, text, blocks, attachments=attachments, only_for=user)
    message.thread_ts = thread_of(call, channel)
    call.backend.add(message)
    return {"ok": True, "message_ts": message.ts}


def permalink(call: Call) -> Json:
    """chat.getPermalink."""
    channel = call.backend.channel(call.args["channel"])
    message = call.backend.find(channel.id, call.args["message_ts"])
    if message is None or message.only_for:
        raise Refused("message_not_found")
    link = f"https://{call.backend.workspace.domain}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply():
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"ok": True, "channel": channel.id, "permalink": link}


METHODS = {
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete,
    "chat.postEphemeral": post_ephemeral,
    "chat.getPermalink": permalink,
}
