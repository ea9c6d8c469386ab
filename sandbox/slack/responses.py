"""What a response_url does with a message, and how the answer inside an acknowledgement is shown."""

from aiohttp import web

from sandbox.slack.backend import Backend
from sandbox.slack.blockkit import check_blocks
from sandbox.slack.interaction import Interactions, ResponseUrl
from sandbox.slack.message import Message
from sandbox.slack.methods.chat import ATTACHMENTS_LIMIT, POST_TEXT_LIMIT
from sandbox.slack.refusal import Json, Refused

GONE = {"expired_url", "used_url"}


def respond(backend: Backend, interactions: Interactions, key: str, body: Json | None) -> web.Response:
    """One post to a response_url: 200 "ok", 400 with a code for a bad body, 404 when the right is used up."""
    try:
        if body is None:
            raise Refused("invalid_payload")
        act = checked(backend, body)
        url = interactions.use(key)
        act_on(backend, url, act)
    except Refused as refused:
        return web.Response(status=404 if refused.error in GONE else 400, text=refused.error)
    return web.Response(text="ok")


def checked(backend: Backend, body: Json) -> Json:
    """The body, when Slack would take it. Refused: invalid_payload, no_text, invalid_blocks and the other block codes."""
    blocks, attachments = body.get("blocks") or [], body.get("attachments") or []
    if not isinstance(blocks, list) or not isinstance(attachments, list) or not isinstance(body.get("text") or "", str):
        raise Refused("invalid_payload")
    if len(attachments) > ATTACHMENTS_LIMIT:
        raise Refused("too_many_attachments")
    if body.get("delete_original") is True:
        return body
    if not (body.get("text") or blocks or attachments):
        raise Refused("no_text")
    check_blocks(blocks, "message", backend.files)
    return body


def act_on(backend: Backend, url: ResponseUrl, body: Json) -> None:
    """Posts, replaces or deletes. "Original" is the message the button sits in, else what was posted here before."""
    original = url.source or (url.posted if url.own_posts_replaceable else None)
    if body.get("delete_original") is True and original is not None:
        before = original.shape(backend.app)
        original.deleted = True
        backend.changed(original, before, "message_deleted")
        return
    if body.get("delete_original") is True:
        raise Refused("no_text")
    if body.get("replace_original") is True and original is not None:
        before = original.shape(backend.app)
        fill(original, body)
        original.edited = backend.new_ts()
        backend.changed(original, before)
        return
    url.posted = post(backend, url.channel, url.user, body, url)


def post(backend: Backend, channel: str, user: str, body: Json, url: ResponseUrl | None = None) -> Message:
    """A new message from a response: only for that person unless response_type is in_channel."""
    message = backend.app_message(channel, "", [])
    fill(message, body)
    message.only_for = None if body.get("response_type") == "in_channel" else user
    source = url.source if url else None
    message.thread_ts = str(body["thread_ts"]) if body.get("thread_ts") else (source.thread_ts if source else None)
    message.via = url.key if url else None
    return backend.add(message)


def fill(message: Message, body: Json) -> None:
    """Text, blocks and attachments of a response, as the new content of a message."""
    message.text = str(body.get("text") or "")[:POST_TEXT_LIMIT]
    message.blocks = list(body.get("blocks") or [])
    message.attachments = list(body.get("attachments") or [])
