"""Which permissions of the Slack app each thing needs that the bot does. Source: the methods' pages on docs.slack.dev."""

from collections.abc import Mapping

NEEDED: Mapping[str, frozenset[str]] = {
    "post, change and whisper messages, open windows and the Home tab": frozenset({"chat:write"}),
    "take /gemma": frozenset({"commands"}),
    "hear mentions": frozenset({"app_mentions:read"}),
    "hear direct messages and find mine there": frozenset({"im:history"}),
    "open direct messages": frozenset({"im:write"}),
    "find my messages in channels after a crash": frozenset({"channels:history"}),
    "find my messages in private channels after a crash": frozenset({"groups:history"}),
    "upload charts": frozenset({"files:write"}),
    "tell members from guests": frozenset({"users:read"}),
    "look up user groups with roles": frozenset({"usergroups:read"}),
}
"""What the bot does -> the scopes without which Slack refuses it."""


def missing(granted: frozenset[str]) -> dict[str, str]:
    """What cannot be done, with the scope that it lacks."""
    return {what: ", ".join(sorted(scopes - granted)) for what, scopes in NEEDED.items() if not scopes <= granted}
