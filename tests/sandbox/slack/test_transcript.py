from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import SlackStandIn, render_text

pytestmark = pytest.mark.wire


def text(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words}


async def test_a_conversation_reads_as_its_people_see_it(slack: SlackStandIn, client: AsyncWebClient) -> None:
    root = await slack.type("anna", "ops", "@gemma is <prod> up?")
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "*prod is ready*\nends <!date^1796003600^{time}|18:50 UTC>"}},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "seen 12 s ago"}, {"type": "mrkdwn", "text": "$5.40/h"}]},
        {"type": "actions", "elements": [{"type": "button", "text": text("Status")}, {"type": "button", "text": text("Chart")}]},
    ]
    reply = await client.chat_postMessage(channel="C0OPS", thread_ts=root.ts, text="prod is ready", blocks=blocks)
    await client.chat_update(channel="C0OPS", ts=reply["ts"], text="prod is ready", blocks=blocks)
    await client.chat_postEphemeral(channel="C0OPS", user="U0ANNA", text="only <@U0BEN> may")
    assert render_text(slack.transcript("anna", "ops")) == "\n".join(
        [
            "# ops",
            "01:53 anna: @gemma is <prod> up?",
            "    01:53 gemma (edited): *prod is ready*",
            "          ends 02:53",
            "          seen 12 s ago · $5.40/h",
            "          [Status] [Chart]",
            "01:53 gemma (only you): only @ben may",
        ]
    )
    assert "02:53" not in render_text(slack.transcript("ben", "ops"))
    assert "ends 19:53" not in render_text(slack.transcript("anna", "ops"))
    assert "ends 20:53" in render_text(slack.transcript("ben", "ops"))
    entry = slack.transcript("anna", "ops")[0].replies[0]
    assert (entry.buttons, entry.notification) == (["Status", "Chart"], "prod is ready")


async def test_people_see_only_the_channels_they_are_in(slack: SlackStandIn) -> None:
    await slack.type("anna", "@gemma", "secret")
    await slack.type("ben", "general", "public")
    assert [entry.text for entry in slack.transcript("anna")] == ["secret", "public"]
    assert [entry.text for entry in slack.transcript("ben")] == ["public"]


async def test_every_kind_of_block_reads_as_text(slack: SlackStandIn, client: AsyncWebClient) -> None:
    cell = {"type": "raw_text", "text": "v6e-4"}
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": text("Week 47")},
        {"type": "divider"},
        {"type": "markdown", "text": "**good** &lt;3"},
        {"type": "image", "image_url": "https://x.example/a.png", "alt_text": "TTFT rose", "title": text("TTFT")},
        {"type": "table", "rows": [[cell, {"type": "raw_text", "text": "$5.40"}]]},
        {"type": "data_visualization", "title": "Cost", "chart": {}},
        {"type": "task_card", "task_id": "1", "title": "Read logs", "status": "complete"},
        {
            "type": "section",
            "fields": [{"type": "mrkdwn", "text": "a"}],
            "accessory": {"type": "users_select", "placeholder": text("Who")},
        },
        {"type": "input", "label": text("Name"), "element": {"type": "plain_text_input"}},
    ]
    await client.chat_postMessage(channel="C0OPS", text="x", blocks=blocks)
    lines = slack.transcript("anna", "ops")[0].text.split("\n")
    assert lines[:8] == [
        "Week 47",
        "---",
        "**good** <3",
        "TTFT",
        "[image: TTFT rose]",
        "v6e-4 | $5.40",
        "[chart: Cost]",
        "Read logs (complete)",
    ]
    assert lines[8:10] == ["a", "[Who v]"]
    assert lines[10].startswith("Name: [")
