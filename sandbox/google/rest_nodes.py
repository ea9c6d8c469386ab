"""The REST front for nodes, accelerator types and guest attributes (v2alpha1)."""

from typing import Any

from aiohttp import web
from google.cloud import tpu_v2alpha1 as tpu
from google.protobuf import json_format

from sandbox.google import listing, refusals, rest_body
from sandbox.google.desk import Desk
from sandbox.google.guest import guest_attributes
from sandbox.google.nodes import NodeRecord
from sandbox.google.rest_wire import LIST_QUERY, PARENT, answered, object_of, page_size, parent_of, query_of

_NODE = PARENT + "/nodes/{id:[^:/{}]+}"


def add_nodes(app: web.Application, desk: Desk) -> None:
    """Add the routes."""
    front = NodeFront(desk)
    app.router.add_get(PARENT + "/nodes", front.list)
    app.router.add_get(_NODE, front.get)
    app.router.add_delete(_NODE, front.delete)
    app.router.add_patch(_NODE, front.update)
    app.router.add_post(_NODE + ":start", front.start)
    app.router.add_post(_NODE + ":stop", front.stop)
    app.router.add_post(_NODE + ":getGuestAttributes", front.attributes)
    app.router.add_get(PARENT + "/acceleratorTypes", front.types)


class NodeFront:
    """Handlers over one desk."""

    def __init__(self, desk: Desk) -> None:
        """Answer for this project."""
        self._desk = desk

    async def list(self, request: web.Request) -> web.Response:
        """GET nodes?pageSize=&pageToken="""
        parent = parent_of(request)

        def act() -> dict[str, Any]:
            query = query_of(request, LIST_QUERY)
            found = listing.nodes(self._desk.project, parent, page_size(query), query.get("pageToken", ""))
            return _page("nodes", found)

        return await answered(self._desk, "ListNodes", parent, act)

    async def get(self, request: web.Request) -> web.Response:
        """GET nodes/ID"""
        name = _name(request)

        def act() -> dict[str, Any]:
            return self._shown(self._desk.project.nodes.get(name))

        return await answered(self._desk, "GetNode", name, act)

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE nodes/ID?requestId="""
        name = _name(request)

        def act() -> dict[str, Any]:
            query = query_of(request, {"requestId"})
            return rest_body.operation(self._desk.project.nodes.delete(name, query.get("requestId", "")))

        return await answered(self._desk, "DeleteNode", name, act)

    async def update(self, request: web.Request) -> web.Response:
        """PATCH nodes/ID?updateMask="""
        name, body = _name(request), await request.read()

        def act() -> dict[str, Any]:
            paths = [_snake(path) for path in query_of(request, {"updateMask"}).get("updateMask", "").split(",") if path]
            node = _message(tpu.Node.pb()(), object_of(body))
            node.name = name
            return rest_body.operation(self._desk.project.nodes.update(node, paths))

        return await answered(self._desk, "UpdateNode", name, act)

    async def start(self, request: web.Request) -> web.Response:
        """POST nodes/ID:start"""
        name = _name(request)
        return await answered(self._desk, "StartNode", name, lambda: rest_body.operation(self._desk.project.nodes.start(name)))

    async def stop(self, request: web.Request) -> web.Response:
        """POST nodes/ID:stop"""
        name = _name(request)
        return await answered(self._desk, "StopNode", name, lambda: rest_body.operation(self._desk.project.nodes.stop(name)))

    async def attributes(self, request: web.Request) -> web.Response:
        """POST nodes/ID:getGuestAttributes with queryPath and workerIds."""
        name, body = _name(request), await request.read()

        def act() -> dict[str, Any]:
            asked = _message(tpu.GetGuestAttributesRequest.pb()(), object_of(body))
            asked.name = name
            return _json(guest_attributes(self._desk.project, asked))

        return await answered(self._desk, "GetGuestAttributes", name, act)

    async def types(self, request: web.Request) -> web.Response:
        """GET acceleratorTypes?filter=&pageSize=&pageToken="""
        parent = parent_of(request)

        def act() -> dict[str, Any]:
            query = query_of(request, LIST_QUERY | {"filter", "orderBy"})
            asked = tpu.ListAcceleratorTypesRequest.pb()(
                filter=query.get("filter", ""), page_size=page_size(query), page_token=query.get("pageToken", "")
            )
            return _page("acceleratorTypes", listing.accelerator_types(self._desk.project, parent, asked))

        return await answered(self._desk, "ListAcceleratorTypes", parent, act)

    def _shown(self, record: NodeRecord) -> dict[str, Any]:
        """A node with what only REST says: when a flex-start run ends."""
        fields = _json(record.message)
        queued = self._desk.project.queued.records.get(record.queued)
        if queued is not None and queued.run_ends is not None:
            ends = queued.run_ends.isoformat().replace("+00:00", "Z")
            fields["schedulingConfig"] = fields.get("schedulingConfig", {}) | {"terminationTimestamp": ends}
        return fields


def _page(what: str, found: listing.Page) -> dict[str, Any]:
    """A page without its empty fields, as protobuf's JSON leaves them out."""
    shown: dict[str, Any] = {what: [_json(item) for item in found.items]}
    shown |= {"nextPageToken": found.next_token, "unreachable": found.unreachable}
    return {key: value for key, value in shown.items() if value}


def _name(request: web.Request) -> str:
    return f"{parent_of(request)}/nodes/{request.match_info['id']}"


def _json(message: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json_format.MessageToDict(message)
    return fields


def _message(empty: Any, fields: dict[str, Any]) -> Any:
    """The message of a body; its real counterpart repeats what it could not read, secrets included, and so does this one."""
    try:
        return json_format.ParseDict(fields, empty)
    except json_format.ParseError as error:
        raise refusals.invalid(f"Invalid JSON payload received. {error}") from None


def _snake(path: str) -> str:
    """A field mask's camelCase path as protobuf spells it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in path)
