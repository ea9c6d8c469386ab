from typing import Any

import aiohttp
import pytest

from sandbox.slack import ManualClock, SlackStandIn

pytestmark = pytest.mark.wire


@pytest.fixture
def url(slack: SlackStandIn) -> Any:
    return slack.interactions.response_url("commands", "C0OPS", "U0ANNA")


async def post(url: str, **more: Any) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url, **more) as response:
        return response.status, await response.text()


def seen(slack: SlackStandIn, user: str) -> list[str]:
    return [entry.text for entry in slack.transcript(user, "ops")]


async def test_the_answer_is_for_the_asker_alone_unless_it_says_otherwise(slack: SlackStandIn, url: str) -> None:
    assert await post(url, json={"text": "psst"}) == (200, "ok")
    await post(url, json={"text": "all", "response_type": "in_channel"})
    assert seen(slack, "anna") == ["psst", "all"]
    assert seen(slack, "ben") == ["all"]


async def test_replace_original_posts_first_and_then_replaces(slack: SlackStandIn, url: str) -> None:
    await post(url, json={"text": "looking", "replace_original": True})
    await post(url, json={"text": "found", "replace_original": True})
    assert seen(slack, "anna") == ["found"]


async def test_a_command_may_be_unable_to_replace_its_own_posts(slack: SlackStandIn) -> None:
    slack.interactions.own_posts_replaceable = False
    url = slack.interactions.response_url("commands", "C0OPS", "U0ANNA")
    await post(url, json={"text": "looking"})
    await post(url, json={"text": "found", "replace_original": True})
    assert seen(slack, "anna") == ["looking", "found"]


async def test_a_press_always_replaces_the_message_of_its_button(slack: SlackStandIn) -> None:
    source = slack.backend.add(slack.backend.app_message("C0OPS", "press here", []))
    url = slack.interactions.response_url("actions", "C0OPS", "U0ANNA", source)
    await post(url, json={"text": "only for you"})
    await post(url, json={"text": "pressed", "replace_original": True})
    assert seen(slack, "ben") == ["pressed"]
    assert sorted(seen(slack, "anna")) == ["only for you", "pressed"]


async def test_delete_original_takes_it_away(slack: SlackStandIn, url: str) -> None:
    await post(url, json={"text": "looking"})
    assert await post(url, json={"delete_original": True}) == (200, "ok")
    assert seen(slack, "anna") == []


async def test_five_uses_and_no_sixth(slack: SlackStandIn, url: str) -> None:
    for number in range(5):
        assert (await post(url, json={"text": str(number)}))[0] == 200
    assert await post(url, json={"text": "6"}) == (404, "used_url")
    assert len(seen(slack, "anna")) == 5


async def test_half_an_hour_and_no_longer(url: str, clock: ManualClock) -> None:
    await clock.advance(1800)
    assert (await post(url, json={"text": "in time"}))[0] == 200
    await clock.advance(1)
    assert await post(url, json={"text": "late"}) == (404, "expired_url")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("not json", "invalid_payload"),
        ("[]", "invalid_payload"),
        ('{"blocks": {}, "text": 7}', "invalid_payload"),
        ("{}", "no_text"),
        ('{"blocks": [{"type": "poem"}]}', "invalid_blocks"),
        ('{"delete_original": true}', "no_text"),
    ],
)
async def test_a_bad_body_is_refused(slack: SlackStandIn, url: str, body: Any, error: str) -> None:
    assert await post(url, data=body) == (400, error)
    assert seen(slack, "anna") == []
