"""The REST front of Cloud Logging (v2): entries.list."""

from typing import Any

from aiohttp import web

from sandbox.google.desk import Desk
from sandbox.google.rest_wire import answered, object_of, query_of


def add_logs(app: web.Application, desk: Desk) -> None:
    """Add the route."""

    async def entries(request: web.Request) -> web.Response:
        """POST entries:list"""
        body = await request.read()

        def act() -> dict[str, Any]:
            query_of(request, frozenset())
            return desk.logs.entries(object_of(body))

        return await answered(desk, "ListLogEntries", f"projects/{desk.project.name}", act)

    app.router.add_post("/v2/entries:list", entries)
