"""Machines over the wire: looked at, switched, given metadata and keys, deleted; what they tell of themselves."""

import pytest
from google.cloud import tpu_v2alpha1 as tpu

from bot.cloud.machines import TpuMachines
from bot.errors import PersonMovesNext, RefusedError, RetryLater, WeMoveNext
from bot.nouns import MachineState, ProvisioningModel
from bot.ports import Authorised
from sandbox.google.faults import Fault, FaultKind
from sandbox.google.nodes import NodeRecord
from sandbox.google.seed import HOME, OURS, PROJECT, queued_resource
from tests.bot.cloud.wired import Google

pytestmark = pytest.mark.wire
KEY = "bot:ssh-ed25519 " + "B" * 68 + " bot"
HF_TOKEN = "hf_" + "planted0123456789abcdefghij"


@pytest.fixture
async def ours(wired: Google) -> NodeRecord:
    """A machine of ours that no request made: it can be stopped."""
    parent = f"projects/{PROJECT}/locations/{HOME}"
    node = queued_resource("", "", "v6e-1", OURS).tpu.node_spec[0].node
    node.metadata["kept"] = "as it was"
    wired.project.nodes.create(parent, "small", node, "")
    await wired.clock.advance(5)
    wired.project.settle()
    return wired.project.nodes.get(f"{parent}/nodes/small")


async def test_a_machine_is_seen_as_everywhere_else_and_one_that_is_gone_is_none(wired: Google, machines: TpuMachines) -> None:
    found = await machines.machine(HOME, "prod-1")
    assert found is not None
    assert (found.state, found.provisioning, found.health) == (MachineState.READY, ProvisioningModel.FLEX_START, "HEALTHY")
    assert await machines.machine(HOME, "never-was") is None
    made = wired.project.queued.get(f"projects/{PROJECT}/locations/{HOME}/queuedResources/prod-1-request")
    assert made.run_ends is not None
    assert found.ends_at == made.run_ends.replace(microsecond=0)
    theirs = await machines.machine("europe-west4-a", "notebook-anna")
    assert theirs is not None
    assert theirs.ends_at is None


async def test_stop_and_start_do_their_work_once_and_say_when_there_is_nothing_to_do(
    wired: Google, machines: TpuMachines, leave: Authorised, ours: NodeRecord
) -> None:
    assert await machines.start(leave, HOME, "small") is None
    assert await machines.stop(leave, HOME, "small") is not None
    assert await machines.stop(leave, HOME, "small") is None
    await wired.clock.advance(2)
    found = await machines.machine(HOME, "small")
    assert found is not None
    assert found.state is MachineState.STOPPED
    assert await machines.start(leave, HOME, "small") is not None
    assert await machines.start(leave, HOME, "small") is None
    assert (len(wired.calls("StopNode")), len(wired.calls("StartNode"))) == (1, 1)


async def test_a_machine_of_a_request_is_not_stopped_and_googles_reason_is_told(machines: TpuMachines, leave: Authorised) -> None:
    with pytest.raises(PersonMovesNext, match="belongs to a queued resource and cannot be stopped"):
        await machines.stop(leave, HOME, "prod-1")


async def test_whatever_would_change_somebody_elses_machine_is_refused_before_a_write(
    wired: Google, machines: TpuMachines, leave: Authorised
) -> None:
    place = ("europe-west4-a", "notebook-anna")
    for change in (
        machines.start(leave, *place),
        machines.stop(leave, *place),
        machines.delete(leave, *place),
        machines.set_metadata(leave, *place, {"a": "b"}),
        machines.add_ssh_key(leave, *place, KEY),
    ):
        with pytest.raises(RefusedError, match="belongs to research"):
            await change
    assert {call.method for call in wired.standin.faults.calls} == {"GetNode"}
    assert await machines.stop(Authorised("ask-2", others=True), *place) is not None


async def test_metadata_is_changed_value_by_value_and_stands_so_at_the_second_asking(
    wired: Google, machines: TpuMachines, leave: Authorised, ours: NodeRecord
) -> None:
    values = {"startup-script": "#!/bin/sh\n", "enable-guest-attributes": None}
    operation = await machines.set_metadata(leave, HOME, "small", values)
    assert operation is not None
    assert not operation.done
    await wired.clock.advance(1)
    assert await machines.set_metadata(leave, HOME, "small", values) is None
    assert dict(ours.message.metadata) == {"kept": "as it was", "startup-script": "#!/bin/sh\n"}


