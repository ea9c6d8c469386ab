"""Queued resources and their life, from CREATING to gone.

CREATING, WAITING_FOR_RESOURCES, PROVISIONING, ACTIVE, then SUSPENDING and SUSPENDED when a flex-start run ends or a spot node is
taken back; FAILED when it waited too long; DELETING. On-demand and spot never end by themselves.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu
from google.protobuf import empty_pb2
from google.rpc import code_pb2

from sandbox.google import names, refusals
from sandbox.google.hardware import Slice
from sandbox.google.nodes import NodeRecord, Nodes
from sandbox.google.refusals import Refusal
from sandbox.google.world import World, check_node, clean_node
from sandbox.google.zones import Holding, ZoneRules

State = tpu.QueuedResourceState.State
Initiator = tpu.QueuedResourceState.StateInitiator
DELETABLE = frozenset({State.ACCEPTED, State.WAITING_FOR_RESOURCES, State.FAILED, State.SUSPENDED})
"""States from which DeleteQueuedResource works without force (its own description; WAITING_FOR_RESOURCES replaced ACCEPTED)."""
_DATA = {
    State.CREATING: "creating_data",
    State.PROVISIONING: "provisioning_data",
    State.FAILED: "failed_data",
    State.DELETING: "deleting_data",
    State.ACTIVE: "active_data",
    State.SUSPENDING: "suspending_data",
    State.SUSPENDED: "suspended_data",
}


@dataclass(frozen=True)
class Terms:
    """How capacity is bought: the model, how long a flex-start run lasts or until when, and how long the request may wait."""

    model: str = "STANDARD"
    run_s: float | None = None
    run_until: datetime | None = None


@dataclass
class QueuedRecord:
    """A queued resource as the API shows it, with its terms. `run_ends` is set when a flex-start run begins."""

    message: Any
    zone: ZoneRules
    slice: Slice
    terms: Terms
    run_ends: datetime | None = None

    @property
    def state(self) -> int:
        """Its state's number."""
        return int(self.message.state.state)

    @property
    def node_name(self) -> str:
        """Full name of the node that it makes."""
        spec = self.message.tpu.node_spec[0]
        return f"{spec.parent}/nodes/{spec.node_id}"


