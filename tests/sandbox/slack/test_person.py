from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import CannotDo, Person, SlackStandIn

pytestmark = pytest.mark.wire


def text(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words}


def option(words: str) -> dict[str, Any]:
    return {"text": text(words), "value": words.lower()}


@pytest.fixture
def buttons() -> Any:
    go = {
        "type": "button",
        "action_id": "go",
        "text": text("Destroy prod-2"),
        "value": "ap-1",
        "confirm": {"title": text("Sure?"), "text": text("It serves.")},
    }
    pick = {"type": "static_select", "action_id": "pick", "placeholder": text("Zone"), "options": [option("A"), option("B")]}
    return [{"type": "actions", "block_id": "b", "elements": [go, pick]}]


async def test_a_command_carries_what_slack_sends(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    await slack.type("anna", "ops", "/gemma budget set @ben <b>")
    body = bot["command"][0]
    assert body["text"] == "budget set <@U0BEN|ben> &lt;b&gt;"
    wanted = {
        "command": "/gemma",
        "channel_name": "ops",
        "user_id": "U0ANNA",
        "team_id": "T0SANDBOX",
        "is_enterprise_install": "false",
    }
    assert wanted.items() <= body.items()
    assert body["response_url"].startswith(slack.base_url)
    assert "thread_ts" not in body


async def test_the_acknowledgement_is_for_the_asker_or_for_all(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    await slack.type("anna", "ops", "/gemma status")
    await slack.type("anna", "ops", "/gemma loud")
    assert [entry.text for entry in slack.transcript("ben", "ops")] == ["for all"]
    assert "for you" in [entry.text for entry in slack.transcript("anna", "ops") if entry.ephemeral]


async def test_an_acknowledgement_with_bad_blocks_shows_as_an_error(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    await slack.type("anna", "ops", "/gemma bad")
    assert "invalid_blocks" in slack.transcript("anna", "ops")[-1].text


async def test_a_command_works_where_the_bot_is_not(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    await slack.type("anna", "general", "/gemma status")
    assert slack.transcript("anna", "general")[-1].text == "for you"


async def test_slack_knows_no_command_in_threads_and_no_foreign_ones(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    root = await slack.type("anna", "ops", "hi")
    with pytest.raises(CannotDo, match="not supported in threads"):
        await slack.type("anna", "ops", "/gemma status", thread=root.ts)
    await slack.type("anna", "ops", "/poem")
    assert "/poem is not a valid command" in slack.transcript("anna", "ops")[-1].text
    assert bot["command"] == []


async def test_people_act_only_where_they_are(slack: SlackStandIn) -> None:
    slack.workspace.channels["C0OPS"].members.discard("U0BEN")
    with pytest.raises(CannotDo, match="ben is not in #ops"):
        await slack.type("ben", "ops", "hi")
    with pytest.raises(CannotDo, match="no such person"):
        await slack.type("zoe", "ops", "hi")


async def test_a_button_is_found_by_its_label_and_its_confirmation_accepted(
    slack: SlackStandIn, client: AsyncWebClient, bot: dict[str, list[Any]], buttons: list[dict[str, Any]]
) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="Anna asks", blocks=buttons)
    ack = await slack.people.click("ben", posted["ts"], "Destroy prod-2")
    body = bot["action"][0]
    assert ack.error is None
    assert body["actions"][0] | {"action_ts": ""} == {
        "type": "button",
        "action_id": "go",
        "block_id": "b",
        "action_ts": "",
        "text": text("Destroy prod-2"),
        "value": "ap-1",
    }
    assert body["container"]["message_ts"] == body["message"]["ts"] == posted["ts"]
    assert body["user"]["id"] == "U0BEN"
    assert [confirm["title"]["text"] for confirm in slack.people.confirmed] == ["Sure?"]
    entry = slack.transcript("carla", "ops")[0]
    assert (entry.text, entry.buttons, entry.edited) == ("pressed", [], True)


async def test_an_option_is_picked_by_its_words(
    slack: SlackStandIn, client: AsyncWebClient, bot: dict[str, list[Any]], buttons: list[dict[str, Any]]
) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="x", blocks=buttons)
    await slack.people.click("ben", posted["ts"], "Zone", "B")
    assert bot["action"][0]["actions"][0]["selected_option"]["value"] == "b"
    with pytest.raises(CannotDo, match="no option 'C'"):
        await slack.people.click("ben", posted["ts"], "Zone", "C")


async def test_what_is_not_there_cannot_be_pressed(
    slack: SlackStandIn, client: AsyncWebClient, buttons: list[dict[str, Any]]
) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="x", blocks=buttons)
    with pytest.raises(CannotDo, match="there is: Destroy prod-2, Zone"):
        await slack.people.click("ben", posted["ts"], "Launch")
    hidden = await client.chat_postEphemeral(channel="C0OPS", user="U0ANNA", text="x", blocks=buttons)
    with pytest.raises(CannotDo, match="ben sees no message"):
        await slack.people.click("ben", hidden["message_ts"], "Destroy prod-2")


async def test_a_press_in_an_ephemeral_message_comes_without_the_message_and_replaces_it(
    slack: SlackStandIn, client: AsyncWebClient, bot: dict[str, list[Any]], buttons: list[dict[str, Any]]
) -> None:
    posted = await client.chat_postEphemeral(channel="C0OPS", user="U0ANNA", text="x", blocks=buttons)
    await slack.people.click("anna", posted["message_ts"], "go")
    assert "message" not in bot["action"][0]
    assert bot["action"][0]["container"]["is_ephemeral"] is True
    assert [(entry.text, entry.ephemeral) for entry in slack.transcript("anna", "ops")] == [("pressed", True)]


async def test_a_message_shortcut_carries_the_message(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    typed = await slack.type("anna", "ops", "OOM again")
    await slack.people.shortcut("ben", typed, "Ask Gemma about this")
    body = bot["shortcut"][0]
    assert (body["callback_id"], body["message"]["text"], body["user"]["id"]) == ("ask_gemma_message", "OOM again", "U0BEN")


async def test_opening_the_app_says_which_tab(
    slack: SlackStandIn, bot: dict[str, list[Any]], settle: Callable[..., Awaitable[None]]
) -> None:
    slack.people.open_home("anna")
    slack.people.open_home("anna", tab="messages")
    await settle(lambda: len(bot["home"]) == 2)
    assert [event["tab"] for event in bot["home"]] == ["home", "messages"]


async def test_a_stranger_and_another_bot_can_be_told_apart(
    slack: SlackStandIn, app: AsyncApp, connect: Callable[[AsyncApp], Awaitable[object]], settle: Callable[..., Awaitable[None]]
) -> None:
    events: list[dict[str, Any]] = []

    @app.event("message")
    async def message(event: dict[str, Any]) -> None:
        events.append(event)

    await connect(app)
    space = slack.workspace
    space.people["U9ERIK"] = Person("U9ERIK", "erik", "Erik Far", team_id="T9OTHER")
    space.people["U9ROBO"] = Person("U9ROBO", "robo", "Robo", bot=True)
    space.channels["C0OPS"].members |= {"U9ERIK", "U9ROBO"}
    await slack.type("erik", "ops", "hello")
    await slack.type("robo", "ops", "beep")
    await settle(lambda: len(events) == 2)
    assert events[0]["user_team"] == "T9OTHER"
    assert events[1]["bot_id"] == "B9ROBO"


async def test_edits_and_deletions_are_events(
    slack: SlackStandIn, app: AsyncApp, connect: Callable[[AsyncApp], Awaitable[object]], settle: Callable[..., Awaitable[None]]
) -> None:
    events: list[dict[str, Any]] = []

    @app.event("message")
    async def message(event: dict[str, Any]) -> None:
        events.append(event)

    await connect(app)
    typed = await slack.type("anna", "ops", "helo")
    await settle(lambda: len(events) == 1)
    slack.people.edit("anna", typed, "hello")
    await settle(lambda: len(events) == 2)
    slack.people.delete("anna", typed)
    await settle(lambda: len(events) == 3)
    assert [event.get("subtype") for event in events] == [None, "message_changed", "message_deleted"]
    assert events[1]["message"]["text"] == "hello"
    assert events[1]["previous_message"]["text"] == "helo"
    with pytest.raises(CannotDo):
        slack.people.edit("ben", typed, "mine")


async def test_the_bot_hears_its_own_messages_marked_as_its_own(
    slack: SlackStandIn, client: AsyncWebClient, settle: Callable[..., Awaitable[None]]
) -> None:
    await client.chat_postMessage(channel="C0OPS", text="mine")
    await settle(lambda: slack.deliveries.log != [])
    event = slack.deliveries.log[0].payload["event"]
    assert (event["bot_id"], event["user"], event["app_id"]) == ("B0GEMMA", "U0GEMMA", "A0GEMMA")