async def test_a_key_is_added_beside_the_others_once(
    wired: Google, machines: TpuMachines, leave: Authorised, ours: NodeRecord
) -> None:
    ours.message.metadata["ssh-keys"] = "anna:ssh-ed25519 AAAA anna"
    await machines.add_ssh_key(leave, HOME, "small", KEY)
    await wired.clock.advance(1)
    assert await machines.add_ssh_key(leave, HOME, "small", KEY) is None
    assert ours.message.metadata["ssh-keys"].splitlines() == ["anna:ssh-ed25519 AAAA anna", KEY]


async def test_a_change_that_meets_another_one_reads_again_and_keeps_what_that_one_wrote(
    wired: Google, machines: TpuMachines, leave: Authorised, ours: NodeRecord
) -> None:
    other = tpu.Node.pb()(name=ours.message.name, metadata={"kept": "as it was", "theirs": "new"})

    async def theirs_first(_: object) -> None:
        wired.project.nodes.update(other, ["metadata"])

    async def theirs_ends(_: object) -> None:
        await wired.clock.advance(1)

    wired.standin.faults.plan(Fault(FaultKind.HOOK, method="UpdateNode", nth=1, hook=theirs_first))
    wired.standin.faults.plan(Fault(FaultKind.HOOK, method="GetNode", nth=2, hook=theirs_ends))
    assert await machines.set_metadata(leave, HOME, "small", {"ours": "too"}) is not None
    await wired.clock.advance(1)
    wired.project.settle()
    assert dict(ours.message.metadata) == {"kept": "as it was", "theirs": "new", "ours": "too"}


async def test_a_change_that_never_gets_its_turn_is_for_later_and_surely_did_not_arrive(
    machines: TpuMachines, leave: Authorised, ours: NodeRecord
) -> None:
    ours.updating = True
    with pytest.raises(RetryLater, match="has not ended yet") as caught:
        await machines.set_metadata(leave, HOME, "small", {"a": "b"})
    assert caught.value.arrived is False


async def test_a_token_never_enters_metadata(wired: Google, machines: TpuMachines, leave: Authorised, ours: NodeRecord) -> None:
    with pytest.raises(WeMoveNext, match="Hugging Face token") as caught:
        await machines.set_metadata(leave, HOME, "small", {"startup-script": f"export HF_TOKEN={HF_TOKEN}"})
    assert HF_TOKEN not in str(caught.value.telling)
    assert wired.standin.faults.calls == []


@pytest.mark.parametrize(
    "line", [KEY + "\nroot:ssh-ed25519 " + "C" * 68, "ssh-ed25519 AAAA", "bot:ssh-ed25519 $(id)", "", KEY + "\r"]
)
async def test_what_is_not_one_key_is_no_key(wired: Google, machines: TpuMachines, leave: Authorised, line: str) -> None:
    with pytest.raises(WeMoveNext, match="SSH key"):
        await machines.add_ssh_key(leave, HOME, "prod-1", line)
    assert wired.standin.faults.calls == []


async def test_a_machine_without_a_request_is_deleted_and_a_repeat_finds_nothing(
    wired: Google, machines: TpuMachines, leave: Authorised, ours: NodeRecord
) -> None:
    assert await machines.delete(leave, HOME, "small")
    assert await machines.delete(leave, HOME, "small")
    await wired.clock.advance(2)
    assert not await machines.delete(leave, HOME, "small")
    assert len(wired.calls("DeleteNode")) == 1


async def test_a_machine_that_is_gone_cannot_be_changed(machines: TpuMachines, leave: Authorised) -> None:
    with pytest.raises(PersonMovesNext, match="no machine never-was"):
        await machines.stop(leave, HOME, "never-was")


async def test_guest_attributes_come_by_path_and_are_empty_while_nothing_was_told(
    wired: Google, machines: TpuMachines, ours: NodeRecord
) -> None:
    assert await machines.guest_attributes(HOME, "small", "hostkeys/") == {}
    ours.attributes["hostkeys/ssh-ed25519"] = "AAAA"
    assert await machines.guest_attributes(HOME, "small", "hostkeys/") == {"hostkeys/ssh-ed25519": "AAAA"}
    assert set(await machines.guest_attributes(HOME, "small")) == {"hostkeys/ssh-ed25519", "hostname"}
    assert await machines.guest_attributes(HOME, "never-was") == {}


async def test_a_machine_that_was_made_without_guest_attributes_says_so(machines: TpuMachines, ours: NodeRecord) -> None:
    del ours.message.metadata["enable-guest-attributes"]
    with pytest.raises(PersonMovesNext, match="not enabled"):
        await machines.guest_attributes(HOME, "small")
