"""Lists by zone, in pages, naming the zones that could not be asked."""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu

from sandbox.google import names, refusals
from sandbox.google.project import Project, Reach
from sandbox.google.zones import ZoneRules

LARGEST_PAGE = 1000
_FILTER = re.compile(r'type\s*=\s*"([^"]+)"')


@dataclass(frozen=True)
class Page:
    """Some items of a list, the token for the next ones, and the places that were not reached."""

    items: list[Any]
    next_token: str
    unreachable: list[str]


def page(
    items: list[Any], size: int, token: str, scope: str, unreachable: list[str] | None = None, *, largest: int = LARGEST_PAGE
) -> Page:
    """One page. A token is good only for the list that it came from. Raises Refusal for a bad size or token."""
    if size < 0:
        raise refusals.invalid("page_size must not be negative")
    start = _offset(token, scope) if token else 0
    end = start + min(size or largest, largest)
    following = _token(end, scope) if end < len(items) else ""
    return Page(items[start:end], following, unreachable or [])


def nodes(project: Project, parent: str, size: int, token: str) -> Page:
    """ListNodes; the parent's zone may be "-" for all zones."""
    zones, unreachable = _zones(project, parent)
    items = [record.message for record in project.nodes.records.values() if record.zone in zones]
    return page(items, size, token, f"nodes {parent}", unreachable)


def queued(project: Project, parent: str, size: int, token: str) -> Page:
    """ListQueuedResources, as records: REST shows more of them than gRPC."""
    zones, unreachable = _zones(project, parent)
    items = [record for record in project.queued.records.values() if record.zone in zones]
    return page(items, size, token, f"queued {parent}", unreachable)


def accelerator_types(project: Project, parent: str, request: Any) -> Page:
    """ListAcceleratorTypes; the filter understood is type="v6e-4"."""
    zone = project.world.zone(*names.parse_parent(parent))
    wanted = _FILTER.fullmatch(request.filter.strip()) if request.filter else None
    if request.filter and wanted is None:
        raise refusals.invalid(f"Invalid list filter: {request.filter[:120]}")
    types = sorted(zone.accelerators if wanted is None else zone.accelerators & {wanted.group(1)})
    kind = tpu.AcceleratorType.pb()
    items = [kind(name=f"{parent}/acceleratorTypes/{name}", type_=name) for name in types]
    return page(items, request.page_size, request.page_token, f"types {parent} {request.filter}")


def locations(project: Project) -> Iterable[ZoneRules]:
    """All zones in order of name."""
    return (project.zones[name] for name in sorted(project.zones))


def _zones(project: Project, parent: str) -> tuple[list[ZoneRules], list[str]]:
    """The zones that answer, and the full names of those that do not."""
    owner, wanted = names.parse_parent(parent)
    if wanted == "-":
        if owner != project.name:
            raise refusals.permission_denied("tpu.nodes.list", f"projects/{owner}")
        asked = list(project.zones.values())
    else:
        asked = [project.world.zone(owner, wanted)]
    return (
        [zone for zone in asked if zone.reach is Reach.OK],
        [f"projects/{owner}/locations/{zone.name}" for zone in asked if zone.reach is not Reach.OK],
    )


def _token(offset: int, scope: str) -> str:
    return base64.urlsafe_b64encode(f"{offset} {scope}".encode()).decode()


def _offset(token: str, scope: str) -> int:
    try:
        offset, _, said = base64.urlsafe_b64decode(token.encode()).decode().partition(" ")
        if said == scope:
            return int(offset)
    except ValueError:
        pass
    raise refusals.invalid("Invalid page token")
