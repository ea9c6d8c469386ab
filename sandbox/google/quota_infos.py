"""Cloud Quotas (v1): what the project may hold, as quotaInfos with zones or regions as their dimension."""

from typing import Any

from aiohttp import web

from sandbox.google import hardware, listing, refusals
from sandbox.google.desk import Desk
from sandbox.google.project import Project
from sandbox.google.rest_wire import LIST_QUERY, answered, page_size, query_of

SERVICE = "tpu.googleapis.com"
UNLIMITED = -1
_PATH = "/v1/projects/{project}/locations/global/services/{service}/quotaInfos"


def add_quotas(app: web.Application, desk: Desk) -> None:
    """Add the routes."""
    front = QuotaFront(desk)
    app.router.add_get(_PATH, front.list)
    app.router.add_get(_PATH + "/{id}", front.get)


class QuotaFront:
    """Handlers over one desk."""

    def __init__(self, desk: Desk) -> None:
        """Answer for this project."""
        self._desk = desk

    async def list(self, request: web.Request) -> web.Response:
        """GET quotaInfos?pageSize=&pageToken="""
        parent = _parent(request)

        def act() -> dict[str, Any]:
            query = query_of(request, LIST_QUERY)
            _check(self._desk.project, request)
            every = [_info(self._desk.project, parent, quota_id) for quota_id in _known(self._desk.project)]
            found = listing.page(every, page_size(query), query.get("pageToken", ""), f"quotas {parent}")
            shown: dict[str, Any] = {"quotaInfos": found.items, "nextPageToken": found.next_token}
            return {key: value for key, value in shown.items() if value}

        return await answered(self._desk, "ListQuotaInfos", parent, act)

    async def get(self, request: web.Request) -> web.Response:
        """GET quotaInfos/ID"""
        parent, quota_id = _parent(request), request.match_info["id"]

        def act() -> dict[str, Any]:
            _check(self._desk.project, request)
            if quota_id not in _known(self._desk.project):
                raise refusals.not_found(f"{parent}/quotaInfos/{quota_id}")
            return _info(self._desk.project, parent, quota_id)

        return await answered(self._desk, "GetQuotaInfo", f"{parent}/quotaInfos/{quota_id}", act)


def _parent(request: web.Request) -> str:
    found = request.match_info
    return f"projects/{found['project']}/locations/global/services/{found['service']}"


def _check(project: Project, request: web.Request) -> None:
    """Another project may not be looked at, another service has no quotas here."""
    if request.match_info["project"] != project.name:
        raise refusals.permission_denied("cloudquotas.quotas.get", f"projects/{request.match_info['project']}")
    if request.match_info["service"] != SERVICE:
        raise refusals.not_found(_parent(request))


def _known(project: Project) -> list[str]:
    return [quota_id for quota_id in hardware.quota_ids() if quota_id not in project.quotas.unlisted]


def _info(project: Project, parent: str, quota_id: str) -> dict[str, Any]:
    """One quotaInfo: an entry for each place with a limit of its own, then one without dimensions for all the others."""
    dimension = "zone" if "PerZone" in quota_id else "region"
    limits = project.quotas.limits_of(quota_id)
    others = sorted({zone.name if dimension == "zone" else zone.region for zone in project.zones.values()} - set(limits))
    entries = [
        {"dimensions": {dimension: place}, "details": _details(limit), "applicableLocations": [place]}
        for place, limit in sorted(limits.items())
    ]
    if others:
        entries.append({"details": _details(UNLIMITED), "applicableLocations": others})
    return {
        "name": f"{parent}/quotaInfos/{quota_id}",
        "quotaId": quota_id,
        "metric": f"{SERVICE}/{quota_id.removesuffix('ForTPUAPI').lower()}",
        "service": SERVICE,
        "isPrecise": True,
        "containerType": "PROJECT",
        "dimensions": [dimension],
        "dimensionsInfos": entries,
    }


def _details(limit: int) -> dict[str, str]:
    """int64 as text; a zero is left out, as protobuf's JSON does."""
    return {"value": str(limit)} if limit else {}
