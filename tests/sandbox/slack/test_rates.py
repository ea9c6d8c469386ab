import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import ManualClock, SlackStandIn
from sandbox.slack.rates import CHANNEL_BURST, Rates
from sandbox.slack.refusal import RateLimited


def test_a_tier_takes_its_calls_per_minute_and_then_says_when_to_come_back() -> None:
    rates = Rates(ManualClock())
    for _ in range(20):
        rates.take("users.list")
    with pytest.raises(RateLimited) as limited:
        rates.take("users.list")
    assert limited.value.retry_after == 3


async def test_after_the_wait_it_takes_one_more() -> None:
    clock = ManualClock()
    rates = Rates(clock)
    for _ in range(20):
        rates.take("users.list")
    await clock.advance(3)
    rates.take("users.list")
    with pytest.raises(RateLimited):
        rates.take("users.list")


def test_methods_do_not_share_a_bucket() -> None:
    rates = Rates(ManualClock())
    for _ in range(20):
        rates.take("users.list")
    rates.take("conversations.list")


async def test_a_channel_takes_a_small_burst_and_then_one_post_per_second() -> None:
    clock = ManualClock()
    rates = Rates(clock)
    for _ in range(CHANNEL_BURST):
        rates.take_post("C0OPS")
    with pytest.raises(RateLimited) as limited:
        rates.take_post("C0OPS")
    assert limited.value.retry_after == 1
    rates.take_post("C0GENERAL")
    await clock.advance(1)
    rates.take_post("C0OPS")


def test_limits_can_be_switched_off() -> None:
    rates = Rates(ManualClock(), enforced=False)
    for _ in range(1000):
        rates.take_post("C0OPS")


@pytest.mark.wire
async def test_the_wire_says_429_with_retry_after(client: AsyncWebClient, slack: SlackStandIn) -> None:
    from slack_sdk.errors import SlackApiError

    for _ in range(CHANNEL_BURST):
        await client.chat_postMessage(channel="C0OPS", text="x")
    with pytest.raises(SlackApiError) as limited:
        await client.chat_postMessage(channel="C0OPS", text="x")
    assert limited.value.response.status_code == 429
    assert limited.value.response.headers["Retry-After"] == "1"
    assert len(slack.backend.visible("C0OPS")) == CHANNEL_BURST
