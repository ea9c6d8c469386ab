"""The REST front: v2alpha1 queued resources with provisioningModel and runDuration, and the stand-in's own doors."""

import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from sandbox.google import listing, refusals, rest_body
from sandbox.google.control import add_control
from sandbox.google.desk import Desk
from sandbox.google.refusals import HTTP_STATUS, Refusal

LARGEST_BODY = 4 * 1024 * 1024
_PARENT = "/v2alpha1/projects/{project}/locations/{zone}"
_LIST_QUERY = frozenset({"pageSize", "pageToken"})
_COMMON_QUERY = frozenset({"alt", "prettyPrint", "fields", "key", "$alt"})


class RestFront:
    """Handlers over one desk."""

    def __init__(self, desk: Desk) -> None:
        """Answer for this project."""
        self._desk = desk

    async def create(self, request: web.Request) -> web.Response:
        """POST queuedResources?queuedResourceId=&requestId="""
        parent, body = _parent(request), await request.read()

        def act() -> dict[str, Any]:
            query = _query(request, {"queuedResourceId", "requestId"})
            queued, terms = rest_body.read(body, self._desk.project.world.agenda.moment)
            made = self._desk.project.queued.create(
                parent, query.get("queuedResourceId", ""), queued, terms, query.get("requestId", "")
            )
            return rest_body.operation(made)

        return await self._answer("CreateQueuedResource", parent, act)

    async def list(self, request: web.Request) -> web.Response:
        """GET queuedResources?pageSize=&pageToken="""
        parent = _parent(request)

        def act() -> dict[str, Any]:
            query = _query(request, _LIST_QUERY)
            found = listing.queued(self._desk.project, parent, _size(query), query.get("pageToken", ""))
            shown: dict[str, Any] = {"queuedResources": [rest_body.shown(record) for record in found.items]}
            shown |= {"nextPageToken": found.next_token, "unreachable": found.unreachable}
            return {key: value for key, value in shown.items() if value}

        return await self._answer("ListQueuedResources", parent, act)

    async def get(self, request: web.Request) -> web.Response:
        """GET queuedResources/ID"""
        name = _name(request)

        def act() -> dict[str, Any]:
            _query(request, frozenset())
            return rest_body.shown(self._desk.project.queued.get(name))

        return await self._answer("GetQueuedResource", name, act)

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE queuedResources/ID?force=&requestId="""
        name = _name(request)

        def act() -> dict[str, Any]:
            query = _query(request, {"force", "requestId"})
            force = _truth(query.get("force", "false"))
            return rest_body.operation(self._desk.project.queued.delete(name, force, query.get("requestId", "")))

        return await self._answer("DeleteQueuedResource", name, act)

    async def operation(self, request: web.Request) -> web.Response:
        """GET operations/ID"""
        name = f"{_parent(request)}/operations/{request.match_info['id']}"
        return await self._answer("GetOperation", name, lambda: rest_body.operation(self._desk.project.operations.get(name)))

    async def _answer(self, method: str, resource: str, act: Callable[[], dict[str, Any]]) -> web.Response:
        try:
            return web.json_response(await self._desk.handle("rest", method, resource, act))
        except Refusal as refusal:
            return error_response(refusal)


def application(desk: Desk) -> web.Application:
    """The aiohttp application."""
    front = RestFront(desk)
    app = web.Application(client_max_size=LARGEST_BODY)
    app.router.add_post(_PARENT + "/queuedResources", front.create)
    app.router.add_get(_PARENT + "/queuedResources", front.list)
    app.router.add_get(_PARENT + "/queuedResources/{id}", front.get)
    app.router.add_delete(_PARENT + "/queuedResources/{id}", front.delete)
    app.router.add_get(_PARENT + "/operations/{id}", front.operation)
    add_control(app, desk)
    return app


def error_response(refusal: Refusal) -> web.Response:
    """Google's JSON error."""
    status = HTTP_STATUS[refusal.code]
    error: dict[str, Any] = {"code": status, "message": refusal.message, "status": refusal.status}
    if refusal.reason:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [{"@type": kind, "reason": refusal.reason, "domain": "googleapis.com"}]
    return web.Response(status=status, text=json.dumps({"error": error}), content_type="application/json")


def _parent(request: web.Request) -> str:
    return f"projects/{request.match_info['project']}/locations/{request.match_info['zone']}"


def _name(request: web.Request) -> str:
    return f"{_parent(request)}/queuedResources/{request.match_info['id']}"


def _query(request: web.Request, known: frozenset[str] | set[str]) -> dict[str, str]:
    """The query, or a Refusal for a parameter that the method does not have."""
    for key in request.query:
        if key not in known and key not in _COMMON_QUERY:
            raise refusals.invalid(f'Invalid JSON payload received. Unknown name "{key[:80]}": Cannot bind query parameter.')
    return dict(request.query)


def _size(query: dict[str, str]) -> int:
    try:
        return int(query.get("pageSize", "0"))
    except ValueError:
        raise refusals.invalid("Invalid value at 'page_size' (TYPE_INT32)") from None


def _truth(word: str) -> bool:
    if word not in {"true", "false"}:
        raise refusals.invalid("Invalid value at 'force' (TYPE_BOOL)")
    return word == "true"
