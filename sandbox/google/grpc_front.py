"""The gRPC front: google.cloud.tpu.v2alpha1.Tpu, google.longrunning.Operations and google.cloud.location.Locations."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.cloud import tpu_v2alpha1 as tpu
from google.cloud.location import locations_pb2
from google.longrunning import operations_pb2
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from sandbox.google import listing, names, refusals
from sandbox.google.desk import Desk
from sandbox.google.guest import guest_attributes
from sandbox.google.project import Project
from sandbox.google.queued import Terms
from sandbox.google.refusals import Refusal

TPU_SERVICE = "google.cloud.tpu.v2alpha1.Tpu"
OPERATIONS_SERVICE = "google.longrunning.Operations"
LOCATIONS_SERVICE = "google.cloud.location.Locations"
STATUS_DETAILS = "grpc-status-details-bin"

_CODES = {code.value[0]: code for code in grpc.StatusCode}
_Act = Callable[[Project, Any], Any]
_Method = tuple[type, Callable[[Any], str], _Act]


def handlers(desk: Desk) -> list[Any]:
    """Generic handlers for a grpc.aio server."""
    return [
        grpc.method_handlers_generic_handler(service, {name: _unary(desk, name, *method) for name, method in methods.items()})
        for service, methods in _SERVICES.items()
    ]


def _unary(desk: Desk, name: str, kind: Any, resource_of: Callable[[Any], str], act: _Act) -> Any:
    async def serve(request: Any, context: Any) -> Any:
        try:
            return await desk.handle("grpc", name, resource_of(request), lambda: _copy(act(desk.project, request)))
        except Refusal as refusal:
            await _abort(context, refusal)

    answer: Callable[[Any, Any], Awaitable[Any]] = serve
    return grpc.unary_unary_rpc_method_handler(
        answer, request_deserializer=kind.FromString, response_serializer=lambda message: message.SerializeToString()
    )


async def _abort(context: Any, refusal: Refusal) -> None:
    """The code and text, and google.rpc.ErrorInfo in the trailer where the real API sends it."""
    trailer: tuple[tuple[str, bytes], ...] = ()
    if refusal.reason:
        status = status_pb2.Status(code=refusal.code, message=refusal.message)
        detail = any_pb2.Any()
        detail.Pack(error_details_pb2.ErrorInfo(reason=refusal.reason, domain="googleapis.com"))
        status.details.append(detail)
        trailer = ((STATUS_DETAILS, status.SerializeToString()),)
    await context.abort(_CODES[refusal.code], refusal.message, trailer)


def _copy(message: Any) -> Any:
    """A copy that later changes of state do not touch."""
    copied = type(message)()
    copied.CopyFrom(message)
    return copied


def _list_nodes(project: Project, request: Any) -> Any:
    found = listing.nodes(project, request.parent, request.page_size, request.page_token)
    return tpu.ListNodesResponse.pb()(nodes=found.items, next_page_token=found.next_token, unreachable=found.unreachable)


def _list_queued(project: Project, request: Any) -> Any:
    found = listing.queued(project, request.parent, request.page_size, request.page_token)
    shown = [record.message for record in found.items]
    kind = tpu.ListQueuedResourcesResponse.pb()
    return kind(queued_resources=shown, next_page_token=found.next_token, unreachable=found.unreachable)


def _list_types(project: Project, request: Any) -> Any:
    found = listing.accelerator_types(project, request.parent, request)
    return tpu.ListAcceleratorTypesResponse.pb()(accelerator_types=found.items, next_page_token=found.next_token)


def _create_queued(project: Project, request: Any) -> Any:
    """The typed client has no word for flex-start: what comes here is on demand, reserved, or refused for its `spot`."""
    queued = request.queued_resource
    reserved = queued.guaranteed.reserved or bool(queued.reservation_name)
    terms = Terms("RESERVATION_BOUND" if reserved else "STANDARD")
    return project.queued.create(request.parent, request.queued_resource_id, queued, terms, request.request_id)


def _list_locations(project: Project, request: Any) -> Any:
    if request.name != f"projects/{project.name}":
        raise refusals.permission_denied("tpu.locations.list", request.name[:120])
    every = [_location(project, zone.name) for zone in listing.locations(project)]
    found = listing.page(every, request.page_size, request.page_token, "locations")
    return locations_pb2.ListLocationsResponse(locations=found.items, next_page_token=found.next_token)


def _get_location(project: Project, request: Any) -> Any:
    owner, zone = names.parse_parent(request.name)
    return _location(project, project.world.zone(owner, zone).name)


def _location(project: Project, zone: str) -> Any:
    labels = {"cloud.googleapis.com/region": zone.rpartition("-")[0]}
    return locations_pb2.Location(name=f"projects/{project.name}/locations/{zone}", location_id=zone, labels=labels)


def _by_name(request: Any) -> str:
    return str(request.name)


def _by_parent(request: Any) -> str:
    return str(request.parent)


_SERVICES: dict[str, dict[str, _Method]] = {
    TPU_SERVICE: {
        "ListNodes": (tpu.ListNodesRequest.pb(), _by_parent, _list_nodes),
        "GetNode": (tpu.GetNodeRequest.pb(), _by_name, lambda p, r: p.nodes.get(r.name).message),
        "CreateNode": (
            tpu.CreateNodeRequest.pb(),
            _by_parent,
            lambda p, r: p.nodes.create(r.parent, r.node_id, r.node, r.request_id),
        ),
        "DeleteNode": (tpu.DeleteNodeRequest.pb(), _by_name, lambda p, r: p.nodes.delete(r.name, r.request_id)),
        "StopNode": (tpu.StopNodeRequest.pb(), _by_name, lambda p, r: p.nodes.stop(r.name)),
        "StartNode": (tpu.StartNodeRequest.pb(), _by_name, lambda p, r: p.nodes.start(r.name)),
        "UpdateNode": (
            tpu.UpdateNodeRequest.pb(),
            lambda r: str(r.node.name),
            lambda p, r: p.nodes.update(r.node, list(r.update_mask.paths)),
        ),
        "ListQueuedResources": (tpu.ListQueuedResourcesRequest.pb(), _by_parent, _list_queued),
        "GetQueuedResource": (tpu.GetQueuedResourceRequest.pb(), _by_name, lambda p, r: p.queued.get(r.name).message),
        "CreateQueuedResource": (tpu.CreateQueuedResourceRequest.pb(), _by_parent, _create_queued),
        "DeleteQueuedResource": (
            tpu.DeleteQueuedResourceRequest.pb(),
            _by_name,
            lambda p, r: p.queued.delete(r.name, r.force, r.request_id),
        ),
        "ResetQueuedResource": (tpu.ResetQueuedResourceRequest.pb(), _by_name, lambda p, r: p.queued.reset(r.name)),
        "ListAcceleratorTypes": (tpu.ListAcceleratorTypesRequest.pb(), _by_parent, _list_types),
        "GetGuestAttributes": (tpu.GetGuestAttributesRequest.pb(), _by_name, guest_attributes),
    },
    OPERATIONS_SERVICE: {
        "GetOperation": (operations_pb2.GetOperationRequest, _by_name, lambda p, r: p.operations.get(r.name)),
    },
    LOCATIONS_SERVICE: {
        "ListLocations": (locations_pb2.ListLocationsRequest, _by_name, _list_locations),
        "GetLocation": (locations_pb2.GetLocationRequest, _by_name, _get_location),
    },
}
