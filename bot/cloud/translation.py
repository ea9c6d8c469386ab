"""Google's TPU messages put into our nouns. Pure: no call is made here, and node metadata (it may hold keys) is never read.

Enums are read as numbers (`X.pb(x)`), for the library warns on standard error about values that are newer than itself.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from google.cloud import tpu_v2alpha1 as tpu

from bot.cloud.refusal_kinds import refusal_of
from bot.nouns import CapacityRequest, Machine, MachineState, ProvisioningModel, Refusal, RequestState, Zone

BACKEND = "tpu_api"
PROVISIONING_LABEL = "provisioning"

_NODE = tpu.Node.State
MACHINE_STATES: Mapping[int, MachineState] = {
    _NODE.CREATING: MachineState.CREATING,
    _NODE.STARTING: MachineState.CREATING,
    _NODE.READY: MachineState.READY,
    _NODE.RESTARTING: MachineState.REPAIRING,
    _NODE.REIMAGING: MachineState.REPAIRING,
    _NODE.REPAIRING: MachineState.REPAIRING,
    _NODE.STOPPING: MachineState.STOPPED,
    _NODE.STOPPED: MachineState.STOPPED,
    _NODE.DELETING: MachineState.ENDING,
    _NODE.PREEMPTED: MachineState.LOST,
    _NODE.TERMINATED: MachineState.LOST,
}
"""Node.State of google.cloud.tpu.v2alpha1. HIDING, HIDDEN, UNHIDING and whatever Google adds later are UNKNOWN."""

_REQUEST = tpu.QueuedResourceState.State
REQUEST_STATES: Mapping[int, RequestState] = {
    _REQUEST.CREATING: RequestState.CREATING,
    _REQUEST.ACCEPTED: RequestState.WAITING,
    _REQUEST.WAITING_FOR_RESOURCES: RequestState.WAITING,
    _REQUEST.PROVISIONING: RequestState.PROVISIONING,
    _REQUEST.ACTIVE: RequestState.ACTIVE,
    _REQUEST.FAILED: RequestState.FAILED,
    _REQUEST.SUSPENDING: RequestState.SUSPENDING,
    _REQUEST.SUSPENDED: RequestState.SUSPENDED,
    _REQUEST.DELETING: RequestState.DELETING,
}
"""QueuedResourceState.State of google.cloud.tpu.v2alpha1; ACCEPTED is the older word for WAITING_FOR_RESOURCES."""

_TYPE = tpu.AcceleratorConfig.Type
_UNITS_PER_CHIP: Mapping[int, tuple[str, int]] = {
    _TYPE.V5LITE_POD: ("v5litepod", 1),
    _TYPE.V5P: ("v5p", 2),
    _TYPE.V6E: ("v6e", 1),
}
"""Prefix of the slice name, and what its number counts per chip (v5p counts cores, two to a chip)."""


def machine_of(node: tpu.Node) -> Machine:
    """One node as a Machine. Raises ValueError when its name is not `projects/P/locations/Z/nodes/N`."""
    zone, name = zone_and_name(node.name, "nodes")
    return Machine(
        backend=BACKEND,
        name=name,
        zone=zone,
        state=MACHINE_STATES.get(tpu.Node.pb(node).state, MachineState.UNKNOWN),
        accelerator=accelerator_of(node),
        health=_health(node),
        address=_address(node),
        endpoint_port=node.network_endpoints[0].port or None if node.network_endpoints else None,
        number=str(node.id) if node.id else None,
        created_at=moment(node.create_time) if "create_time" in node else None,
        provisioning=provisioning_of(node),
        labels=dict(node.labels),
    )


def request_of(queued: tpu.QueuedResource) -> CapacityRequest:
    """One queued resource as a CapacityRequest; slice and labels stand on its first node specification.

    Raises ValueError when its name is not `projects/P/locations/Z/queuedResources/N`.
    """
    zone, name = zone_and_name(queued.name, "queuedResources")
    specs = queued.tpu.node_spec
    node = specs[0].node if specs else None
    return CapacityRequest(
        backend=BACKEND,
        name=name,
        zone=zone,
        state=REQUEST_STATES.get(tpu.QueuedResource.pb(queued).state.state, RequestState.UNKNOWN),
        machine=_only_machine(queued),
        accelerator=accelerator_of(node) if node is not None else None,
        created_at=moment(queued.create_time) if "create_time" in queued else None,
        provisioning=_request_provisioning(queued, node),
        error=_error(queued),
        refusal=_refusal(queued),
        labels=dict(node.labels) if node is not None else {},
    )


def zone_and_name(resource: str, collection: str) -> tuple[Zone, str]:
    """Zone and short name of `projects/P/locations/Z/COLLECTION/N`. Raises ValueError for any other form."""
    match resource.split("/"):
        case ["projects", _, "locations", zone, kind, name] if kind == collection and zone and name:
            return Zone(name=zone), name
    raise ValueError(f"not a name of one of {collection}: {resource[:200]!r}")


def accelerator_of(node: tpu.Node) -> str | None:
    """The slice by its field name ("v6e-4"): as the node says it, else from generation and topology, else None."""
    if node.accelerator_type:
        return str(node.accelerator_type)
    known = _UNITS_PER_CHIP.get(tpu.Node.pb(node).accelerator_config.type_)
    sides = str(node.accelerator_config.topology).split("x")
    if known is None or not all(side.isdecimal() for side in sides):
        return None
    prefix, per_chip = known
    return f"{prefix}-{math.prod(int(side) for side in sides) * per_chip}"


def provisioning_of(node: tpu.Node) -> ProvisioningModel | None:
    """How the node was bought: our own label first, for the typed messages have no word for flex-start; None when unknown.

    A node without either sign may be on demand or flex-start of somebody else: that is unknown, not on-demand.
    """
    labelled = node.labels.get(PROVISIONING_LABEL, "")
    if labelled in set(ProvisioningModel):
        return ProvisioningModel(labelled)
    if node.scheduling_config.reserved:
        return ProvisioningModel.RESERVED
    return ProvisioningModel.SPOT if node.scheduling_config.spot else None


def moment(time: datetime) -> datetime:
    """A protobuf time as a plain aware datetime in UTC (microseconds; the rest is cut off)."""
    return datetime.fromtimestamp(time.timestamp(), UTC)


def _request_provisioning(queued: tpu.QueuedResource, node: tpu.Node | None) -> ProvisioningModel | None:
    """The node specification's word first, then the request's tier; a bare `guaranteed` does not tell flex from on-demand."""
    from_node = provisioning_of(node) if node is not None else None
    if from_node is not None:
        return from_node
    if "spot" in queued:
        return ProvisioningModel.SPOT
    return ProvisioningModel.RESERVED if queued.guaranteed.reserved or queued.reservation_name else None


def _only_machine(queued: tpu.QueuedResource) -> str | None:
    """The one node that this request makes, or None when it makes several or does not say."""
    specs = queued.tpu.node_spec
    return specs[0].node_id or None if len(specs) == 1 else None


def _health(node: tpu.Node) -> str | None:
    """Google's own word, for instance HEALTHY; None when it says nothing, or something newer than this library."""
    number = tpu.Node.pb(node).health
    return tpu.Node.Health(number).name if number and number in set(tpu.Node.Health) else None


def _address(node: tpu.Node) -> str | None:
    """Address of the first host: the external one when there is one, else the internal one, as Google's own client picks it."""
    if not node.network_endpoints:
        return None
    first = node.network_endpoints[0]
    return first.access_config.external_ip or first.ip_address or None


def _error(queued: tpu.QueuedResource) -> str | None:
    """Why the request failed, in Google's words; None unless it failed and says why."""
    if "failed_data" not in queued.state:
        return None
    return str(queued.state.failed_data.error.message) or None


def _refusal(queued: tpu.QueuedResource) -> Refusal | None:
    """The same with its kind, by code and words."""
    said = _error(queued)
    return refusal_of(int(queued.state.failed_data.error.code), said) if said else None
