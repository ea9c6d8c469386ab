"""What all REST fronts share: paths, queries, and answers as Google's JSON."""

import json
from collections.abc import Awaitable, Callable, Set
from typing import Any

from aiohttp import web

from sandbox.google import refusals
from sandbox.google.desk import Desk
from sandbox.google.refusals import HTTP_STATUS, Refusal

PARENT = "/v2alpha1/projects/{project}/locations/{zone}"
LIST_QUERY = frozenset({"pageSize", "pageToken"})
_COMMON_QUERY = frozenset({"alt", "prettyPrint", "fields", "key", "$alt"})

Handler = Callable[[web.Request], Awaitable[web.Response]]


async def answered(desk: Desk, method: str, resource: str, act: Callable[[], dict[str, Any]]) -> web.Response:
    """Carry out one call at the desk; its answer, or Google's error."""
    try:
        return web.json_response(await desk.handle("rest", method, resource, act))
    except Refusal as refusal:
        return error_response(refusal)


def error_response(refusal: Refusal) -> web.Response:
    """Google's JSON error."""
    status = HTTP_STATUS[refusal.code]
    error: dict[str, Any] = {"code": status, "message": refusal.message, "status": refusal.status}
    if refusal.reason:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [{"@type": kind, "reason": refusal.reason, "domain": "googleapis.com"}]
    return web.Response(status=status, text=json.dumps({"error": error}), content_type="application/json")


def parent_of(request: web.Request) -> str:
    """projects/P/locations/Z of the path."""
    return f"projects/{request.match_info['project']}/locations/{request.match_info['zone']}"


def query_of(request: web.Request, known: Set[str]) -> dict[str, str]:
    """The query, or a Refusal for a parameter that the method does not have."""
    for key in request.query:
        if key not in known and key not in _COMMON_QUERY:
            raise refusals.invalid(f'Invalid JSON payload received. Unknown name "{key[:80]}": Cannot bind query parameter.')
    return dict(request.query)


def page_size(query: dict[str, str]) -> int:
    """pageSize, 0 when it is not said."""
    try:
        return int(query.get("pageSize", "0"))
    except ValueError:
        raise refusals.invalid("Invalid value at 'page_size' (TYPE_INT32)") from None


def truth(word: str) -> bool:
    """A boolean as a query writes it."""
    if word not in {"true", "false"}:
        raise refusals.invalid("Invalid value at 'force' (TYPE_BOOL)")
    return word == "true"


def object_of(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; an empty body is an empty object."""
    if not body:
        return {}
    try:
        fields = json.loads(body)
    except ValueError:
        raise refusals.invalid("Invalid JSON payload received. Unable to parse the body.") from None
    if not isinstance(fields, dict):
        raise refusals.invalid("Invalid JSON payload received. Root element must be a message.")
    return fields
