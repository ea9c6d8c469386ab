from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn, default_workspace
from sandbox.slack.pings import mentioned, notified, tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hi <!channel>", ["!channel"]),
        ("<!here|here> <!everyone>", ["!here", "!everyone"]),
        ("<@U0ANNA> and <@U0BEN|ben>", ["@U0ANNA", "@U0BEN"]),
        ("<!subteam^S0TPUOPS|@tpu-ops>", ["!subteam^S0TPUOPS"]),
        ("&lt;!channel&gt; @channel <https://x.example|!channel>", []),
    ],
)
def test_tokens_are_found_and_escaped_ones_are_not(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_mrkdwn_and_markdown_blocks_parse_tokens_and_plain_text_does_not() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "<!here>"}},
        {"type": "markdown", "text": "<@U0ANNA>"},
        {"type": "header", "text": {"type": "plain_text", "text": "<!channel>"}},
        {
            "type": "actions",
            "elements": [{"type": "button", "text": {"type": "plain_text", "text": "<!everyone>"}, "value": "<!everyone>"}],
        },
    ]
    assert mentioned("", blocks, []) == ["!here", "@U0ANNA"]


def test_rich_text_names_people_by_element() -> None:
    section = {
        "type": "rich_text_section",
        "elements": [{"type": "user", "user_id": "U0BEN"}, {"type": "broadcast", "range": "here"}],
    }
    assert mentioned("", [{"type": "rich_text", "elements": [section]}], []) == ["@U0BEN", "!here"]


def test_a_token_reaches_members_of_the_channel_only() -> None:
    space = default_workspace()
    channel = space.channels["C0OPS"]
    assert notified("!channel", channel, space) == ["U0ANNA", "U0BEN", "U0CARLA", "U0DANA"]
    channel.members.discard("U0BEN")
    assert notified("!subteam^S0TPUOPS", channel, space) == ["U0ANNA"]
    assert notified("@U0BEN", channel, space) == []


@pytest.mark.wire
async def test_a_post_pings_and_its_edit_does_not(slack: SlackStandIn, client: AsyncWebClient) -> None:
    posted = await client.chat_postMessage(channel="C0OPS", text="safe &lt;!channel&gt;")
    await client.chat_update(channel="C0OPS", ts=posted["ts"], text="<!channel> now")
    assert slack.pings_by_app() == []
    await client.chat_postMessage(channel="C0OPS", text="<@U0ANNA> done")
    assert [(ping.token, ping.people) for ping in slack.pings_by_app()] == [("@U0ANNA", ["U0ANNA"])]


@pytest.mark.wire
async def test_a_stream_pings_for_what_it_writes(slack: SlackStandIn, client: AsyncWebClient) -> None:
    root = await slack.type("anna", "ops", "hello")
    started = await client.chat_startStream(
        channel="C0OPS", thread_ts=root.ts, recipient_team_id="T0SANDBOX", recipient_user_id="U0ANNA", markdown_text="a"
    )
    await client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text=" <!cha")
    assert slack.pings_by_app() == []
    await client.chat_appendStream(channel="C0OPS", ts=started["ts"], markdown_text="nnel>")
    await client.chat_stopStream(channel="C0OPS", ts=started["ts"], markdown_text=" &lt;!here&gt;")
    assert [ping.token for ping in slack.pings_by_app()] == ["!channel"]


@pytest.mark.wire
@pytest.mark.parametrize("how", [{"link_names": True}, {"parse": "full"}])
async def test_plain_names_ping_only_when_names_are_linked(slack: SlackStandIn, client: AsyncWebClient, how: Any) -> None:
    await client.chat_postMessage(channel="C0OPS", text="@anna @channel")
    assert slack.pings_by_app() == []
    await client.chat_postMessage(channel="C0OPS", text="@anna @channel", **how)
    assert [ping.token for ping in slack.pings_by_app()] == ["@U0ANNA", "!channel"]
