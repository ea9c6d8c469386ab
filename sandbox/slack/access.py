"""Tokens and scopes: who calls, and whether the app was granted what the method needs."""

from sandbox.slack.method import facts
from sandbox.slack.refusal import Json, Refused
from sandbox.slack.workspace import Channel, Workspace

APP_TOKEN_METHODS = frozenset({"apps.connections.open"})
ANY_TOKEN_METHODS = frozenset({"api.test", "auth.test"})
KIND_SCOPE = {"public": "channels", "private": "groups", "im": "im"}


def check_token(method: str, token: str | None, workspace: Workspace) -> None:
    """Refuses a missing, unknown or wrong kind of token, and a token without the scope that the method needs."""
    if method == "api.test":
        return
    if not token:
        raise Refused("not_authed")
    app = workspace.app
    if token not in {app.bot_token, app.app_token}:
        raise Refused("invalid_auth")
    if method not in ANY_TOKEN_METHODS and (token == app.app_token) != (method in APP_TOKEN_METHODS):
        raise Refused("not_allowed_token_type")
    if method in APP_TOKEN_METHODS:
        require({"connections:write"}, app.app_scopes)
    elif needed := set(facts()[method].scopes):
        require(needed, app.scopes)


def require(any_of: set[str], granted: set[str]) -> None:
    """Refuses when not one of the scopes was granted, naming what is needed and what there is."""
    if not any_of & granted:
        raise Refused("missing_scope", needed=",".join(sorted(any_of)), provided=",".join(sorted(granted)))


def require_for(channel: Channel, what: str, workspace: Workspace) -> None:
    """The scope of that kind of channel: `what` is "read" or "history"."""
    require({f"{KIND_SCOPE[channel.kind]}:{what}"}, workspace.app.scopes)


def token_of(authorization: str | None, args: Json) -> str | None:
    """The token from the header or, as old clients do, from the arguments."""
    if authorization and authorization.lower().startswith("bearer "):
        return authorization[7:].strip()
    given = args.pop("token", None)
    return str(given) if given else None
