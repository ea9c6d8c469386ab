"""What nodes and queued resources share: the project's zones, quotas, operations, delays and time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu

from sandbox.google import hardware, names, refusals
from sandbox.google.agenda import Agenda
from sandbox.google.hardware import Slice
from sandbox.google.names import Name
from sandbox.google.operations import Operations
from sandbox.google.zones import Quotas, ZoneRules


@dataclass(frozen=True)
class Delays:
    """How long each change takes, in seconds. The real ones are minutes; the order is the same."""

    queue_s: float = 0.5
    provision_s: float = 3.0
    suspend_s: float = 1.0
    delete_s: float = 1.0
    update_s: float = 0.5
    stop_s: float = 1.0


@dataclass(frozen=True)
class Endpoint:
    """Where a node's first host answers. `external` is empty unless the node asked for external addresses."""

    internal: str
    external: str
    port: int


def documentation_endpoint(number: int) -> Endpoint:
    """A private address, and one of TEST-NET-3 (RFC 5737) that leads nowhere; 8470 is the TPU port of real answers."""
    return Endpoint(f"10.128.0.{number % 250 + 2}", f"203.0.113.{number % 250 + 2}", 8470)


@dataclass
class World:
    """The project itself. `endpoint_of` gives the n-th node its address, so that a stand-in for machines can stand there."""

    project: str
    agenda: Agenda
    delays: Delays
    zones: dict[str, ZoneRules] = field(default_factory=dict)
    quotas: Quotas = field(default_factory=Quotas)
    endpoint_of: Callable[[int], Endpoint] = documentation_endpoint
    operations: Operations = field(init=False)

    def __post_init__(self) -> None:
        """Operations need the project's name and time."""
        self.operations = Operations(self.project, self.agenda)

    def zone(self, project: str, name: str) -> ZoneRules:
        """One zone of this project. Refuses another project as Google does (it may not exist), and zones without TPU."""
        if project != self.project:
            raise refusals.permission_denied("tpu.locations.list", f"projects/{project}")
        if name not in self.zones:
            raise refusals.zone_not_supported(name)
        return self.zones[name]

    def place(self, name: str, collection: str) -> tuple[ZoneRules, Name]:
        """Zone and parts of a full resource name."""
        parts = names.parse(name, collection)
        return self.zone(parts.project, parts.zone), parts

    def slice_for(self, zone: ZoneRules, node: Any) -> Slice:
        """The slice that a node specification asks for, by type or by generation and topology; it must exist in the zone."""
        config = node.accelerator_config
        if node.accelerator_type and node.HasField("accelerator_config"):
            raise refusals.invalid("Only one of accelerator_type and accelerator_config can be specified")
        wanted = node.accelerator_type
        if not wanted:
            wanted = hardware.named(tpu.AcceleratorConfig.Type(config.type_).name, config.topology)
        if wanted not in zone.accelerators:
            raise refusals.accelerator_not_found(wanted)
        return hardware.slice_of(wanted)


def check_node(node: Any) -> None:
    """Refuse a node specification with a bad word in it, or without a runtime version."""
    if not node.runtime_version:
        raise refusals.invalid("runtime_version must be specified")
    names.check_words(dict(node.labels), list(node.tags), dict(node.metadata))


def clean_node(node: Any, name: str) -> Any:
    """A copy with its name and without the fields that only Google sets."""
    copy = tpu.Node.pb()()
    copy.CopyFrom(node)
    for output_only in (
        "state",
        "health",
        "health_description",
        "create_time",
        "network_endpoints",
        "id",
        "api_version",
        "symptoms",
        "queued_resource",
        "multislice_node",
        "upcoming_maintenance",
    ):
        copy.ClearField(output_only)
    copy.name = name
    return copy
