"""reactions.*."""

import re

from sandbox.slack.message import Message
from sandbox.slack.method import Call
from sandbox.slack.refusal import Json, Refused

EMOJI_NAME = re.compile(r"^[a-z0-9_+'-]{1,100}$")


def _target(call: Call) -> tuple[Message, str]:
    if not (call.args.get("channel") and call.args.get("timestamp")):
        raise Refused("no_item_specified")
    channel = call.backend.channel(call.args["channel"])
    if call.backend.app.bot_user not in channel.members:
        raise Refused("not_in_channel")
    message = call.backend.find(channel.id, call.args["timestamp"])
    if message is None or message.only_for:
        raise Refused("message_not_found")
    name = str(call.args["name"]).strip(":")
    if not EMOJI_NAME.match(name):
        raise Refused("invalid_name")
    return message, name


def add(call: Call) -> Json:
    """reactions.add."""
    message, name = _target(call)
    users = message.reactions.setdefault(name, [])
    if call.backend.app.bot_user in users:
        raise Refused("already_reacted")
    users.append(call.backend.app.bot_user)
    call.backend.touched()
    return {"ok": True}


def remove(call: Call) -> Json:
    """reactions.remove."""
    message, name = _target(call)
    users = message.reactions.get(name, [])
    if call.backend.app.bot_user not in users:
        raise Refused("no_reaction")
    users.remove(call.backend.app.bot_user)
    message.reactions = {n: us for n, us in message.reactions.items() if us}
    call.backend.touched()
    return {"ok": True}


METHODS = {"reactions.add": add, "reactions.remove": remove}
