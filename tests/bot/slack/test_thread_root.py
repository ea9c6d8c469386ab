"""The first message of a thread is read where another program wrote it, in whatever part of it the words stand."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from bot.slack.client import SlackClient

pytestmark = pytest.mark.wire

TS = "1796006460.000100"
AT = datetime.fromtimestamp(1796006460.0001, UTC)
ALERTMANAGER = {
    "ts": TS,
    "bot_id": "B7ALERT",
    "username": "Alertmanager",
    "text": "",
    "attachments": [
        {
            "title": "[FIRING:1] HighTTFT prod",
            "text": "first token p90 0.98 s for 5 min",
            "fields": [{"title": "severity", "value": "page", "short": True}],
        }
    ],
}
GOOGLE = {
    "ts": TS,
    "bot_id": "B8GOOGLE",
    "bot_profile": {"name": "Google Cloud Monitoring"},
    "text": "Incident opened",
    "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": "TPU duty cycle below 5 % on prod-1"}},
        {"type": "divider"},
    ],
}


def replies(fakes: SimpleNamespace, *messages: dict[str, Any]) -> Any:
    return fakes.answer({"ok": True, "messages": list(messages)})


async def test_an_alert_of_alertmanager_stands_in_its_attachments(
    slack: Any, client: SlackClient, fakes: SimpleNamespace
) -> None:
    slack.script("conversations.replies", replies(fakes, ALERTMANAGER))
    heard = await client.root("C1", TS)
    assert heard is not None
    assert (heard.by, heard.at) == ("Alertmanager", AT)
    assert heard.text.splitlines() == ["[FIRING:1] HighTTFT prod", "first token p90 0.98 s for 5 min", "severity: page"]
    assert slack.sent("conversations.replies") == [{"channel": "C1", "ts": TS, "limit": "1"}]


async def test_one_of_google_stands_in_its_blocks(slack: Any, client: SlackClient, fakes: SimpleNamespace) -> None:
    slack.script("conversations.replies", replies(fakes, GOOGLE))
    heard = await client.root("C1", TS)
    assert heard is not None
    assert heard.by == "Google Cloud Monitoring"
    assert heard.text.splitlines() == ["Incident opened", "TPU duty cycle below 5 % on prod-1"]


async def test_a_secret_in_it_is_hidden_before_anybody_stores_it(slack: Any, client: SlackClient, fakes: SimpleNamespace) -> None:
    secret = "hf_" + "aB3dE5fG7h" * 3 + "Zq19"
    slack.script("conversations.replies", replies(fakes, {**GOOGLE, "text": f"start failed with token {secret}"}))
    heard = await client.root("C1", TS)
    assert heard is not None
    assert secret not in heard.text
    assert "start failed" in heard.text


@pytest.mark.parametrize(
    "first",
    [
        {"ts": TS, "user": "U1BEN", "text": "is it slow?"},
        {"ts": TS, "bot_id": "B0BOT", "text": "ask-1: on it"},
        {"ts": "1.0", "bot_id": "B7ALERT", "text": "another message"},
    ],
    ids=["a person's", "our own", "not the first"],
)
async def test_what_a_person_or_we_wrote_is_no_alert(
    slack: Any, client: SlackClient, fakes: SimpleNamespace, first: dict[str, Any]
) -> None:
    slack.script("conversations.replies", replies(fakes, first))
    assert await client.root("C1", TS) is None


async def test_a_thread_that_is_gone_has_none(slack: Any, client: SlackClient, fakes: SimpleNamespace) -> None:
    slack.script("conversations.replies", fakes.answer({"ok": False, "error": "thread_not_found"}))
    assert await client.root("C1", TS) is None
