from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn

pytestmark = pytest.mark.wire


async def test_the_bot_reacts_once_and_takes_it_back(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    typed = await slack.type("anna", "ops", "hi")
    await client.reactions_add(channel="C0OPS", timestamp=typed.ts, name="eyes")
    assert slack.transcript("anna", "ops")[0].reactions == {"eyes": 1}
    assert await refusal(client.reactions_add(channel="C0OPS", timestamp=typed.ts, name="eyes")) == "already_reacted"
    await client.reactions_remove(channel="C0OPS", timestamp=typed.ts, name="eyes")
    assert await refusal(client.reactions_remove(channel="C0OPS", timestamp=typed.ts, name="eyes")) == "no_reaction"


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"name": "no such!"}, "invalid_name"),
        ({"timestamp": "1.2"}, "message_not_found"),
        ({"timestamp": ""}, "invalid_arguments"),
    ],
)
async def test_reactions_that_slack_refuses(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]], more: Any, error: str
) -> None:
    typed = await slack.type("anna", "ops", "hi")
    args = {"channel": "C0OPS", "timestamp": typed.ts, "name": "eyes", **more}
    assert await refusal(client.api_call("reactions.add", params=args)) == error


async def test_the_app_hears_of_reactions_once_it_subscribed(
    slack: SlackStandIn, app: AsyncApp, connect: Callable[[AsyncApp], Awaitable[object]], settle: Callable[..., Awaitable[None]]
) -> None:
    heard: list[str] = []

    @app.event("reaction_added")
    async def added(event: dict[str, Any]) -> None:
        heard.append(f"{event['user']} {event['reaction']} {event['item']['ts']}")

    @app.event("message")
    async def message(event: dict[str, Any]) -> None:
        pass

    await connect(app)
    typed = await slack.type("anna", "ops", "hi")
    slack.people.react("ben", typed, "eyes")
    slack.workspace.app.events.add("reaction_added")
    slack.people.react("dana", typed, "eyes")
    slack.workspace.app.scopes.add("reactions:read")
    slack.people.react("carla", typed, "eyes")
    await settle(lambda: slack.deliveries.under_way == 0)
    assert heard == [f"U0CARLA eyes {typed.ts}"]
