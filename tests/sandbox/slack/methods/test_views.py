from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import ManualClock, SlackStandIn

pytestmark = pytest.mark.wire


def text(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words}


def modal(**more: Any) -> dict[str, Any]:
    block = {"type": "section", "block_id": "a", "text": {"type": "mrkdwn", "text": "Hello"}}
    return {"type": "modal", "callback_id": "form", "title": text("Setup"), "blocks": [block], **more}


@pytest.fixture
def trigger(slack: SlackStandIn) -> Any:
    return slack.interactions.trigger("U0ANNA")


async def test_a_trigger_opens_one_view(
    slack: SlackStandIn, client: AsyncWebClient, trigger: str, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    opened = await client.views_open(trigger_id=trigger, view=modal())
    top = slack.people.top_view("anna")
    assert top
    assert top.id == opened["view"]["id"]
    assert await refusal(client.views_open(trigger_id=trigger, view=modal())) == "exchanged_trigger_id"


async def test_a_trigger_lives_three_seconds(
    client: AsyncWebClient, trigger: str, clock: ManualClock, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    await clock.advance(3.1)
    assert await refusal(client.views_open(trigger_id=trigger, view=modal())) == "expired_trigger_id"


async def test_a_made_up_trigger_is_invalid(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.views_open(trigger_id="1.2.abc", view=modal())) == "invalid_trigger_id"


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"title": text("x" * 25)}, "invalid_arguments"),
        ({"type": "home"}, "invalid_arguments"),
        ({"colour": "red"}, "invalid_arguments"),
        ({"private_metadata": "x" * 3001}, "invalid_arguments"),
        ({"blocks": [{"type": "divider"}] * 101}, "invalid_arguments"),
        ({"blocks": [{"type": "markdown", "text": "x"}]}, "invalid_arguments"),
        ({"blocks": [{"type": "input", "label": text("Name"), "element": {"type": "plain_text_input"}}]}, "invalid_arguments"),
        ({"private_metadata": "x" * 260_000}, "view_too_large"),
    ],
)
async def test_a_view_that_slack_refuses_does_not_spend_the_trigger(
    client: AsyncWebClient, trigger: str, refusal: Callable[[Awaitable[object]], Awaitable[str]], more: Any, error: str
) -> None:
    assert await refusal(client.views_open(trigger_id=trigger, view=modal(**more))) == error
    assert await refusal(client.views_open(trigger_id=trigger, view=modal())) == "ok"


async def test_an_update_with_an_old_hash_conflicts(
    client: AsyncWebClient, trigger: str, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    view = (await client.views_open(trigger_id=trigger, view=modal()))["view"]
    await client.views_update(view_id=view["id"], hash=view["hash"], view=modal(callback_id="second"))
    assert await refusal(client.views_update(view_id=view["id"], hash=view["hash"], view=modal())) == "hash_conflict"
    assert await refusal(client.views_update(view_id=view["id"], view=modal())) == "ok"
    assert await refusal(client.views_update(view_id="V9", view=modal())) == "not_found"


async def test_external_ids_are_unique_and_lead_to_the_view(
    slack: SlackStandIn, client: AsyncWebClient, trigger: str, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    await client.views_open(trigger_id=trigger, view=modal(external_id="setup-1"))
    again = slack.interactions.trigger("U0BEN")
    assert await refusal(client.views_open(trigger_id=again, view=modal(external_id="setup-1"))) == "duplicate_external_id"
    assert await refusal(client.views_update(external_id="setup-1", view=modal(external_id="setup-1"))) == "ok"


async def test_a_stack_holds_three_views(
    slack: SlackStandIn, client: AsyncWebClient, trigger: str, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    view = (await client.views_open(trigger_id=trigger, view=modal()))["view"]["id"]
    for _ in range(2):
        pushed = await client.views_push(trigger_id=slack.interactions.trigger("U0ANNA", view), view=modal())
        assert pushed["view"]["previous_view_id"] == view
        view = pushed["view"]["id"]
    call = client.views_push(trigger_id=slack.interactions.trigger("U0ANNA", view), view=modal())
    assert await refusal(call) == "push_limit_reached"


async def test_a_home_tab_is_published_and_takes_no_modal(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    home = {"type": "home", "blocks": [{"type": "header", "text": text("prod is ready")}]}
    published = await client.views_publish(user_id="U0ANNA", view=home)
    assert slack.transcripts.home_text("anna") == "prod is ready"
    assert await refusal(client.views_publish(user_id="U0ANNA", view=home, hash="1.old")) == "hash_conflict"
    assert await refusal(client.views_publish(user_id="U0ANNA", view=home, hash=published["view"]["hash"])) == "ok"
    assert await refusal(client.views_publish(user_id="U0ANNA", view=modal())) == "invalid_arguments"
    assert await refusal(client.views_publish(user_id="U9", view=home)) == "invalid_arguments"
