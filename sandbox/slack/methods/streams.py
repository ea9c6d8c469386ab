"""chat.*Stream: a message written piece by piece.

One message takes about 12,000 characters in all (observed: 11,977, CopilotKit issue 6064), which is a third-party measurement.
"""

from sandbox.slack.backend import Stream
from sandbox.slack.blockkit import check_blocks
from sandbox.slack.message import Message
from sandbox.slack.method import Call
from sandbox.slack.methods.chat import MARKDOWN_LIMIT, metadata, own_message, posted, thread_of
from sandbox.slack.pings import Ping, notified, tokens
from sandbox.slack.refusal import Json, Refused

STREAM_TOTAL = 11_977
CHUNK_TYPES: dict[str, frozenset[str]] = {
    "markdown_text": frozenset({"text"}),
    "task_update": frozenset({"id", "title", "status"}),
    "plan_update": frozenset({"title"}),
    "blocks": frozenset({"blocks"}),
}
"""Chunk types and the keys each must have."""
TASK_STATES = frozenset({"pending", "in_progress", "complete", "error"})


def start(call: Call) -> Json:
    """chat.startStream: in a thread; in a channel it must name whom it is for."""
    channel = call.backend.writable_channel(call.args["channel"])
    if channel.kind != "im":
        for name in ("recipient_team_id", "recipient_user_id"):
            if not call.args.get(name):
                raise Refused(f"missing_{name}")
        if str(call.args["recipient_user_id"]) not in call.backend.workspace.people:
            raise Refused("user_not_found")
    thread = thread_of(call, channel)
    chunks = _pieces(call)
    message = call.backend.app_message(channel.id, "", [], thread_ts=thread, streaming=True)
    stream = Stream(message.ts, call.backend.clock.now())
    _take(call, stream, message, chunks)
    call.backend.streams[channel.id, message.ts] = stream
    call.backend.statuses.pop((channel.id, thread or ""), None)
    call.backend.add(message)
    return posted(call, channel.id, message)


def append(call: Call) -> Json:
    """chat.appendStream."""
    stream, message = _running(call)
    chunks = _pieces(call)
    if not chunks:
        raise Refused("no_text")
    _feed(call, stream, message, chunks)
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def stop(call: Call) -> Json:
    """chat.stopStream: the last piece, blocks below it, metadata."""
    stream, message = _running(call)
    chunks = _pieces(call)
    blocks = call.items("blocks", "invalid_blocks_format")
    check_blocks(blocks, "message", call.backend.files)
    given = metadata(call)
    before = message.shape(call.backend.app)
    _feed(call, stream, message, chunks)
    stream.stopped, message.streaming = True, False
    message.blocks = [*message.blocks, *blocks]
    message.metadata = given or message.metadata
    call.backend.changed(message, before)
    return posted(call, message.channel, message)


def _running(call: Call) -> tuple[Stream, Message]:
    channel, message = own_message(call, "message_not_owned_by_app")
    stream = call.backend.streams.get((channel.id, message.ts))
    if stream is None or not stream.running(call.backend.clock.now()):
        raise Refused("message_not_in_streaming_state")
    return stream, message


def _pieces(call: Call) -> list[Json]:
    """The pieces of one call, as chunks. Text and chunks do not go together."""
    markdown, chunks = call.text("markdown_text"), call.items("chunks", "invalid_chunks")
    if markdown and chunks:
        raise Refused("markdown_text_conflict")
    if markdown:
        chunks = [{"type": "markdown_text", "text": markdown}]
    for chunk in chunks:
        _check_chunk(call, chunk)
    if sum(len(c["text"]) for c in chunks if c["type"] == "markdown_text") > MARKDOWN_LIMIT:
        raise Refused("msg_too_long")
    return chunks


def _check_chunk(call: Call, chunk: Json) -> None:
    needed = CHUNK_TYPES.get(str(chunk.get("type")))
    if needed is None or any(name not in chunk for name in needed):
        raise Refused("invalid_chunks")
    if any(not isinstance(chunk[name], str) for name in needed - {"blocks"}):
        raise Refused("invalid_chunks")
    if "status" in needed and chunk["status"] not in TASK_STATES:
        raise Refused("invalid_chunks")
    if "blocks" in needed:
        check_blocks(chunk["blocks"], "message", call.backend.files)


def _feed(call: Call, stream: Stream, message: Message, chunks: list[Json]) -> None:
    _take(call, stream, message, chunks)
    call.backend.touched()
    channel = call.backend.workspace.channels[message.channel]
    known = {ping.token for ping in call.backend.pings if ping.ts == message.ts}
    for token in dict.fromkeys(tokens(message.text)):
        if token not in known:
            people = notified(token, channel, call.backend.workspace)
            call.backend.pings.append(Ping(message.channel, message.ts, token, people, by_app=True))


def _take(call: Call, stream: Stream, message: Message, chunks: list[Json]) -> None:
    """Adds pieces to the message. Refused("msg_too_long") leaves it as it was."""
    words = "".join(c["text"] for c in chunks if c["type"] == "markdown_text")
    extra = sum(len(str(c.get("title", "")) + str(c.get("details", "")) + str(c.get("output", ""))) for c in chunks)
    if stream.length + len(words) + extra > STREAM_TOTAL:
        raise Refused("msg_too_long")
    stream.length += len(words) + extra
    message.text += words
    others = [b for b in message.blocks if b["type"] != "markdown"]
    for chunk in chunks:
        others = _with_chunk(others, chunk)
    message.blocks = ([{"type": "markdown", "text": message.text}] if message.text else []) + others


def _with_chunk(blocks: list[Json], chunk: Json) -> list[Json]:
    if chunk["type"] == "blocks":
        return [*blocks, *chunk["blocks"]]
    if chunk["type"] == "task_update":
        card = {"type": "task_card", "task_id": chunk["id"], "title": chunk["title"], "status": chunk["status"]}
        return [b for b in blocks if b.get("task_id") != chunk["id"]] + [card]
    if chunk["type"] == "plan_update":
        return [b for b in blocks if b["type"] != "plan"] + [{"type": "plan", "title": chunk["title"], "tasks": []}]
    return blocks


METHODS = {"chat.startStream": start, "chat.appendStream": append, "chat.stopStream": stop}
