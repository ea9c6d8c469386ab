"""What becomes of what people type: names turn into ids, and the three special characters into entities."""

import re

from sandbox.slack.workspace import Workspace

NAME = re.compile(r"(?<![\w&])([@#])([a-z0-9][a-z0-9._-]*)", re.IGNORECASE)
URL = re.compile(r"https?://[^\s<>|]+")
BROADCASTS = {"channel": "<!channel>", "here": "<!here>", "everyone": "<!everyone>"}


def escaped(text: str, workspace: Workspace) -> str:
    """The text of a message: entities, then mentions and links as tokens."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = URL.sub(lambda match: f"<{match.group(0)}>", plain)
    return with_names(plain, workspace)


def slash_text(text: str, workspace: Workspace) -> str:
    """The text of a slash command with should_escape: mentions carry their names. Entities as in messages."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _named(plain, workspace, labels=True)


def with_names(text: str, workspace: Workspace) -> str:
    """The text with @names and #names as tokens."""
    return _named(text, workspace, labels=False)


def _named(text: str, workspace: Workspace, labels: bool) -> str:
    def token(match: re.Match[str]) -> str:
        name = match.group(2).rstrip(".-_")
        rest = match.group(2)[len(name) :]
        found = _token(match.group(1), name, workspace, labels)
        return f"{found}{rest}" if found else match.group(0)

    return NAME.sub(token, text)


def _token(sign: str, name: str, workspace: Workspace, labels: bool) -> str | None:
    ids = {"#": {c.name: c.id for c in workspace.channels.values() if c.kind != "im"}}
    ids["@"] = {**{p.name: p.id for p in workspace.people.values()}, workspace.app.bot_name: workspace.app.bot_user}
    if name in ids[sign]:
        return f"<{sign}{ids[sign][name]}|{name}>" if labels or sign == "#" else f"<@{ids['@'][name]}>"
    if sign == "#":
        return None
    for group in workspace.groups.values():
        if group.handle == name:
            return f"<!subteam^{group.id}|@{name}>" if labels else f"<!subteam^{group.id}>"
    return BROADCASTS.get(name)
