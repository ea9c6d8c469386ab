"""The stand-in over its wires: Google's own client library on gRPC, plain HTTP on REST, and its own doors."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import aiohttp
import grpc
import pytest
from google.api_core import exceptions as google_errors
from google.cloud import tpu_v2alpha1 as tpu
from google.cloud.tpu_v2alpha1.services.tpu.transports import TpuGrpcAsyncIOTransport
from google.longrunning import operations_pb2

from sandbox.clock import HeldClock
from sandbox.google.faults import Call, Fault, FaultKind, When
from sandbox.google.seed import PROJECT, default_project, queued_resource
from sandbox.google.standin import GoogleStandIn

pytestmark = pytest.mark.wire
ZONE = "europe-west4-a"
PARENT = f"projects/{PROJECT}/locations/{ZONE}"
HOME = f"projects/{PROJECT}/locations/us-east5-a"
FLEX = {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "3600s"}}


class Wires:
    """A running stand-in and the two ways to it."""

    def __init__(self, standin: GoogleStandIn, clock: HeldClock, client: Any, http: aiohttp.ClientSession) -> None:
        self.standin, self.clock, self.client, self.http = standin, clock, client, http

    async def call(self, verb: str, path: str, body: Any = None) -> tuple[int, Any]:
        async with self.http.request(verb, path, json=body) as answer:
            return answer.status, await answer.json()

    def calls(self, method: str) -> list[Call]:
        return [call for call in self.standin.faults.calls if call.method == method]


@pytest.fixture
async def wires() -> AsyncIterator[Wires]:
    clock = HeldClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    standin = GoogleStandIn(default_project(clock), clock)
    addresses = await standin.start()
    channel = grpc.aio.insecure_channel(addresses.grpc)
    client = tpu.TpuAsyncClient(transport=TpuGrpcAsyncIOTransport(channel=channel))
    async with aiohttp.ClientSession(addresses.rest) as http:
        yield Wires(standin, clock, client, http)
    await channel.close()
    await standin.stop()


def flex_body(parent: str = PARENT, node_id: str = "n-1") -> dict[str, Any]:
    """The body of a flex-start create."""
    node = {"acceleratorType": "v6e-1", "runtimeVersion": "v2-alpha-tpuv6e", "labels": {"managed-by": "gemma-chatops"}}
    return FLEX | {"tpu": {"nodeSpec": [{"parent": parent, "nodeId": node_id, "node": node}]}}


async def test_the_default_project_shows_what_a_team_finds_in_the_morning(wires: Wires) -> None:
    shown = await wires.client.get_queued_resource(name=f"{HOME}/queuedResources/prod-1-request", timeout=2)
    assert shown.state.state == tpu.QueuedResourceState.State.ACTIVE
    record = wires.standin.project.queued.get(shown.name)
    assert record.run_ends is not None
    assert 4 < (record.run_ends - wires.clock.now()).total_seconds() / 3600 < 5
    node = await wires.client.get_node(name=f"{HOME}/nodes/prod-1", timeout=2)
    assert node.create_time.timestamp() < wires.clock.now().timestamp() - 3 * 3600


async def test_a_typed_create_is_queued_and_its_operation_answers_with_the_resource(wires: Wires) -> None:
    queued = tpu.QueuedResource.wrap(queued_resource(PARENT, "n-1", "v6e-1", {}))
    request = tpu.CreateQueuedResourceRequest(
        parent=PARENT, queued_resource_id="q-1", queued_resource=queued, request_id=str(uuid.uuid4())
    )
    first = await wires.client.create_queued_resource(request, timeout=2)
    again = await wires.client.create_queued_resource(request, timeout=2)
    assert again.operation.name == first.operation.name
    await wires.clock.advance(1)
    done = await wires.client.get_operation(operations_pb2.GetOperationRequest(name=first.operation.name), timeout=2)
    answer = tpu.QueuedResource.pb()()
    assert done.done
    assert done.response.Unpack(answer)
    assert answer.name == f"{PARENT}/queuedResources/q-1"


async def test_typed_spot_alone_is_refused_as_seen_in_practice(wires: Wires) -> None:
    queued = tpu.QueuedResource.wrap(queued_resource(PARENT, "n-1", "v6e-1", {}))
    queued.spot = tpu.QueuedResource.Spot()
    with pytest.raises(google_errors.InvalidArgument, match="STANDARD provisioning model is incompatible with spot requests"):
        await wires.client.create_queued_resource(parent=PARENT, queued_resource_id="q", queued_resource=queued, timeout=2)


async def test_a_flex_start_made_over_rest_is_seen_over_grpc_and_ends_by_itself(wires: Wires) -> None:
    path = f"/v2alpha1/{PARENT}/queuedResources"
    status, operation = await wires.call("POST", f"{path}?queuedResourceId=q-1&requestId={uuid.uuid4()}", flex_body())
    assert (status, operation.get("done", False)) == (200, False)
    await wires.clock.advance(4)
    assert (await wires.call("GET", f"/v2alpha1/{operation['name']}"))[1]["done"] is True
    shown = (await wires.call("GET", f"{path}/q-1"))[1]
    assert (shown["state"]["state"], shown["provisioningModel"]) == ("ACTIVE", "FLEX_START")
    assert shown["runDuration"] == {"maxRunDuration": "3600s"}
    node = await wires.client.get_node(name=f"{PARENT}/nodes/n-1", timeout=2)
    assert node.state == tpu.Node.State.READY
    await wires.clock.advance(3602)
    with pytest.raises(google_errors.NotFound):
        await wires.client.get_node(name=f"{PARENT}/nodes/n-1", timeout=2)
    assert (await wires.call("GET", f"{path}/q-1"))[1]["state"]["state"] == "SUSPENDED"


async def test_rest_refuses_with_googles_json_and_status(wires: Wires) -> None:
    path = f"/v2alpha1/{HOME}/queuedResources"
    status, answer = await wires.call("DELETE", f"{path}/prod-1-request")
    assert (status, answer["error"]["status"]) == (400, "FAILED_PRECONDITION")
    status, answer = await wires.call("POST", f"{path}?queuedResourceId=q", flex_body(HOME) | {"tpus": 1})
    assert (status, answer["error"]["status"]) == (400, "INVALID_ARGUMENT")
    status, answer = await wires.call("POST", f"{path}?queuedResourceID=q", flex_body(HOME))
    assert (status, "Unknown name" in answer["error"]["message"]) == (400, True)
    status, answer = await wires.call("GET", f"{path}/nobody")
    assert (status, answer["error"]["code"]) == (404, 404)
    status, answer = await wires.call("DELETE", f"{path}/prod-1-request?force=true")
    assert (status, answer["metadata"]["verb"]) == (200, "delete")


async def test_rest_lists_in_pages(wires: Wires) -> None:
    path = f"/v2alpha1/projects/{PROJECT}/locations/us-east5-b/queuedResources"
    first = (await wires.call("GET", f"{path}?pageSize=1"))[1]
    second = (await wires.call("GET", f"{path}?pageSize=1&pageToken={first['nextPageToken']}"))[1]
    assert "nextPageToken" not in second
    names = [page["queuedResources"][0]["name"].rpartition("/")[2] for page in (first, second)]
    assert names == ["bench-1-request", "prod-0-request"]
    assert (await wires.call("GET", f"{path}?pageToken=made-up"))[0] == 400


async def test_accelerator_types_are_filtered_by_exact_name_and_other_filters_refused(wires: Wires) -> None:
    request = tpu.ListAcceleratorTypesRequest(parent=PARENT, filter='type="v6e-4"')
    assert [kind.type_ async for kind in await wires.client.list_accelerator_types(request, timeout=2)] == ["v6e-4"]
    none = tpu.ListAcceleratorTypesRequest(parent=PARENT, filter='type="v6e-64"')
    assert [kind async for kind in await wires.client.list_accelerator_types(none, timeout=2)] == []
    with pytest.raises(google_errors.InvalidArgument, match="filter"):
        await wires.client.list_accelerator_types(tpu.ListAcceleratorTypesRequest(parent=PARENT, filter="v6e"), timeout=2)


async def test_all_zones_can_be_listed_at_once_by_a_dash(wires: Wires) -> None:
    pager = await wires.client.list_nodes(parent=f"projects/{PROJECT}/locations/-", timeout=2)
    assert {node.name.rpartition("/")[2] async for node in pager} == {"prod-1", "notebook-anna"}


async def test_a_node_of_a_queued_resource_is_not_stopped_and_one_made_directly_is(wires: Wires) -> None:
    with pytest.raises(google_errors.FailedPrecondition, match="cannot be stopped"):
        await wires.client.stop_node(tpu.StopNodeRequest(name=f"{HOME}/nodes/prod-1"), timeout=2)
    await wires.client.stop_node(tpu.StopNodeRequest(name=f"{PARENT}/nodes/notebook-anna"), timeout=2)
    await wires.clock.advance(1)
    stopped = await wires.client.get_node(name=f"{PARENT}/nodes/notebook-anna", timeout=2)
    assert stopped.state == tpu.Node.State.STOPPED


@pytest.mark.parametrize("when", list(When))
async def test_a_hook_strikes_at_the_kth_call_before_or_after_it_acted(wires: Wires, when: When) -> None:
    struck: list[tuple[int, bool]] = []

    async def hook(call: Call) -> None:
        struck.append((call.number, bool(wires.standin.project.queued.records.get(f"{PARENT}/queuedResources/q-1"))))

    wires.standin.faults.plan(Fault(FaultKind.HOOK, nth=2, when=when, hook=hook))
    await wires.call("GET", f"/v2alpha1/{PARENT}/queuedResources")
    await wires.call("POST", f"/v2alpha1/{PARENT}/queuedResources?queuedResourceId=q-1", flex_body())
    await wires.call("GET", f"/v2alpha1/{PARENT}/queuedResources")
    assert struck == [(2, when is When.AFTER)]


async def test_an_answer_lost_after_the_call_acted_leaves_the_resource_behind(wires: Wires) -> None:
    wires.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, method="CreateQueuedResource", nth=1, when=When.AFTER))
    status, _ = await wires.call("POST", f"/v2alpha1/{PARENT}/queuedResources?queuedResourceId=q-1", flex_body())
    assert status == 503
    assert (await wires.call("GET", f"/v2alpha1/{PARENT}/queuedResources/q-1"))[0] == 200


async def test_over_its_own_door_a_call_is_held_seen_and_released(wires: Wires) -> None:
    await wires.call("POST", "/sandbox/faults", {"kind": "hold", "method": "ListNodes", "nth": 1})
    waiting = asyncio.create_task(wires.client.list_nodes(parent=HOME, timeout=5))
    async with asyncio.timeout(2):
        while not (await wires.call("GET", "/sandbox/calls"))[1]["held"]:
            await asyncio.sleep(0)
    assert not waiting.done()
    await wires.call("POST", "/sandbox/release")
    assert len((await waiting).nodes) == 1
    log = (await wires.call("GET", "/sandbox/calls"))[1]
    assert (log["held"], log["calls"][0]["method"], log["calls"][0]["outcome"]) == ([], "ListNodes", "OK")


async def test_a_call_that_never_answers_ends_by_the_callers_own_deadline_and_is_logged(wires: Wires) -> None:
    await wires.call("POST", "/sandbox/zones", {"zone": "us-east5-a", "reach": "hangs"})
    with pytest.raises(google_errors.DeadlineExceeded):
        await wires.client.list_nodes(parent=HOME, timeout=0.2)
    async with asyncio.timeout(2):
        while wires.calls("ListNodes")[0].outcome is None:
            await asyncio.sleep(0)
    assert wires.calls("ListNodes")[0].outcome == "CANCELLED"


async def test_latency_is_the_clocks_and_not_the_tests(wires: Wires) -> None:
    wires.standin.faults.plan(Fault(FaultKind.LATENCY, method="ListNodes", seconds=30))
    waiting = asyncio.create_task(wires.client.list_nodes(parent=HOME, timeout=5))
    async with asyncio.timeout(2):
        while not wires.calls("ListNodes"):
            await asyncio.sleep(0)
    await wires.clock.advance(30)
    assert len((await waiting).nodes) == 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/sandbox/faults", {"kind": "earthquake"}),
        ("/sandbox/faults", {"kind": "hook"}),
        ("/sandbox/faults", {"kind": "hang", "who": "me"}),
        ("/sandbox/faults", []),
        ("/sandbox/zones", {"zone": "mars-a", "reach": "ok"}),
        ("/sandbox/zones", {"reach": "ok"}),
    ],
)
async def test_its_own_doors_refuse_what_they_do_not_understand(wires: Wires, path: str, body: Any) -> None:
    status, answer = await wires.call("POST", path, body)
    assert (status, answer["ok"]) == (400, False)


async def test_capacity_changed_over_its_own_door_reaches_those_who_wait(wires: Wires) -> None:
    await wires.call("POST", "/sandbox/zones", {"zone": "us-east5-b", "capacity": {"v6e": 4}})
    await wires.clock.advance(3)
    path = f"/v2alpha1/projects/{PROJECT}/locations/us-east5-b/queuedResources/bench-1-request"
    assert (await wires.call("GET", path))[1]["state"]["state"] == "ACTIVE"
