"""The project that the sandbox starts with: a machine of ours that serves, somebody else's, requests that wait and failed."""

from datetime import timedelta
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu

from sandbox.clock import Clock
from sandbox.google.log_store import LogStore
from sandbox.google.project import Delays, Project, ZoneRules
from sandbox.google.queued import Terms

PROJECT = "sandbox-project"
OURS = {"managed-by": "gemma-chatops", "deployment": "prod", "provisioning": "flex-start"}
HOME = "us-east5-a"

_ALL = frozenset({"STANDARD", "SPOT", "FLEX_START"})
_NO_FLEX = frozenset({"STANDARD", "SPOT"})
_V6E = frozenset({"v6e-1", "v6e-4", "v6e-8"})
_V5E = frozenset({"v5litepod-1", "v5litepod-4", "v5litepod-8"})


def default_project(clock: Clock, *, delays: Delays | None = None) -> Project:
    """Six zones. Where flex-start is sold follows what was seen of the real ones in August 2026; capacity is made up."""
    project = Project(PROJECT, clock, delays=delays)
    for rules in _zones():
        project.add_zone(rules)
    for zone in project.zones.values():
        project.quotas.set("TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", zone.name, 64)
        project.quotas.set("TPUV6EPreemptiblePerProjectPerRegionForTPUAPI", zone.region, 64)
        project.quotas.set("TPUV6EPerProjectPerZoneForTPUAPI", zone.name, 8)
        project.quotas.set("TPUV6EPerProjectPerRegionForTPUAPI", zone.region, 8)
    project.quotas.set("TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", "asia-northeast1-b", 0)
    _people_were_here(project)
    project.settle()
    return project


def queued_resource(parent: str, node_id: str, accelerator: str, labels: dict[str, str]) -> Any:
    """A queued resource for one node of this slice, as a client would send it."""
    queued = tpu.QueuedResource.pb()()
    spec = queued.tpu.node_spec.add(parent=parent, node_id=node_id)
    spec.node.accelerator_type = accelerator
    spec.node.runtime_version = "v2-alpha-tpuv6e" if accelerator.startswith("v6e") else "v2-alpha-tpuv5-lite"
    spec.node.network_config.enable_external_ips = True
    spec.node.labels.update(labels)
    spec.node.metadata["enable-guest-attributes"] = "TRUE"
    return queued


def _zones() -> list[ZoneRules]:
    flex = dict.fromkeys(_V6E, _ALL)
    without = dict.fromkeys(_V6E, _NO_FLEX)
    return [
        ZoneRules(HOME, _V6E, {"v6e": 16}, flex),
        ZoneRules("us-east5-b", _V6E, {"v6e": 0}, flex),
        ZoneRules("us-central1-b", _V6E, {"v6e": 8}, without),
        ZoneRules("europe-west4-a", _V6E, {"v6e": 4}, flex),
        ZoneRules("asia-northeast1-b", _V6E, {"v6e": 0}, flex),
        ZoneRules("us-west4-a", _V5E, {"v5litepod": 16}, dict.fromkeys(_V5E, _ALL)),
    ]


def _people_were_here(project: Project) -> None:
    """Each thing was asked for at its own time in the past and came to where it stands by the same rules as everything else."""
    _ask(project, HOME, "prod-1", OURS, Terms("FLEX_START", run_s=8 * 3600), hours_ago=3.2)
    _ask(project, "us-east5-b", "bench-1", OURS | {"deployment": "bench"}, Terms("FLEX_START", run_s=4 * 3600), hours_ago=0.7)
    late = {"managed-by": "gemma-chatops", "deployment": "prod", "provisioning": "spot"}
    _ask(project, "us-east5-b", "prod-0", late, Terms("SPOT"), hours_ago=9, wait_s=3600)
    node = queued_resource("", "", "v6e-1", {"owner": "research"}).tpu.node_spec[0].node
    with project.world.agenda.as_of(project.clock.now() - timedelta(hours=52)):
        project.nodes.create(_parent(project, "europe-west4-a"), "notebook-anna", node, "")


def _ask(
    project: Project, zone: str, name: str, labels: dict[str, str], terms: Terms, *, hours_ago: float, wait_s: int | None = None
) -> None:
    parent = _parent(project, zone)
    queued = queued_resource(parent, name, "v6e-4", labels)
    if terms.model == "SPOT":
        queued.spot.SetInParent()
    if wait_s is not None:
        queued.queueing_policy.valid_until_duration.FromSeconds(wait_s)
    with project.world.agenda.as_of(project.clock.now() - timedelta(hours=hours_ago)):
        project.queued.create(parent, f"{name}-request", queued, terms, "")


def _parent(project: Project, zone: str) -> str:
    return f"projects/{project.name}/locations/{zone}"


def write_logs(logs: LogStore) -> None:
    """What Google wrote of prod-1 since it came up: it was made, its TPU was well, and once slow for a moment."""
    worker = {"type": "tpu_worker", "labels": {"project_id": PROJECT, "zone": HOME, "node_id": "prod-1", "worker_id": "0"}}
    made = {
        "serviceName": "tpu.googleapis.com",
        "methodName": "google.cloud.tpu.v2alpha1.Tpu.CreateQueuedResource",
        "resourceName": f"projects/{PROJECT}/locations/{HOME}/nodes/prod-1",
    }
    audited = {"type": "audited_resource", "labels": {"service": "tpu.googleapis.com"}}
    audit = "cloudaudit.googleapis.com%2Factivity"
    logs.write(ago_s=3.2 * 3600, log=audit, severity="NOTICE", resource=audited, protoPayload=made)
    for minutes in range(170, 0, -10):
        logs.write(ago_s=minutes * 60, severity="INFO", resource=worker, textPayload="TPU runtime health check passed")
    slow = "TPU runtime health check took 4200 ms, retrying"
    logs.write(ago_s=25 * 60, severity="WARNING", resource=worker, textPayload=slow)
