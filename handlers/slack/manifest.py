"""The Slack app manifest: what our app is, what it hears, and the least it may do.

Fields: Slack's JSON Schema for manifests 2.0.0. Scopes: the pages of the methods that `bot/slack` calls (see the test).
"""

from typing import Any
from urllib.parse import urlsplit

from bot.errors import UsageError

EVENTS_PATH = "/slack/events"
"""Where Bolt's ASGI adapter listens; commands, buttons and events all arrive there."""

EVENTS = ("app_mention", "app_home_opened", "message.im")
"""What Slack tells us of. Channel messages come in with the agent, which follows threads."""

SCOPES = (
    "app_mentions:read",  # app_mention
    "channels:history",  # looking for a message that we may have posted before a crash
    "chat:write",
    "commands",
    "files:write",  # charts
    "groups:history",  # as channels:history, in private channels
    "im:history",  # message.im; as channels:history, in direct messages
    "im:write",  # opening a direct message with somebody
    "usergroups:read",  # roles given to user groups
    "users:read",  # members are viewers, guests and strangers are not
)


def manifest(http_url: str | None = None) -> dict[str, Any]:
    """The manifest for Socket Mode, or for HTTP when `http_url` (https://host) is given. Raises UsageError for another one."""
    address = None if http_url is None else _events_address(http_url)
    heard: dict[str, Any] = {"bot_events": list(EVENTS)}
    interactivity: dict[str, Any] = {"is_enabled": True}
    if address is not None:
        heard["request_url"] = interactivity["request_url"] = address
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "Gemma",
            "description": "Look after your own Gemma on Cloud TPU: status, incidents, capacity, cost.",
            "background_color": "#1a56b0",
        },
        "features": _features(address),
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": heard,
            "interactivity": interactivity,
            "org_deploy_enabled": False,
            "socket_mode_enabled": address is None,
            "token_rotation_enabled": False,
        },
    }


def _features(address: str | None) -> dict[str, Any]:
    command: dict[str, Any] = {
        "command": "/gemma",
        "description": "Ask about, run and look after Gemma",
        "usage_hint": "status | machines | model | help",
        "should_escape": True,
    }
    if address is not None:
        command["url"] = address
    return {
        "app_home": {"home_tab_enabled": True, "messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
        "bot_user": {"display_name": "gemma", "always_online": True},
        "slash_commands": [command],
        "shortcuts": [
            {
                "name": "Ask Gemma about this",
                "type": "message",
                "callback_id": "ask_about",
                "description": "What a message means for your Gemma, answered in its thread",
            }
        ],
    }


def _events_address(http_url: str) -> str:
    parts = urlsplit(http_url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(
            "Slack sends to a public https address only.", usage="gemma manifest --http-url https://gemma.example.com"
        )
    path = parts.path.rstrip("/")
    return f"https://{parts.netloc}{path if path.endswith(EVENTS_PATH) else path + EVENTS_PATH}"
