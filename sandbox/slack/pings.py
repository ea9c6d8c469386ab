"""Who would be notified: the tokens that Slack acts on in text, mrkdwn and markdown alike.

Markdown blocks and streams parse `<!channel>` and `<@U..>` too; escaped (`&lt;`) they do nothing; plain_text never parses them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.slack.refusal import Json
from sandbox.slack.workspace import Channel, Workspace

TOKEN = re.compile(r"<(!channel|!here|!everyone|@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+)(?:\|[^>]*)?>")
PARSED_KEYS = frozenset({"text", "fallback", "pretext", "markdown_text", "value", "title", "details", "output"})


@dataclass(slots=True)
class Ping:
    """One token of one message: whom it would notify (user ids)."""

    channel: str
    ts: str
    token: str
    people: list[str]
    by_app: bool


def tokens(text: str) -> list[str]:
    """The mention tokens of a text, in order, without their labels."""
    return [match.group(1) for match in TOKEN.finditer(text)]


def mentioned(text: str, blocks: list[Json], attachments: list[Json]) -> list[str]:
    """Each different token of a message. With blocks the text is the notification, so it counts as well."""
    found = tokens(text)
    for part in (*blocks, *attachments):
        found.extend(token for piece in _parsed(part) for token in tokens(piece))
        found.extend(_rich(part))
    return list(dict.fromkeys(found))


def notified(token: str, channel: Channel, workspace: Workspace) -> list[str]:
    """The people a token reaches: members for !channel and !here; named people and group members only when they are members."""
    bots = {p.id for p in workspace.people.values() if p.bot} | {workspace.app.bot_user}
    members = channel.members - bots
    if token in {"!channel", "!here", "!everyone"}:
        return sorted(members)
    if token.startswith("@"):
        return [token[1:]] if token[1:] in members else []
    group = workspace.groups.get(token.removeprefix("!subteam^"))
    return [user for user in group.members if user in members] if group else []


def _parsed(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _parsed(item)
    elif isinstance(node, dict):
        if node.get("type") in {"plain_text", "button", "rich_text", "text"}:
            return
        for key, value in node.items():
            if isinstance(value, str) and key in PARSED_KEYS:
                yield value
            elif isinstance(value, dict | list):
                yield from _parsed(value)


def _rich(node: object) -> Iterator[str]:
    """Mentions that rich text names by element instead of by token."""
    if isinstance(node, list):
        for item in node:
            yield from _rich(item)
    elif isinstance(node, dict):
        match node.get("type"):
            case "user":
                yield f"@{node.get('user_id')}"
            case "usergroup":
                yield f"!subteam^{node.get('usergroup_id')}"
            case "broadcast":
                yield f"!{node.get('range')}"
        for value in node.values():
            if isinstance(value, dict | list):
                yield from _rich(value)
