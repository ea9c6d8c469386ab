"""The app as its manifest declares it, so that a scope or an event missing there is missing here too."""

from typing import Any

from sandbox.slack.refusal import Json
from sandbox.slack.workspace import App

EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "subteam_updated": "usergroups:read",
    "subteam_members_changed": "usergroups:read",
}
"""The scope without which Slack does not let an app subscribe (event pages of Slack's documentation, from memory)."""


def installed(manifest: Json) -> App:
    """An app with exactly the scopes, events, commands and shortcuts of a manifest. ValueError when it declares no bot."""
    features: Json = manifest.get("features") or {}
    bot: Json = features.get("bot_user") or {}
    if not bot.get("display_name"):
        raise ValueError("the manifest has no features.bot_user.display_name")
    settings: Json = manifest.get("settings") or {}
    app = App(name=manifest["display_information"]["name"], bot_name=bot["display_name"])
    app.scopes = set(_at(manifest, "oauth_config", "scopes", "bot") or [])
    app.events = set(_at(settings, "event_subscriptions", "bot_events") or [])
    app.commands = {command["command"] for command in features.get("slash_commands") or []}
    shortcuts = [shortcut for shortcut in features.get("shortcuts") or [] if shortcut["type"] == "message"]
    app.shortcuts = {shortcut["callback_id"]: shortcut["name"] for shortcut in shortcuts}
    app.interactive = bool(_at(settings, "interactivity", "is_enabled"))
    if not settings.get("socket_mode_enabled"):
        app.app_scopes = set()
    return app


def hears(app: App, subscription: str) -> bool:
    """Whether the app gets events of a subscription: it must be subscribed and hold the scope."""
    needed = EVENT_SCOPES.get(subscription)
    return subscription in app.events and (needed is None or needed in app.scopes)


def _at(tree: Json, *path: str) -> Any:
    node: Any = tree
    for key in path:
        node = (node or {}).get(key)
    return node
