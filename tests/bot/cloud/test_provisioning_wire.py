"""Asking for capacity over the wire: what is sent, what is adopted, what is refused, what is deleted."""

from datetime import timedelta

import pytest

from bot.cloud.provisioning import TpuProvisioner
from bot.errors import PersonMovesNext, RefusedError, RetryLater
from bot.nouns import Actor, CapacityOrder, Placement, ProvisioningModel, Refusal, RefusalKind, RequestState, Zone, owner_label
from bot.ports import Authorised
from bot.serving import slices
from sandbox.google.faults import Fault, FaultKind, When
from sandbox.google.project import Reach
from sandbox.google.seed import HOME, PROJECT
from tests.bot.cloud.wired import Google, an_order

pytestmark = pytest.mark.wire
PARENT = f"projects/{PROJECT}/locations/{HOME}"


def placed(answer: Placement | Refusal) -> str:
    """The name of the operation of an order that was placed now."""
    assert isinstance(answer, Placement)
    assert answer.operation is not None
    return answer.operation.name


async def test_a_flex_start_order_arrives_with_everything_that_was_ordered(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, order: CapacityOrder
) -> None:
    operation = placed(await provisioner.create(leave, order))
    assert not (await provisioner.operation(operation)).done
    await wired.clock.advance(1)
    assert (await provisioner.operation(operation)).done
    record = wired.project.queued.get(f"{PARENT}/queuedResources/prod-2-request")
    assert (record.terms.model, record.terms.run_s) == ("FLEX_START", 3 * 3600)
    assert record.message.queueing_policy.valid_until_duration.ToTimedelta() == timedelta(hours=1)
    node = record.message.tpu.node_spec[0].node
    assert (node.accelerator_type, node.runtime_version) == ("v6e-4", "v2-alpha-tpuv6e")
    assert dict(node.labels) == {
        "managed-by": "gemma-chatops",
        "deployment": "prod",
        "work": "ask-0123456789ab",
        "provisioning": "flex-start",
        "owner": owner_label(order.owner),
    }
    assert dict(node.metadata) == {
        "enable-guest-attributes": "TRUE",
        "ssh-keys": order.ssh_keys[0],
        "startup-script": order.startup_script,
    }
    assert not node.network_config.enable_external_ips
    await wired.clock.advance(4)
    found = await provisioner.request(HOME, order.name)
    assert found is not None
    assert (found.state, found.machine, found.provisioning) == (RequestState.ACTIVE, "prod-2", ProvisioningModel.FLEX_START)
    assert found.run_s == 3 * 3600


@pytest.mark.parametrize(("kind", "model"), [(ProvisioningModel.SPOT, "SPOT"), (ProvisioningModel.ON_DEMAND, "STANDARD")])
async def test_spot_and_on_demand_are_bought_as_such_and_have_no_end(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, kind: ProvisioningModel, model: str
) -> None:
    placed(await provisioner.create(leave, an_order(provisioning=kind, run_s=None)))
    record = wired.project.queued.get(f"{PARENT}/queuedResources/prod-2-request")
    assert (record.terms.model, record.terms.run_s) == (model, None)


async def test_the_same_order_again_adopts_what_stands_there(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, order: CapacityOrder
) -> None:
    placed(await provisioner.create(leave, order))
    await wired.clock.advance(5)
    again = await provisioner.create(leave, order)
    assert isinstance(again, Placement)
    assert again.request is not None
    assert again.request.state is RequestState.ACTIVE
    assert len(wired.calls("CreateQueuedResource")) == 1


@pytest.mark.parametrize(
    ("leave", "changes", "owner"),
    [
        (Authorised("ask-another"), {}, "ask-0123456789ab for prod"),
        (Authorised("ask-0123456789ab"), {"deployment": "bench"}, "ask-0123456789ab for prod"),
        (Authorised("ask-0123456789ab"), {"piece": slices.parse("v6e-8")}, "ask-0123456789ab for prod"),
        (Authorised("ask-0123456789ab", others=True), {"machine": "prod-3"}, "ask-0123456789ab for prod"),
        (Authorised("ask-0123456789ab"), {"owner": Actor(team_id="T1", user_id="U0BEN")}, "ask-0123456789ab for prod"),
    ],
)
async def test_what_another_order_made_is_not_adopted_and_its_owner_is_named(
    provisioner: TpuProvisioner, order: CapacityOrder, leave: Authorised, changes: dict[str, object], owner: str
) -> None:
    placed(await provisioner.create(Authorised("ask-0123456789ab"), order))
    with pytest.raises(RefusedError, match=owner):
        await provisioner.create(leave, an_order(**changes))


async def test_a_name_taken_between_look_and_create_is_looked_at_again(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, order: CapacityOrder
) -> None:
    async def take(_: object) -> None:
        async with wired.rest() as rest:
            placed(await wired.provisioner(rest).create(Authorised("ask-quicker"), order))

    wired.standin.faults.plan(Fault(FaultKind.HOOK, method="CreateQueuedResource", nth=1, hook=take))
    with pytest.raises(RefusedError, match="ask-quicker for prod"):
        await provisioner.create(leave, order)


