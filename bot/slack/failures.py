"""What went wrong with a call to Slack, as the error of whoever moves next. No token and no message text gets into it."""

from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError

from bot.errors import BotError, PersonMovesNext, RetryLater, WeMoveNext

RATE_LIMITED = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
TROUBLE_THERE = frozenset(
    {"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", "update_failed"}
)
GONE = frozenset({"message_not_found", "thread_not_found", "cant_update_message", "edit_window_closed"})

FIXES: Mapping[str, tuple[str, str]] = {
    "not_in_channel": ("I am not a member of that channel.", "Say /invite @gemma there, then ask again."),
    "channel_not_found": (
        "I cannot see that channel.",
        "Say /invite @gemma there (private channels are invisible to me before).",
    ),
    "is_archived": ("That channel is archived.", "Ask again in a channel that is in use."),
    "user_not_in_channel": (
        "The person who asked is not a member of that channel.",
        "Join the channel, or ask me in a direct message.",
    ),
    "restricted_action": (
        "This workspace does not let me post there.",
        "A workspace admin can allow it in the channel's settings.",
    ),
    "messages_tab_disabled": (
        "My direct messages are switched off.",
        "Switch on the Messages tab under App Home of the Slack app.",
    ),
    "missing_scope": ("The Slack app lacks a permission", "Install the app again from slack-manifest.json."),
    "invalid_auth": (
        "Slack does not accept the bot token.",
        "Set SLACK_BOT_TOKEN to the token on the app's OAuth page and restart.",
    ),
    "not_authed": ("Slack got no bot token.", "Set SLACK_BOT_TOKEN to the token on the app's OAuth page and restart."),
    "account_inactive": ("The Slack app was removed from this workspace.", "Install the app again and set SLACK_BOT_TOKEN."),
    "token_revoked": ("The bot token was revoked.", "Install the app again and set SLACK_BOT_TOKEN."),
    "token_expired": ("The bot token has expired.", "Switch token rotation off for the app, or set a new SLACK_BOT_TOKEN."),
    "plan_upgrade_required": (
        "This Slack plan has no user groups.",
        "Name the people by their user ids in the settings instead.",
    ),
    "no_such_subteam": ("That user group does not exist.", "Correct the group's id in the settings."),
    "user_not_found": ("Slack does not know that user.", "Check the user id."),
    "user_not_visible": ("That user cannot be seen from this workspace.", "Check the user id."),
    "user_disabled": ("That user's account is switched off.", "Name somebody else."),
    "expired_trigger_id": ("The window took longer than 3 seconds to open, so Slack refused it.", "Press it again."),
    "exchanged_trigger_id": ("That press has already opened a window.", "Press it again."),
    "trigger_exchanged": ("That press has already opened a window.", "Press it again."),
    "hash_conflict": ("That window was changed by somebody else in the meantime.", "Open it again."),
    "not_found": ("That window is closed.", "Open it again."),
    "file_uploads_disabled": ("This workspace does not let me upload pictures.", "A workspace admin can allow file uploads."),
    "storage_limit_reached": ("This workspace has no room left for files.", "A workspace admin can free or buy some."),
    "expired_url": ("That place for an answer has expired: Slack keeps it 30 minutes.", "Ask again."),
    "used_url": ("That place for an answer is used up: Slack takes 5 answers.", "Ask again."),
}
"""Slack's error code -> what failed, what a person can do."""


BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "view_too_large"})


class BlocksRefusedError(WeMoveNext):
    """Slack does not take the blocks we built, or does not have the picture in them yet."""


class MessageGoneError(PersonMovesNext):
    """The message to change, or the thread to look in, no longer exists."""


class PlaceGoneError(PersonMovesNext):
    """A response_url no longer takes answers; a caller with another place uses that."""


def from_api(error: SlackApiError, method: str, *, writes: bool) -> BotError:
    """The error for an answer of Slack that is not ok."""
    status, data = _read(error)
    code = str(data.get("error", ""))
    if status == 429 or code in RATE_LIMITED:
        return RetryLater(f"Slack asks us to slow down ({method}).", after_s=_retry_after(error), arrived=False)
    if status >= 500 or code in TROUBLE_THERE or not code:
        return _trouble(f"Slack could not do {method} just now (HTTP {status}).", writes)
    if code in GONE:
        return MessageGoneError("That message is no longer there.", next_step="I post a new one.")
    return refused(code, method, data)


def refused(code: str, method: str, data: Mapping[str, Any]) -> BotError:
    """The error for one of Slack's error codes."""
    if code in {"expired_url", "used_url"}:
        return PlaceGoneError(FIXES[code][0], next_step=FIXES[code][1])
    if code in FIXES:
        failed, fix = FIXES[code]
        needed = str(data.get("needed", ""))[:100]
        return PersonMovesNext(f"{failed}: {needed} (for {method})." if code == "missing_scope" else failed, next_step=fix)
    kind = BlocksRefusedError if code in BLOCKS_REFUSED else WeMoveNext
    return kind(f"Slack refused {method}: {code[:80]}{_paths(data)}")


def from_network(error: Exception, method: str, *, writes: bool) -> RetryLater:
    """The error for no answer at all. Only a connection that was never made tells that nothing arrived."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return RetryLater(f"Slack cannot be reached ({method}).", arrived=False)
    return _trouble(f"The connection to Slack broke during {method}.", writes)


def _trouble(failed: str, writes: bool) -> RetryLater:
    return RetryLater(failed, arrived=None if writes else False)


def _read(error: SlackApiError) -> tuple[int, Mapping[str, Any]]:
    """Status and body; the SDK hands over its own response, or aiohttp's when the body is not JSON."""
    response = error.response
    status = getattr(response, "status_code", None) or getattr(response, "status", None) or 0
    data = getattr(response, "data", None)
    return int(status), data if isinstance(data, Mapping) else {}


def _retry_after(error: SlackApiError) -> float | None:
    headers = getattr(error.response, "headers", None) or {}
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), None)
    try:
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return None


def _paths(data: Mapping[str, Any]) -> str:
    """Slack's own hints where in the blocks the fault is: only the JSON pointer, for the rest may quote a message."""
    meta = data.get("response_metadata")
    messages = meta.get("messages", []) if isinstance(meta, Mapping) else []
    pointers = [str(one).split("json-pointer:", 1)[1].strip(" ]")[:60] for one in messages if "json-pointer:" in str(one)]
    return f" at {', '.join(pointers[:3])}" if pointers else ""
