"""Nodes (TPU machines) and their life: CREATING, READY, STOPPING, STOPPED, STARTING, DELETING, gone, PREEMPTED."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu
from google.protobuf import empty_pb2
from google.rpc import code_pb2

from sandbox.google import names, refusals
from sandbox.google.hardware import Slice
from sandbox.google.world import World, check_node, clean_node
from sandbox.google.zones import Holding, ZoneRules

State = tpu.Node.State
UPDATABLE = frozenset({"description", "tags", "labels", "metadata", "network_config.enable_external_ips"})
"""Paths that UpdateNodeRequest.update_mask may hold (its own description)."""
CREATES_PER_MINUTE = 91
"""The limit seen in practice (marin-community/marin issue 6198)."""


@dataclass
class NodeRecord:
    """A node as the API shows it, with what only Google knows. `attributes` are guest attributes by "namespace/key"."""

    message: Any
    zone: ZoneRules
    slice: Slice
    model: str
    queued: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    updating: bool = False


class Nodes:
    """All nodes of the project by full name."""

    def __init__(self, world: World) -> None:
        """Start with none."""
        self._world = world
        self.records: dict[str, NodeRecord] = {}
        self.gone: list[Callable[[NodeRecord], None]] = []
        self._numbers = itertools.count(1)
        self._created: list[datetime] = []

    def get(self, name: str) -> NodeRecord:
        """One node. Raises Refusal NOT_FOUND, or INVALID_ARGUMENT for its zone."""
        self._world.place(name, "nodes")
        if name not in self.records:
            raise refusals.not_found(name)
        return self.records[name]

    def has_room(self, zone: ZoneRules, wanted: Slice) -> bool:
        """Whether the zone has that many units free; nodes that are stopped hold theirs no longer."""
        used = sum(
            record.slice.units
            for record in self.records.values()
            if record.zone is zone
            and record.slice.generation == wanted.generation
            and record.message.state not in {State.STOPPED, State.PREEMPTED}
        )
        return used + wanted.units <= zone.capacity.get(wanted.generation, 0)

    def create(self, parent: str, node_id: str, node: Any, request_id: str) -> Any:
        """CreateNode: bought on demand, or spot; the operation ends when the node is READY or refused for want of capacity."""
        zone = self._world.zone(*names.parse_parent(parent))
        names.check_request_id(request_id)
        if before := self._world.operations.repeated("create-node", zone.name, request_id):
            return before
        self._check_rate()
        names.check_id("node_id", node_id)
        check_node(node)
        name = f"{parent}/nodes/{node_id}"
        model = _model_of(node)
        record = NodeRecord(clean_node(node, name), zone, self._world.slice_for(zone, node), model)
        if name in self.records:
            raise refusals.already_exists(name)
        self._world.quotas.check(Holding(zone, record.slice, model), self.holdings())
        operation = self._world.operations.begin("create-node", zone.name, name, request_id)
        self._world.agenda.after(self._world.delays.queue_s, lambda: self._admit(record, operation))
        return operation

    def add(self, record: NodeRecord, ready: Callable[[NodeRecord], None]) -> None:
        """Let a node begin to exist; `ready` is called when it becomes READY."""
        message = record.message
        message.state = State.CREATING
        message.id = 4_000_000_000_000_000_000 + next(self._numbers)
        message.api_version = tpu.Node.ApiVersion.V2_ALPHA1
        message.queued_resource = record.queued
        message.accelerator_type = record.slice.name
        message.create_time.FromDatetime(self._world.agenda.moment)
        self.records[message.name] = record
        self._world.agenda.after(self._world.delays.provision_s, lambda: self._become_ready(record, ready))

    def delete(self, name: str, request_id: str) -> Any:
        """DeleteNode."""
        names.check_request_id(request_id)
        zone = self._world.place(name, "nodes")[0]
        if before := self._world.operations.repeated("delete-node", zone.name, request_id):
            return before
        record = self.get(name)
        if record.message.state == State.DELETING:
            raise refusals.precondition(f"Node '{name}' is being deleted")
        operation = self._world.operations.begin("delete-node", zone.name, name, request_id)
        self.remove(record, lambda: self._world.operations.succeed(operation, empty_pb2.Empty()))
        return operation

    def remove(self, record: NodeRecord, then: Callable[[], None] = lambda: None) -> None:
        """Take a node away; `then` is called when it is gone."""
        record.message.state = State.DELETING
        self._world.agenda.after(self._world.delays.delete_s, lambda: self._vanish(record, then))

    def stop(self, name: str) -> Any:
        """StopNode. Nodes made by a queued resource cannot be stopped (from memory of Google's queued-resource page)."""
        return self._switch(name, "stop-node", State.READY, State.STOPPING, State.STOPPED)

    def start(self, name: str) -> Any:
        """StartNode. Needs capacity again, as the real one does."""
        record = self.get(name)
        if record.message.state == State.STOPPED and not self.has_room(record.zone, record.slice):
            raise refusals.no_capacity(record.zone.name)
        return self._switch(name, "start-node", State.STOPPED, State.STARTING, State.READY)

    def update(self, node: Any, paths: list[str]) -> Any:
        """UpdateNode: only what the mask may hold; a second update while one runs is ABORTED (HTTP 409)."""
        record = self.get(node.name)
        wrong = [path for path in paths if path not in UPDATABLE]
        if wrong or not paths:
            raise refusals.invalid(f"Invalid update_mask {', '.join(wrong)[:200] or '(empty)'}")
        if record.updating:
            raise refusals.Refusal(code_pb2.ABORTED, f"Another operation is running on '{node.name}'")
        names.check_words(dict(node.labels), list(node.tags), dict(node.metadata))
        record.updating = True
        operation = self._world.operations.begin("update-node", record.zone.name, node.name)
        changed = tpu.Node.pb()()
        changed.CopyFrom(node)
        self._world.agenda.after(self._world.delays.update_s, lambda: self._apply(record, changed, paths, operation))
        return operation

    def preempt(self, name: str) -> None:
        """Google takes a spot node back: it is shown PREEMPTED for a moment, then it is gone."""
        record = self.get(name)
        if record.model != "SPOT":
            raise ValueError(f"{name} is not spot: Google does not take it back")
        record.message.state = State.PREEMPTED
        self._world.agenda.after(self._world.delays.suspend_s, lambda: self._vanish(record, lambda: None))

    def holdings(self) -> list[Holding]:
        """What nodes hold that belong to no queued resource; those of queued resources are counted there."""
        return [Holding(record.zone, record.slice, record.model) for record in self.records.values() if not record.queued]

    def _check_rate(self) -> None:
        now = self._world.agenda.moment
        self._created = [at for at in self._created if now - at < timedelta(minutes=1)]
        if len(self._created) >= CREATES_PER_MINUTE:
            raise refusals.too_many_creates(CREATES_PER_MINUTE)
        self._created.append(now)

    def _admit(self, record: NodeRecord, operation: Any) -> None:
        if not record.zone.accepts(record.slice.name, record.model):
            self._world.operations.fail(
                operation, refusals.model_not_supported(record.model, record.slice.name, record.zone.name)
            )
        elif record.message.name in self.records:
            self._world.operations.fail(operation, refusals.already_exists(record.message.name))
        elif not self.has_room(record.zone, record.slice):
            self._world.operations.fail(operation, refusals.no_capacity(record.zone.name))
        else:
            self.add(record, lambda made: self._world.operations.succeed(operation, made.message))

    def _become_ready(self, record: NodeRecord, ready: Callable[[NodeRecord], None]) -> None:
        message = record.message
        if self.records.get(message.name) is not record or message.state != State.CREATING:
            return
        message.state = State.READY
        message.health = tpu.Node.Health.HEALTHY
        place = self._world.endpoint_of(int(message.id) % 1_000_000)
        endpoint = message.network_endpoints.add(ip_address=place.internal, port=place.port)
        if message.network_config.enable_external_ips:
            endpoint.access_config.external_ip = place.external
        record.attributes.setdefault("hostname", f"t1v-n-{int(message.id) % 1_000_000:08x}-w-0")
        ready(record)

    def _vanish(self, record: NodeRecord, then: Callable[[], None]) -> None:
        if self.records.get(record.message.name) is record:
            del self.records[record.message.name]
            for listener in self.gone:
                listener(record)
        then()

    def _switch(self, name: str, verb: str, needs: int, during: int, after: int) -> Any:
        record = self.get(name)
        if record.queued:
            raise refusals.precondition(f"Node '{name}' belongs to a queued resource and cannot be stopped or started")
        if record.message.state != needs:
            raise refusals.precondition(f"Node '{name}' is {State(record.message.state).name}, not {State(needs).name}")
        operation = self._world.operations.begin(verb, record.zone.name, name)
        record.message.state = during
        self._world.agenda.after(self._world.delays.stop_s, lambda: self._arrive(record, during, after, operation))
        return operation

    def _arrive(self, record: NodeRecord, during: int, after: int, operation: Any) -> None:
        if record.message.state == during:
            record.message.state = after
        self._world.operations.succeed(operation, record.message)

    def _apply(self, record: NodeRecord, changed: Any, paths: list[str], operation: Any) -> None:
        record.updating = False
        message = record.message
        for path in paths:
            if path == "network_config.enable_external_ips":
                message.network_config.enable_external_ips = changed.network_config.enable_external_ips
                continue
            message.ClearField(path)
            message.MergeFrom(type(message)(**{path: getattr(changed, path)}))
        self._world.operations.succeed(operation, message)


def _model_of(node: Any) -> str:
    """How a node created directly is bought."""
    scheduling = node.scheduling_config
    if scheduling.reserved:
        return "RESERVATION_BOUND"
    return "SPOT" if scheduling.spot or scheduling.preemptible else "STANDARD"
