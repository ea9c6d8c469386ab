"""Google's messages become our nouns without loss and without secrets."""

from datetime import UTC, datetime

import pytest
from google.cloud import tpu_v2alpha1 as tpu

from bot.cloud.translation import MACHINE_STATES, REQUEST_STATES, accelerator_of, machine_of, request_of
from bot.nouns import MachineState, ProvisioningModel, RequestState, Zone

PARENT = "projects/p/locations/us-east5-a"
CREATED = datetime(2026, 11, 30, 9, 15, 0, 250_000, tzinfo=UTC)


def node(**fields: object) -> tpu.Node:
    """A node with a name, and whatever the test adds."""
    return tpu.Node(name=f"{PARENT}/nodes/prod-1", **fields)


def queued(*nodes: tpu.Node, **fields: object) -> tpu.QueuedResource:
    """A queued resource that asks for these nodes."""
    specs = [{"parent": PARENT, "node_id": f"n-{number}", "node": spec} for number, spec in enumerate(nodes)]
    return tpu.QueuedResource(name=f"{PARENT}/queuedResources/q-1", tpu={"node_spec": specs}, **fields)


def test_a_ready_node_becomes_a_machine_with_everything_that_people_ask_for() -> None:
    machine = machine_of(
        node(
            state=tpu.Node.State.READY,
            health=tpu.Node.Health.HEALTHY,
            accelerator_type="v6e-4",
            create_time=CREATED,
            labels={"provisioning": "flex-start", "deployment": "prod"},
            network_endpoints=[
                {"ip_address": "10.0.0.2", "access_config": {"external_ip": "203.0.113.2"}},
                {"ip_address": "10.0.0.3"},
            ],
        )
    )
    assert machine.name == "prod-1"
    assert machine.zone == Zone(name="us-east5-a")
    assert machine.state is MachineState.READY
    assert machine.health == "HEALTHY"
    assert machine.accelerator == "v6e-4"
    assert machine.address == "203.0.113.2"
    assert machine.created_at == CREATED
    assert type(machine.created_at) is datetime
    assert machine.provisioning is ProvisioningModel.FLEX_START
    assert machine.labels["deployment"] == "prod"


def test_what_google_does_not_say_is_unknown_and_not_a_zero() -> None:
    machine = machine_of(node())
    assert machine.state is MachineState.UNKNOWN
    assert (machine.health, machine.address, machine.created_at, machine.provisioning, machine.accelerator) == (None,) * 5


def test_without_an_external_address_the_internal_one_is_given() -> None:
    assert machine_of(node(network_endpoints=[{"ip_address": "10.0.0.2"}])).address == "10.0.0.2"


def test_metadata_never_enters_a_noun() -> None:
    secret = node(metadata={"startup-script": "export HF_TOKEN=planted", "ssh-keys": "planted"})
    assert "planted" not in machine_of(secret).model_dump_json()
    assert "planted" not in request_of(queued(secret)).model_dump_json()


@pytest.mark.parametrize("state", list(tpu.Node.State))
def test_every_node_state_has_a_word_and_only_the_hidden_ones_are_unknown(state: tpu.Node.State) -> None:
    unknown = {"STATE_UNSPECIFIED", "HIDING", "HIDDEN", "UNHIDING", "UNKNOWN"}
    assert (machine_of(node(state=state)).state is MachineState.UNKNOWN) == (state.name in unknown)
    assert (int(state) in MACHINE_STATES) == (state.name not in unknown)


@pytest.mark.parametrize("state", list(tpu.QueuedResourceState.State)[1:])
def test_every_state_of_a_queued_resource_has_a_word(state: tpu.QueuedResourceState.State) -> None:
    assert request_of(queued(node(), state={"state": state})).state is REQUEST_STATES[int(state)]
    assert REQUEST_STATES[int(state)] is not RequestState.UNKNOWN


def test_states_that_google_adds_later_are_unknown() -> None:
    later = tpu.Node.pb()(name=f"{PARENT}/nodes/n", state=99, health=98)
    machine = machine_of(tpu.Node.wrap(later))
    assert (machine.state, machine.health) == (MachineState.UNKNOWN, None)


@pytest.mark.parametrize(
    ("kind", "topology", "name"),
    [
        (tpu.AcceleratorConfig.Type.V6E, "2x2", "v6e-4"),
        (tpu.AcceleratorConfig.Type.V5LITE_POD, "2x4", "v5litepod-8"),
        (tpu.AcceleratorConfig.Type.V5P, "2x2x1", "v5p-8"),
        (tpu.AcceleratorConfig.Type.V2, "2x2", None),
        (tpu.AcceleratorConfig.Type.V6E, "", None),
        (tpu.AcceleratorConfig.Type.V6E, "wide", None),
    ],
)
def test_a_slice_is_named_from_generation_and_topology_when_the_node_has_no_type(
    kind: tpu.AcceleratorConfig.Type, topology: str, name: str | None
) -> None:
    assert accelerator_of(node(accelerator_config={"type_": kind, "topology": topology})) == name


@pytest.mark.parametrize(
    ("fields", "bought"),
    [
        ({"labels": {"provisioning": "spot"}}, ProvisioningModel.SPOT),
        ({"labels": {"provisioning": "on-demand"}}, ProvisioningModel.ON_DEMAND),
        ({"labels": {"provisioning": "gift"}}, None),
        ({"scheduling_config": {"spot": True}}, ProvisioningModel.SPOT),
        ({"scheduling_config": {"reserved": True}}, ProvisioningModel.RESERVED),
        ({"labels": {"provisioning": "flex-start"}, "scheduling_config": {"spot": True}}, ProvisioningModel.FLEX_START),
        ({}, None),
    ],
)
def test_how_a_machine_was_bought_is_read_from_our_label_then_from_google_else_unknown(
    fields: dict[str, object], bought: ProvisioningModel | None
) -> None:
    assert machine_of(node(**fields)).provisioning is bought


def test_a_request_shows_slice_labels_machine_and_error_from_where_google_keeps_them() -> None:
    failed = {"state": tpu.QueuedResourceState.State.FAILED, "failed_data": {"error": {"code": 8, "message": "no more capacity"}}}
    request = request_of(queued(node(accelerator_type="v6e-4", labels={"deployment": "prod"}), state=failed, create_time=CREATED))
    assert (request.name, request.machine, request.accelerator) == ("q-1", "n-0", "v6e-4")
    assert (request.labels, request.error, request.created_at) == ({"deployment": "prod"}, "no more capacity", CREATED)


def test_a_request_for_several_machines_names_none_of_them() -> None:
    assert request_of(queued(node(), node())).machine is None
    assert request_of(queued()).machine is None


@pytest.mark.parametrize(
    ("fields", "bought"),
    [
        ({"spot": {}}, ProvisioningModel.SPOT),
        ({"guaranteed": {"reserved": True}}, ProvisioningModel.RESERVED),
        ({"reservation_name": "projects/p/locations/z/reservations/r"}, ProvisioningModel.RESERVED),
        ({"guaranteed": {}}, None),
        ({}, None),
    ],
)
def test_how_a_request_buys_is_read_from_its_tier_and_a_bare_guarantee_is_unknown(
    fields: dict[str, object], bought: ProvisioningModel | None
) -> None:
    assert request_of(queued(node(), **fields)).provisioning is bought


@pytest.mark.parametrize("name", ["", "prod-1", "projects/p/locations/z/queuedResources/n", "projects/p/locations//nodes/n"])
def test_a_name_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        machine_of(tpu.Node(name=name))