class QueuedResources:
    """All queued resources of the project by full name, oldest first."""

    def __init__(self, world: World, nodes: Nodes) -> None:
        """Start with none; hear of nodes that go."""
        self._world = world
        self._nodes = nodes
        self.records: dict[str, QueuedRecord] = {}
        nodes.gone.append(self._node_gone)

    def get(self, name: str) -> QueuedRecord:
        """One queued resource. Raises Refusal NOT_FOUND, or INVALID_ARGUMENT for its zone."""
        self._world.place(name, "queuedResources")
        if name not in self.records:
            raise refusals.not_found(name)
        return self.records[name]

    def create(self, parent: str, queued_id: str, queued: Any, terms: Terms, request_id: str) -> Any:
        """CreateQueuedResource: the operation ends when it is queued, not when it is active."""
        zone = self._world.zone(*names.parse_parent(parent))
        names.check_request_id(request_id)
        if before := self._world.operations.repeated("create", zone.name, request_id):
            return before
        names.check_id("queued_resource_id", queued_id)
        record = self._drafted(f"{parent}/queuedResources/{queued_id}", zone, queued, terms)
        name = record.message.name
        if name in self.records:
            raise refusals.already_exists(name)
        if record.node_name in self._nodes.records:
            raise refusals.already_exists(record.node_name)
        self._world.quotas.check(_holding(record), [*self.holdings(), *self._nodes.holdings()])
        operation = self._world.operations.begin("create", zone.name, name, request_id)
        self.records[name] = record
        self._world.agenda.after(self._world.delays.queue_s, lambda: self._admit(record, operation))
        return operation

    def delete(self, name: str, force: bool, request_id: str) -> Any:
        """DeleteQueuedResource: with nodes only by force."""
        zone = self._world.place(name, "queuedResources")[0]
        names.check_request_id(request_id)
        if before := self._world.operations.repeated("delete", zone.name, request_id):
            return before
        record = self.get(name)
        if record.state == State.DELETING or (not force and not self._deletable(record)):
            raise refusals.precondition(
                f"Queued resource '{name}' is in state {State(record.state).name}; "
                "delete its nodes first, or set force to delete them with it"
            )
        operation = self._world.operations.begin("delete", zone.name, name, request_id)
        self._turn(record, State.DELETING, Initiator.USER)
        node = self._nodes.records.get(record.node_name)
        if node is not None and node.queued == name and node.message.state != tpu.Node.State.DELETING:
            self._nodes.remove(node)
        self._world.agenda.after(self._world.delays.delete_s, lambda: self._vanish(record, operation))
        return operation

    def reset(self, name: str) -> Any:
        """ResetQueuedResource: a SUSPENDED or FAILED one waits again (the other states have nothing to reset)."""
        record = self.get(name)
        if record.state not in {State.SUSPENDED, State.FAILED}:
            raise refusals.precondition(f"Queued resource '{name}' is in state {State(record.state).name}")
        operation = self._world.operations.begin("reset", record.zone.name, name)
        self._wait(record)
        self._world.operations.succeed(operation, record.message)
        return operation

    def holdings(self) -> list[Holding]:
        """What counts against quota: every queued resource there is; FAILED and SUSPENDED ones too (marin issue 87)."""
        return [_holding(record) for record in self.records.values()]

    def grant(self) -> None:
        """Give free capacity to those who wait, first come first served within what fits."""
        for record in self.records.values():
            if record.state == State.WAITING_FOR_RESOURCES and self._may_have(record):
                self._provision(record)

    def _may_have(self, record: QueuedRecord) -> bool:
        """Whether its zone has room and no silent quota holds it back; others that wait hold nothing yet."""
        if not self._nodes.has_room(record.zone, record.slice):
            return False
        served = [
            _holding(other)
            for other in self.records.values()
            if other is not record and other.state not in {State.CREATING, State.WAITING_FOR_RESOURCES}
        ]
        return not self._world.quotas.holds_back(_holding(record), [*served, *self._nodes.holdings()])

    def fail(self, record: QueuedRecord, refusal: Refusal) -> None:
        """Turn to FAILED with an error."""
        self._turn(record, State.FAILED, Initiator.SERVICE)
        record.message.state.failed_data.error.code = refusal.code
        record.message.state.failed_data.error.message = refusal.message

    def _drafted(self, name: str, zone: ZoneRules, queued: Any, terms: Terms) -> QueuedRecord:
        """The record in CREATING, after every check of the body that the API makes at once."""
        if len(queued.tpu.node_spec) != 1 or queued.tpu.node_spec[0].HasField("multi_node_params"):
            raise refusals.invalid("tpu.node_spec must hold exactly one node with a node_id; several nodes are not offered here")
        if queued.HasField("spot") and terms.model != "SPOT":
            raise refusals.spot_needs_its_model()
        message = tpu.QueuedResource.pb()()
        message.CopyFrom(queued)
        spec = message.tpu.node_spec[0]
        parent = name.rpartition("/queuedResources/")[0]
        if spec.parent not in {"", parent}:
            raise refusals.invalid(f"node_spec.parent must be {parent}")
        names.check_id("node_id", spec.node_id)
        check_node(spec.node)
        wanted = self._world.slice_for(zone, spec.node)
        spec.parent, message.name = parent, name
        spec.node.CopyFrom(clean_node(spec.node, ""))
        message.create_time.FromDatetime(self._world.agenda.moment)
        record = QueuedRecord(message, zone, wanted, terms)
        self._turn(record, State.CREATING, Initiator.USER)
        return record

    def _admit(self, record: QueuedRecord, operation: Any) -> None:
        """The end of the create operation: queued, or refused for its model, as the real one does only here."""
        if self.records.get(record.message.name) is not record or record.state != State.CREATING:
            self._world.operations.fail(operation, Refusal(code_pb2.CANCELLED, "The queued resource was deleted"))
        elif not record.zone.accepts(record.slice.name, record.terms.model):
            del self.records[record.message.name]
            model = refusals.model_not_supported(record.terms.model, record.slice.name, record.zone.name)
            self._world.operations.fail(operation, model)
        else:
            self._wait(record)
            self._world.operations.succeed(operation, record.message)

    def _wait(self, record: QueuedRecord) -> None:
        """Queue, and give up when the time that it may wait is over."""
        self._turn(record, State.WAITING_FOR_RESOURCES, Initiator.SERVICE)
        until = _wait_limit(record.message, self._world.agenda.moment)
        if until is not None:
            self._world.agenda.at(until, lambda: self._give_up(record))
        self._world.agenda.after(0, self.grant)

    def _give_up(self, record: QueuedRecord) -> None:
        if record.state == State.WAITING_FOR_RESOURCES:
            self.fail(record, refusals.no_capacity(record.zone.name))

    def _provision(self, record: QueuedRecord) -> None:
        if record.node_name in self._nodes.records:
            self.fail(record, refusals.already_exists(record.node_name))
            return
        self._turn(record, State.PROVISIONING, Initiator.SERVICE)
        node = clean_node(record.message.tpu.node_spec[0].node, record.node_name)
        node.scheduling_config.spot = record.terms.model == "SPOT"
        node.scheduling_config.reserved = record.terms.model == "RESERVATION_BOUND"
        made = NodeRecord(node, record.zone, record.slice, record.terms.model, queued=record.message.name)
        self._nodes.add(made, lambda _: self._activate(record))

    def _activate(self, record: QueuedRecord) -> None:
        if record.state != State.PROVISIONING:
            return
        self._turn(record, State.ACTIVE, Initiator.SERVICE)
        record.run_ends = record.terms.run_until
        if record.terms.run_s is not None:
            record.run_ends = self._world.agenda.moment + timedelta(seconds=record.terms.run_s)
        if record.run_ends is not None:
            self._world.agenda.at(record.run_ends, lambda: self._end_run(record))

    def _end_run(self, record: QueuedRecord) -> None:
        """The run time is over: Google deletes the machine and suspends the request."""
        node = self._nodes.records.get(record.node_name)
        if record.state == State.ACTIVE and node is not None:
            self._turn(record, State.SUSPENDING, Initiator.SERVICE)
            self._nodes.remove(node)

    def _node_gone(self, node: NodeRecord) -> None:
        """A request whose node went is SUSPENDED, whoever took it; free capacity goes to the next."""
        record = self.records.get(node.queued)
        if record is not None and record.state in {State.ACTIVE, State.SUSPENDING, State.PROVISIONING}:
            by_user = record.state != State.SUSPENDING and node.message.state != tpu.Node.State.PREEMPTED
            self._turn(record, State.SUSPENDED, Initiator.USER if by_user else Initiator.SERVICE)
        self.grant()

    def _deletable(self, record: QueuedRecord) -> bool:
        return record.state in DELETABLE and record.node_name not in self._nodes.records

    def _vanish(self, record: QueuedRecord, operation: Any) -> None:
        if self.records.get(record.message.name) is record:
            del self.records[record.message.name]
        self._world.operations.succeed(operation, empty_pb2.Empty())

    def _turn(self, record: QueuedRecord, state: int, initiator: int) -> None:
        """Into another state, with the data that belongs to it."""
        shown = record.message.state
        shown.Clear()
        shown.state = state
        shown.state_initiator = initiator
        if state in _DATA:
            getattr(shown, _DATA[state]).SetInParent()


def _holding(record: QueuedRecord) -> Holding:
    return Holding(record.zone, record.slice, record.terms.model)


def _wait_limit(message: Any, now: datetime) -> datetime | None:
    """Until when it may wait, or None for ever."""
    policy = message.queueing_policy
    if policy.HasField("valid_until_duration"):
        return now + timedelta(seconds=policy.valid_until_duration.ToMilliseconds() / 1000)
    if policy.HasField("valid_until_time"):
        return datetime.fromtimestamp(policy.valid_until_time.ToMilliseconds() / 1000, UTC)
    return None
