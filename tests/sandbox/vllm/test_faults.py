"""Faults, hooks and scenarios, ordered in the process and over the second port."""

import asyncio
from typing import Any

import httpx
import pytest

from sandbox.clock import HeldClock
from sandbox.vllm import Call, Fault, VllmStandIn
from sandbox.vllm.faults import When

pytestmark = pytest.mark.wire
CHAT = "/v1/chat/completions"
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "list the pods"}]}


def running(scrape: str) -> float:
    """Requests running, of a scrape."""
    return float(next(row for row in scrape.splitlines() if row.startswith("vllm:num_requests_running{")).split()[-1])


async def test_the_kth_call_to_a_path_goes_wrong_and_no_other(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.faults.order(Fault(kind="error", path="/v1/models", at_call=2, status=502))
    statuses = [(await client.get(path)).status_code for path in ("/v1/models", "/version", "/v1/models", "/v1/models")]
    assert statuses == [200, 200, 502, 200]


async def test_a_drop_after_handling_has_done_the_work(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.faults.order(Fault(kind="drop", path=CHAT, when="after"))
    with pytest.raises(httpx.RemoteProtocolError):
        await client.post(CHAT, json=HELLO)
    assert len(server.chat.asked) == 1


async def test_slow_takes_the_clocks_time(client: httpx.AsyncClient, server: VllmStandIn, clock: HeldClock) -> None:
    server.faults.order(Fault(kind="slow", delay_s=30, path="/health"))
    call = asyncio.create_task(client.get("/health"))
    while not server.calls:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)
    assert not call.done()
    await clock.advance(30)
    assert (await call).status_code == 200


async def test_chat_may_hang_while_everything_else_answers(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    server.faults.order(Fault(kind="hang", path=CHAT))
    hanging = asyncio.create_task(client.post(CHAT, json=HELLO))
    assert (await client.get("/health")).status_code == 200
    assert (await client.get("/metrics")).status_code == 200
    assert not hanging.done()
    server.faults.clear()
    with pytest.raises(httpx.RemoteProtocolError):
        await hanging
    assert (await client.post(CHAT, json=HELLO)).status_code == 200


async def test_hanging_answers_nobody_and_another_scenario_lets_go(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    await server.scenario("hanging")
    hanging = asyncio.create_task(client.get("/health"))
    while not server.calls:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)
    assert not hanging.done()
    await server.scenario("quiet")
    with pytest.raises(httpx.RemoteProtocolError):
        await hanging
    assert (await client.get("/health")).status_code == 200


async def test_hooks_see_every_call_before_and_after(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    seen: list[tuple[When, int, str]] = []

    async def hook(when: When, call: Call) -> None:
        seen.append((when, call.number, call.path))

    server.hooks.append(hook)
    await client.get("/health")
    await client.get("/version")
    assert seen == [("before", 1, "/health"), ("after", 1, "/health"), ("before", 2, "/version"), ("after", 2, "/version")]
    assert [(call.path, call.status) for call in server.calls] == [("/health", 200), ("/version", 200)]


async def test_down_refuses_connections_until_it_is_up_on_the_same_port(client: httpx.AsyncClient, server: VllmStandIn) -> None:
    await client.get("/health")
    await server.scenario("down")
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as fresh:
        with pytest.raises(httpx.ConnectError):
            await fresh.get("/health")
        await server.scenario("busy")
        assert (await fresh.get("/health")).status_code == 200
        assert running((await fresh.get("/metrics")).text) == 14


async def test_the_second_port_changes_what_happens_and_answers_while_the_engine_is_down(
    client: httpx.AsyncClient, server: VllmStandIn
) -> None:
    async with httpx.AsyncClient(base_url=server.control_url, trust_env=False) as told:
        for name in ("down", "saturated"):
            assert (await told.post("/sandbox/scenario", json={"name": name})).json() == {"ok": True, "scenario": name}
        assert running((await client.get("/metrics")).text) == 14
        await told.post("/sandbox/answers", json=[{"text": "scripted over HTTP"}])
        assert (await client.post(CHAT, json=HELLO)).json()["choices"][0]["message"]["content"] == "scripted over HTTP"
        await told.post("/sandbox/faults", json={"kind": "error", "path": "/health"})
        assert (await client.get("/health")).status_code == 500
        await told.delete("/sandbox/faults")
        assert (await client.get("/health")).status_code == 200
        assert [call["path"] for call in (await told.get("/sandbox/calls")).json()] == ["/metrics", CHAT, "/health", "/health"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/sandbox/scenario", {"name": "on fire"}),
        ("/sandbox/scenario", {}),
        ("/sandbox/faults", {"kind": "explode"}),
        ("/sandbox/faults", {"kind": "error", "at_call": 0}),
        ("/sandbox/answers", {"text": "not a list"}),
    ],
)
async def test_a_wrong_order_is_refused_and_changes_nothing(
    server: VllmStandIn, client: httpx.AsyncClient, path: str, body: object
) -> None:
    async with httpx.AsyncClient(base_url=server.control_url, trust_env=False) as told:
        refused = await told.post(path, json=body)
    assert refused.status_code == 400
    assert refused.json()["ok"] is False
    assert running((await client.get("/metrics")).text) == 4
