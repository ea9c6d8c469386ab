"""assistant.threads.*: the status under the box, suggested prompts, the title."""

from sandbox.slack.backend import Status
from sandbox.slack.method import Call
from sandbox.slack.refusal import Json, Refused, invalid_arguments
from sandbox.slack.workspace import Channel

STATUS_SECONDS = 120.0
LOADING_MESSAGES_LIMIT = 10
PROMPTS_LIMIT = 4


def _place(call: Call) -> tuple[Channel, str]:
    channel = call.backend.channel(call.args["channel_id"])
    if call.backend.app.bot_user not in channel.members:
        raise Refused("channel_not_found")
    thread = str(call.args["thread_ts"])
    if call.backend.find(channel.id, thread) is None:
        raise Refused("invalid_thread_ts")
    return channel, thread


def set_status(call: Call) -> Json:
    """assistant.threads.setStatus: shown until the next message there, or for 2 minutes; empty text clears it."""
    channel, thread = _place(call)
    loading = call.structure("loading_messages", "invalid_arguments") or []
    if not isinstance(loading, list) or len(loading) > LOADING_MESSAGES_LIMIT:
        raise invalid_arguments(f"loading_messages takes at most {LOADING_MESSAGES_LIMIT} items")
    status = str(call.args["status"])
    call.backend.statuses.pop((channel.id, thread), None)
    if status:
        call.backend.statuses[channel.id, thread] = Status(status, call.backend.clock.now() + STATUS_SECONDS)
    call.backend.touched()
    return {"ok": True}


def set_suggested_prompts(call: Call) -> Json:
    """assistant.threads.setSuggestedPrompts: in direct messages only, at most 4."""
    channel = call.backend.channel(call.args["channel_id"])
    if channel.kind != "im":
        raise Refused("channel_not_found")
    prompts = call.items("prompts", "invalid_arguments")
    if not 1 <= len(prompts) <= PROMPTS_LIMIT or not all(p.get("title") and p.get("message") for p in prompts):
        raise invalid_arguments(f"prompts takes 1 to {PROMPTS_LIMIT} items with title and message")
    call.backend.prompts[channel.id] = prompts
    call.backend.touched()
    return {"ok": True}


def set_title(call: Call) -> Json:
    """assistant.threads.setTitle."""
    channel, thread = _place(call)
    call.backend.titles[channel.id, thread] = str(call.args["title"])
    call.backend.touched()
    return {"ok": True}


METHODS = {
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setSuggestedPrompts": set_suggested_prompts,
    "assistant.threads.setTitle": set_title,
}
