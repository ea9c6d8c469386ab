import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ServerDisconnectedError
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import Fault, ManualClock, SlackStandIn, WireCall

pytestmark = pytest.mark.wire


async def post(client: AsyncWebClient) -> Any:
    return await client.chat_postMessage(channel="C0OPS", text="x")


def posted(slack: SlackStandIn) -> int:
    return len(slack.backend.visible("C0OPS"))


async def test_calls_are_numbered_with_arguments_and_answers(slack: SlackStandIn, client: AsyncWebClient) -> None:
    await client.auth_test()
    await post(client)
    calls = slack.faults.calls()
    assert [(call.number, call.method, call.status) for call in calls] == [(1, "auth.test", 200), (2, "chat.postMessage", 200)]
    assert calls[1].args["text"] == "x"
    assert calls[1].answer["ok"] is True


async def test_hooks_run_before_the_call_takes_effect_and_after_it_did(slack: SlackStandIn, client: AsyncWebClient) -> None:
    seen: list[tuple[str, int]] = []

    async def after(call: WireCall) -> None:
        seen.append((f"after {call.method}", posted(slack)))

    fault = Fault(at=2, before=lambda call: seen.append((f"before {call.method}", posted(slack))), after=after)
    slack.faults.add(fault)
    await client.auth_test()
    await post(client)
    assert seen == [("before chat.postMessage", 0), ("after chat.postMessage", 1)]


@pytest.mark.parametrize(("handled", "effect"), [(False, 0), (True, 1)])
@pytest.mark.parametrize("answer", ["429", "500"])
async def test_an_error_answer_with_or_without_effect(
    slack: SlackStandIn, client: AsyncWebClient, answer: Any, handled: bool, effect: int
) -> None:
    slack.faults.add(Fault(method="chat.postMessage", answer=answer, handled=handled, retry_after=7))
    with pytest.raises(SlackApiError) as failed:
        await post(client)
    assert failed.value.response.status_code == int(answer)
    if answer == "429":
        assert failed.value.response.headers["Retry-After"] == "7"
    assert posted(slack) == effect
    await post(client)
    assert posted(slack) == effect + 1


@pytest.mark.parametrize(("handled", "effect"), [(False, 0), (True, 1)])
async def test_a_dropped_connection_with_or_without_effect(
    slack: SlackStandIn, client: AsyncWebClient, handled: bool, effect: int
) -> None:
    client.retry_handlers.clear()
    slack.faults.add(Fault(answer="drop", handled=handled))
    with pytest.raises(ServerDisconnectedError):
        await post(client)
    assert posted(slack) == effect


async def test_a_call_that_hangs_times_out_at_the_caller(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.faults.add(Fault(answer="hang", handled=True))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await post(client)
    assert posted(slack) == 1


async def test_a_delay_goes_by_slacks_clock(
    slack: SlackStandIn, client: AsyncWebClient, clock: ManualClock, settle: Callable[..., Awaitable[None]]
) -> None:
    slack.faults.add(Fault(delay=30))
    call: asyncio.Future[Any] = asyncio.ensure_future(post(client))
    await settle(lambda: clock.sleeping > 0)
    assert posted(slack) == 0
    await clock.advance(30)
    assert (await call)["ok"]


async def test_a_watching_fault_and_a_spoiling_one_work_together(slack: SlackStandIn, client: AsyncWebClient) -> None:
    seen: list[int] = []
    slack.faults.add(Fault(times=10**9, before=lambda call: seen.append(call.number)))
    for _ in range(2):
        slack.faults.add(Fault(method="chat.postMessage", answer="500"))
    for _ in range(2):
        with pytest.raises(SlackApiError):
            await post(client)
    assert (await post(client))["ok"]
    assert seen == [1, 2, 3]


async def test_clearing_ends_all_faults(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.faults.add(Fault(answer="500", times=100))
    slack.faults.clear()
    assert (await post(client))["ok"]
