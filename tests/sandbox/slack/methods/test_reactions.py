import pytest

pytestmark = pytest.mark.wire


async def test_the_bot_reacts_once_and_takes_it_back(slack, client, refusal):
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
async def test_reactions_that_slack_refuses(slack, client, refusal, more, error):
    typed = await slack.type("anna", "ops", "hi")
    args = {"channel": "C0OPS", "timestamp": typed.ts, "name": "eyes", **more}
    assert await refusal(client.api_call("reactions.add", params=args)) == error


async def test_the_app_hears_of_reactions_once_it_subscribed(slack, app, connect, settle):
    heard: list[str] = []

    @app.event("reaction_added")
    async def added(event):
        heard.append(f"{event['user']} {event['reaction']} {event['item']['ts']}")

    @app.event("message")
    async def message(event):
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
