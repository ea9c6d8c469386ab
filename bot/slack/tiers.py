"""How often each Web API method may be called.

Source: docs.slack.dev "Rate limits" and each method's page (tiers as of May 2026): tier 1 to 4 are 1, 20, 50 and 100 calls a
minute per method and workspace. chat.postMessage has a rule of its own: about one message a second per channel.
An internal app keeps tier 3 for conversations.history and .replies.
"""

from collections.abc import Mapping

PER_MINUTE: Mapping[str, int] = {
    "chat.update": 50,
    "chat.delete": 50,
    "chat.postEphemeral": 100,
    "chat.startStream": 20,
    "chat.appendStream": 100,
    "chat.stopStream": 20,
    "conversations.history": 50,
    "conversations.info": 50,
    "conversations.open": 50,
    "conversations.replies": 50,
    "files.completeUploadExternal": 100,
    "files.getUploadURLExternal": 100,
    "reactions.add": 50,
    "usergroups.users.list": 20,
    "users.info": 100,
    "views.open": 100,
    "views.publish": 100,
    "views.update": 100,
}
"""Calls a minute, for the whole workspace. Methods that are not listed have no published tier (auth.test, chat.getPermalink)."""
