"""The Web API by family. `METHODS` is the registry: method name to handler."""

from sandbox.slack.method import Handler
from sandbox.slack.methods import assistant, chat, conversations, files, reactions, streams, team, users, views

METHODS: dict[str, Handler] = {
    **team.METHODS,
    **chat.METHODS,
    **streams.METHODS,
    **conversations.METHODS,
    **users.METHODS,
    **views.METHODS,
    **reactions.METHODS,
    **assistant.METHODS,
    **files.METHODS,
}
"""Every method that the stand-in knows; anything else is unknown_method. apps.connections.open is served by the server itself."""