async def test_a_machine_of_that_name_without_a_request_is_named_with_its_owner(
    provisioner: TpuProvisioner, leave: Authorised
) -> None:
    order = an_order(machine="notebook-anna", zone=Zone(name="europe-west4-a"))
    with pytest.raises(RefusedError, match="machine notebook-anna in europe-west4-a exists already and belongs to research"):
        await provisioner.create(leave, order)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"zone": Zone(name="us-foo1-a")}, RefusalKind.UNSUPPORTED_ZONE),
        ({"piece": slices.parse("v5litepod-4")}, RefusalKind.NO_SUCH_SLICE),
        ({"zone": Zone(name="asia-northeast1-b")}, RefusalKind.QUOTA),
    ],
)
async def test_a_no_that_comes_at_once_is_an_answer_and_no_error(
    provisioner: TpuProvisioner, leave: Authorised, changes: dict[str, object], kind: RefusalKind
) -> None:
    answer = await provisioner.create(leave, an_order(**changes))
    assert isinstance(answer, Refusal)
    assert answer.kind is kind


async def test_a_refused_model_shows_in_the_operation_and_again_when_the_order_is_repeated(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised
) -> None:
    order = an_order(zone=Zone(name="us-central1-b"))
    operation = placed(await provisioner.create(leave, order))
    await wired.clock.advance(1)
    ended = await provisioner.operation(operation)
    assert ended.refusal is not None
    assert ended.refusal.kind is RefusalKind.MODEL_REFUSED
    assert await provisioner.create(leave, order) == ended.refusal
    placed(await provisioner.create(leave, order.model_copy(update={"attempt": 2})))


async def test_a_request_that_waited_in_vain_says_which_kind_of_refusal_it_was(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised
) -> None:
    placed(await provisioner.create(leave, an_order(zone=Zone(name="us-east5-b"), wait_s=60)))
    await wired.clock.advance(62)
    found = await provisioner.request("us-east5-b", "prod-2-request")
    assert found is not None
    assert found.state is RequestState.FAILED
    assert found.refusal is not None
    assert found.refusal.kind is RefusalKind.STOCKOUT


async def test_a_missing_permission_is_a_refusal_of_its_own_kind(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, order: CapacityOrder
) -> None:
    wired.standin.faults.plan(Fault(FaultKind.PERMISSION_DENIED, method="CreateQueuedResource"))
    answer = await provisioner.create(leave, order)
    assert isinstance(answer, Refusal)
    assert answer.kind is RefusalKind.PERMISSION


@pytest.mark.parametrize("when", list(When))
async def test_an_outage_in_a_create_is_for_later_and_may_have_arrived(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, order: CapacityOrder, when: When
) -> None:
    wired.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, method="CreateQueuedResource", when=when))
    with pytest.raises(RetryLater) as caught:
        await provisioner.create(leave, order)
    assert caught.value.arrived is None
    assert len(wired.calls("CreateQueuedResource")) == 1


async def test_a_delete_takes_the_machine_along_and_gone_waits_for_both(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised
) -> None:
    assert await provisioner.delete(leave, HOME, "prod-1-request")
    assert not await provisioner.gone(HOME, "prod-1-request", "prod-1")
    assert await provisioner.delete(leave, HOME, "prod-1-request")
    assert len(wired.calls("DeleteQueuedResource")) == 1
    await wired.clock.advance(2)
    assert await provisioner.gone(HOME, "prod-1-request", "prod-1")
    assert not await provisioner.delete(leave, HOME, "prod-1-request")
    assert wired.nodes() == set()


async def test_a_request_that_is_gone_while_its_machine_stands_is_not_gone(wired: Google, provisioner: TpuProvisioner) -> None:
    assert not await provisioner.gone("europe-west4-a", "never-was", "notebook-anna")
    assert await provisioner.gone("europe-west4-a", "never-was", None)


async def test_what_is_not_ours_is_deleted_only_after_a_second_persons_yes(wired: Google, provisioner: TpuProvisioner) -> None:
    theirs = wired.project.queued.get(f"{PARENT}/queuedResources/prod-1-request").message.tpu.node_spec[0].node.labels
    theirs.clear()
    theirs["owner"] = "research"
    with pytest.raises(RefusedError, match="belongs to research"):
        await provisioner.delete(Authorised("ask-1"), HOME, "prod-1-request")
    assert wired.calls("DeleteQueuedResource") == []
    assert await provisioner.delete(Authorised("ask-2", others=True), HOME, "prod-1-request")


async def test_a_delete_that_came_twice_at_once_is_one_delete(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised
) -> None:
    async def before_us(_: object) -> None:
        wired.project.queued.delete(f"{PARENT}/queuedResources/prod-1-request", True, "")

    wired.standin.faults.plan(Fault(FaultKind.HOOK, method="DeleteQueuedResource", hook=before_us))
    assert await provisioner.delete(leave, HOME, "prod-1-request")


async def test_a_zone_that_hangs_is_for_later_within_the_deadline(wired: Google, leave: Authorised, order: CapacityOrder) -> None:
    wired.project.set_reach(HOME, Reach.HANGS)
    async with wired.rest(deadline_s=0.3) as rest:
        with pytest.raises(RetryLater) as caught:
            await wired.provisioner(rest).create(leave, order)
    assert caught.value.arrived is None


@pytest.mark.parametrize(
    "name", ["../nodes/prod-1", "a/b", "", "..", ".", "x" * 201, "prod-1?force=true", "prod-1%2f", "a\nb", "a:start"]
)
async def test_a_name_that_cannot_be_one_makes_no_call(
    wired: Google, provisioner: TpuProvisioner, leave: Authorised, name: str
) -> None:
    for zone, request in ((HOME, name), (name, "prod-1-request")):
        with pytest.raises(PersonMovesNext, match="cannot be the name"):
            await provisioner.delete(leave, zone, request)
    assert wired.standin.faults.calls == []
