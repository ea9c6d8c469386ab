import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import DeliveryFault, ManualClock, SlackStandIn

pytestmark = pytest.mark.wire


class Wire:
    """A bare web socket that acknowledges only when told to."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(5):
            return dict(json.loads((await self.socket.receive()).data))

    async def acknowledge(self, envelope: dict[str, Any], payload: object = None) -> None:
        answer = {"envelope_id": envelope["envelope_id"]} | ({"payload": payload} if payload is not None else {})
        await self.socket.send_json(answer)


@pytest.fixture
async def dial(app_client: AsyncWebClient) -> AsyncIterator[Any]:
    """Opens bare connections; `hello` is read already."""
    wires: list[Wire] = []
    async with aiohttp.ClientSession() as session:

        async def dialled(hello: bool = True) -> Wire:
            url = (await app_client.apps_connections_open(app_token=str(app_client.token)))["url"]
            wire = Wire(await session.ws_connect(url))
            if hello:
                assert (await wire.next())["type"] == "hello"
            wires.append(wire)
            return wire

        yield dialled


async def test_hello_counts_the_connections(dial: Callable[..., Awaitable[Wire]]) -> None:
    await dial()
    hello = await (await dial(hello=False)).next()
    assert hello["num_connections"] == 2
    assert hello["debug_info"]["approximate_connection_time"] > 0


async def test_an_address_opens_one_connection(app_client: AsyncWebClient) -> None:
    url = (await app_client.apps_connections_open(app_token=str(app_client.token)))["url"]
    async with aiohttp.ClientSession() as session:
        await session.ws_connect(url)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(url)
    assert refused.value.status == 403


async def test_the_eleventh_connection_is_one_too_many(slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]]) -> None:
    for _ in range(10):
        await dial()
    turned_away = await (await dial(hello=False)).next()
    assert (turned_away["type"], turned_away["reason"]) == ("disconnect", "too_many_websockets")
    assert len(slack.sockets.connections) == 10


async def test_each_payload_goes_to_one_connection_in_turn(slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]]) -> None:
    wires = [await dial(), await dial()]
    got: list[int] = []
    for number in range(4):
        await slack.type("anna", "@gemma", f"line {number}")
        for which, wire in enumerate(wires):
            try:
                async with asyncio.timeout(0.05):
                    envelope = json.loads((await wire.socket.receive()).data)
            except TimeoutError:
                continue
            got.append(which)
            await wire.acknowledge(envelope)
    assert sorted(got) == [0, 0, 1, 1]


async def test_an_event_that_is_not_acknowledged_comes_again_three_times(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]], clock: ManualClock, settle: Callable[..., Awaitable[None]]
) -> None:
    wire = await dial()
    await slack.type("anna", "@gemma", "hello")
    first = await wire.next()
    assert (first["retry_attempt"], first["retry_reason"]) == (0, "")
    seen = [first["payload"]["event_id"]]
    for attempt, wait in ((1, 0), (2, 60), (3, 300)):
        await clock.advance(3)
        await clock.advance(wait)
        again = await wire.next()
        assert (again["retry_attempt"], again["retry_reason"]) == (attempt, "timeout")
        seen.append(again["payload"]["event_id"])
    await clock.advance(3)
    await settle(lambda: slack.deliveries.under_way == 0)
    assert len(set(seen)) == 1
    assert [one.error for one in slack.deliveries.log] == ["http_timeout"] * 4


async def test_an_acknowledged_event_does_not_come_again(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]], clock: ManualClock, settle: Callable[..., Awaitable[None]]
) -> None:
    wire = await dial()
    await slack.type("anna", "@gemma", "hello")
    await wire.acknowledge(await wire.next())
    await settle(lambda: slack.deliveries.under_way == 0)
    await clock.advance(400)
    assert len(slack.deliveries.log) == 1


async def test_a_command_comes_once_and_its_person_reads_operation_timeout(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]], clock: ManualClock
) -> None:
    wire = await dial()
    typing = asyncio.ensure_future(slack.type("anna", "ops", "/gemma status"))
    envelope = await wire.next()
    assert envelope["type"] == "slash_commands"
    assert envelope["accepts_response_payload"] is True
    await clock.advance(3)
    await typing
    await clock.advance(400)
    assert len(slack.deliveries.log) == 1
    assert slack.transcript("anna", "ops")[-1].text == '/gemma failed with the error "operation_timeout"'
    assert slack.transcript("ben", "ops") == []


async def test_without_connections_a_command_fails_and_an_event_waits_for_its_retries(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]], clock: ManualClock
) -> None:
    await slack.type("anna", "ops", "/gemma status")
    assert "operation_timeout" in slack.transcript("anna", "ops")[-1].text
    await slack.type("anna", "@gemma", "hello")
    await clock.advance(1)
    wire = await dial()
    await clock.advance(60)
    envelope = await wire.next()
    assert (envelope["retry_attempt"], envelope["retry_reason"]) == (2, "connection_failed")


async def test_a_connection_that_is_asked_to_leave_gets_nothing_new(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]]
) -> None:
    old = await dial()
    await slack.sockets.disconnect()
    assert (await old.next())["reason"] == "refresh_requested"
    new = await dial()
    await slack.type("anna", "@gemma", "hello")
    assert (await new.next())["type"] == "events_api"


async def test_a_connection_that_stays_is_closed_after_its_grace(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]], clock: ManualClock, settle: Callable[..., Awaitable[None]]
) -> None:
    old = await dial()
    await slack.sockets.disconnect()
    await old.next()
    await settle(lambda: clock.sleeping > 0)
    closing = asyncio.ensure_future(old.socket.receive())
    await clock.advance(10)
    assert (await closing).type == aiohttp.WSMsgType.CLOSE


async def test_a_lost_acknowledgement_makes_slack_send_again(slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]]) -> None:
    slack.faults.add(DeliveryFault(kind="events_api", lose_ack=True))
    wire = await dial()
    await slack.type("anna", "@gemma", "hello")
    await wire.acknowledge(await wire.next())
    assert (await wire.next())["retry_attempt"] == 1


async def test_a_late_acknowledgement_counts_as_none(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]], clock: ManualClock, settle: Callable[..., Awaitable[None]]
) -> None:
    slack.faults.add(DeliveryFault(delay_ack=4))
    wire = await dial()
    await slack.type("anna", "@gemma", "hello")
    await wire.acknowledge(await wire.next())
    await settle(lambda: slack.sockets.waiting_for_late_acknowledgements == 1)
    await clock.advance(4)
    assert (await wire.next())["retry_attempt"] == 1


async def test_a_payload_can_be_sent_three_times(slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]]) -> None:
    slack.faults.add(DeliveryFault(copies=3))
    wire = await dial()
    await slack.type("anna", "@gemma", "hello")
    envelopes = [await wire.next() for _ in range(3)]
    assert len({envelope["payload"]["event_id"] for envelope in envelopes}) == 1
    assert len({envelope["envelope_id"] for envelope in envelopes}) == 3


async def test_a_mention_comes_twice_with_one_ts_and_two_event_ids(
    slack: SlackStandIn, dial: Callable[..., Awaitable[Wire]]
) -> None:
    wire = await dial()
    await slack.type("anna", "ops", "@gemma why?")
    payloads = [(await wire.next())["payload"] for _ in range(2)]
    assert [payload["event"]["type"] for payload in payloads] == ["app_mention", "message"]
    assert len({payload["event"]["ts"] for payload in payloads}) == 1
    assert len({payload["event_id"] for payload in payloads}) == 2
    assert payloads[1]["event"]["channel_type"] == "channel"
    assert payloads[0]["authorizations"][0]["user_id"] == "U0GEMMA"


async def test_an_event_without_subscription_is_not_sent(slack: SlackStandIn, settle: Callable[..., Awaitable[None]]) -> None:
    slack.workspace.app.events.discard("message.channels")
    await slack.type("anna", "ops", "@gemma why?")
    await settle(lambda: slack.deliveries.log != [])
    assert [one.payload["event"]["type"] for one in slack.deliveries.log if one.attempt == 0] == ["app_mention"]
    assert slack.deliveries.under_way == 1


async def test_the_bot_hears_nothing_from_channels_it_is_not_in(slack: SlackStandIn) -> None:
    await slack.type("anna", "general", "hello")
    assert slack.deliveries.under_way == 0


async def test_bolt_reconnects_when_asked_and_after_a_cut(
    slack: SlackStandIn, app: AsyncApp, connect: Callable[[AsyncApp], Awaitable[object]], settle: Callable[..., Awaitable[None]]
) -> None:
    heard: list[str] = []

    @app.event("message")
    async def message(event: dict[str, Any]) -> None:
        heard.append(event["text"])

    await connect(app)
    first = slack.sockets.connections[0]
    await slack.sockets.disconnect()
    await settle(lambda: slack.sockets.connections != [] and first not in slack.sockets.connections)
    await slack.type("anna", "@gemma", "after refresh")
    await settle(lambda: heard == ["after refresh"])
    second = slack.sockets.connections[0]
    slack.sockets.drop()
    await settle(lambda: slack.sockets.connections != [] and second not in slack.sockets.connections)
    await slack.type("anna", "@gemma", "after cut")
    await settle(lambda: heard == ["after refresh", "after cut"])


async def test_connections_can_be_refreshed_by_the_clock(clock: ManualClock) -> None:
    slack = SlackStandIn(clock=clock, refresh_every=60)
    await slack.start()
    client = AsyncWebClient(token=slack.workspace.app.app_token, base_url=slack.api_url)
    url = (await client.apps_connections_open(app_token=str(client.token)))["url"]
    async with aiohttp.ClientSession() as session:
        wire = Wire(await session.ws_connect(url))
        assert (await wire.next())["type"] == "hello"
        await clock.advance(60)
        assert (await wire.next())["reason"] == "refresh_requested"
        assert slack.deliveries.under_way == 0
    await slack.stop()
