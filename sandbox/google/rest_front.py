"""The REST fronts: queued resources (v2alpha1, with provisioningModel and runDuration), all the others, and our own doors."""

from typing import Any

from aiohttp import web

from sandbox.google import listing, rest_body
from sandbox.google.billing import add_billing
from sandbox.google.control import add_control
from sandbox.google.desk import Desk
from sandbox.google.log_front import add_logs
from sandbox.google.quota_infos import add_quotas
from sandbox.google.rest_nodes import add_nodes
from sandbox.google.rest_wire import LIST_QUERY, PARENT, answered, page_size, parent_of, query_of, truth
from sandbox.google.secret_front import add_secrets

LARGEST_BODY = 4 * 1024 * 1024


class RestFront:
    """Handlers over one desk."""

    def __init__(self, desk: Desk) -> None:
        """Answer for this project."""
        self._desk = desk

    async def create(self, request: web.Request) -> web.Response:
        """POST queuedResources?queuedResourceId=&requestId="""
        parent, body = parent_of(request), await request.read()

        def act() -> dict[str, Any]:
            query = query_of(request, {"queuedResourceId", "requestId"})
            queued, terms = rest_body.read(body, self._desk.project.world.agenda.moment)
            made = self._desk.project.queued.create(
                parent, query.get("queuedResourceId", ""), queued, terms, query.get("requestId", "")
            )
            return rest_body.operation(made)

        return await answered(self._desk, "CreateQueuedResource", parent, act)

    async def list(self, request: web.Request) -> web.Response:
        """GET queuedResources?pageSize=&pageToken="""
        parent = parent_of(request)

        def act() -> dict[str, Any]:
            query = query_of(request, LIST_QUERY)
            found = listing.queued(self._desk.project, parent, page_size(query), query.get("pageToken", ""))
            shown: dict[str, Any] = {"queuedResources": [rest_body.shown(record) for record in found.items]}
            shown |= {"nextPageToken": found.next_token, "unreachable": found.unreachable}
            return {key: value for key, value in shown.items() if value}

        return await answered(self._desk, "ListQueuedResources", parent, act)

    async def get(self, request: web.Request) -> web.Response:
        """GET queuedResources/ID"""
        name = _name(request)

        def act() -> dict[str, Any]:
            query_of(request, frozenset())
            return rest_body.shown(self._desk.project.queued.get(name))

        return await answered(self._desk, "GetQueuedResource", name, act)

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE queuedResources/ID?force=&requestId="""
        name = _name(request)

        def act() -> dict[str, Any]:
            query = query_of(request, {"force", "requestId"})
            force = truth(query.get("force", "false"))
            return rest_body.operation(self._desk.project.queued.delete(name, force, query.get("requestId", "")))

        return await answered(self._desk, "DeleteQueuedResource", name, act)

    async def operation(self, request: web.Request) -> web.Response:
        """GET operations/ID"""
        name = f"{parent_of(request)}/operations/{request.match_info['id']}"
        return await answered(
            self._desk, "GetOperation", name, lambda: rest_body.operation(self._desk.project.operations.get(name))
        )


def application(desk: Desk) -> web.Application:
    """The aiohttp application."""
    front = RestFront(desk)
    app = web.Application(client_max_size=LARGEST_BODY)
    app.router.add_post(PARENT + "/queuedResources", front.create)
    app.router.add_get(PARENT + "/queuedResources", front.list)
    app.router.add_get(PARENT + "/queuedResources/{id}", front.get)
    app.router.add_delete(PARENT + "/queuedResources/{id}", front.delete)
    app.router.add_get(PARENT + "/operations/{id}", front.operation)
    add_nodes(app, desk)
    add_quotas(app, desk)
    add_billing(app, desk)
    add_secrets(app, desk)
    add_logs(app, desk)
    add_control(app, desk)
    return app


def _name(request: web.Request) -> str:
    return f"{parent_of(request)}/queuedResources/{request.match_info['id']}"
