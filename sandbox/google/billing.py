"""The REST front of the Cloud Billing Catalog (v1)."""

from typing import Any

from aiohttp import web

from sandbox.google import refusals
from sandbox.google.desk import Desk
from sandbox.google.rest_wire import LIST_QUERY, answered, page_size, query_of


def add_billing(app: web.Application, desk: Desk) -> None:
    """Add the route."""

    async def skus(request: web.Request) -> web.Response:
        """GET services/ID/skus?pageSize=&pageToken=&currencyCode="""
        service = f"services/{request.match_info['service']}"

        def act() -> dict[str, Any]:
            query = query_of(request, LIST_QUERY | {"currencyCode", "startTime", "endTime"})
            if query.get("currencyCode", "USD") != "USD":
                raise refusals.invalid("Only USD is offered here")
            return desk.catalog.page(service, page_size(query), query.get("pageToken", ""))

        return await answered(desk, "ListSkus", service, act)

    app.router.add_get("/v1/services/{service}/skus", skus)
