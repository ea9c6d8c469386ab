import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import RetryLater, WeMoveNext
from bot.ports import Slack
from bot.slack.client import SlackClient
from bot.slack.failures import MessageGoneError, PlaceGoneError
from bot.view import Button, Chart, Mention, Shape, View, line

pytestmark = pytest.mark.wire
VIEW = View(verdict=line("prod is ready"), shape=Shape.GOOD, buttons=(Button(label="Status", words="status prod"),))
SINCE = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
OURS = {"event_type": "gemma_work", "event_payload": {"key": "bench-12:final"}}


async def test_a_post_carries_its_key_and_asks_for_no_unfurling_or_name_linking(
    slack: Any, client: SlackClient, fakes: Any
) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": True, "channel": "C1", "ts": "17.2", "message": {"thread_ts": "17.1"}}))
    posted = await client.post("C1", "17.1", VIEW, "bench-12:final", mention=Mention(id="U0ANNA"))
    assert (posted.channel, posted.ts, posted.thread) == ("C1", "17.2", "17.1")
    sent = slack.sent("chat.postMessage")[0]
    assert sent["metadata"] == OURS
    assert (sent["thread_ts"], sent["unfurl_links"], sent["unfurl_media"]) == ("17.1", False, False)
    assert "link_names" not in sent
    assert sent["blocks"][0]["text"]["text"] == "<@U0ANNA> ● *prod is ready*"


def test_the_client_is_what_core_asks_for(client: SlackClient) -> None:
    port: Slack = client
    assert port is client


async def test_a_lost_thread_is_noticed(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": True, "channel": "C1", "ts": "17.2", "message": {}}))
    assert (await client.post("C1", "17.1", VIEW, "k")).thread is None


async def test_an_answer_without_ts_may_have_been_posted(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": True}))
    with pytest.raises(RetryLater) as caught:
        await client.post("C1", None, VIEW, "k")
    assert caught.value.arrived is None


@pytest.mark.parametrize("key", ["", "k" * 201])
async def test_a_message_without_a_usable_key_is_not_sent(slack: Any, client: SlackClient, key: str) -> None:
    with pytest.raises(WeMoveNext):
        await client.post("C1", None, VIEW, key)
    assert slack.calls == []


async def test_finals_are_urgent_and_progress_is_not(slack: Any, client: SlackClient, pace: Any, fakes: Any) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": True, "ts": "17.2"}))
    slack.script("chat.update", fakes.answer({"ok": True, "ts": "17.2"}))
    await client.post("C1", None, VIEW, "k")
    await client.update("C1", "17.2", VIEW)
    assert pace.asked == [("chat.postMessage", "C1", True), ("chat.update", "C1", False)]


async def test_a_picture_that_slack_has_not_taken_in_yet_is_tried_again_later(
    slack: Any, client: SlackClient, fakes: Any
) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": False, "error": "invalid_blocks"}))
    view = VIEW.model_copy(update={"chart": Chart(title="t", unit="s", alt="rose", series=())})
    with pytest.raises(RetryLater) as caught:
        await client.post("C1", None, view, "k", chart="F0CHART001")
    assert caught.value.arrived is False
    with pytest.raises(WeMoveNext):
        await client.post("C1", None, view, "k")


async def test_updating_a_deleted_message_says_that_it_is_gone(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("chat.update", fakes.answer({"ok": False, "error": "message_not_found"}))
    with pytest.raises(MessageGoneError):
        await client.update("C1", "17.2", VIEW)


async def test_a_response_url_gets_the_message_to_replace_for_the_asker_alone(
    slack: Any, client: SlackClient, fakes: Any
) -> None:
    slack.script("answer/1", fakes.answer("ok"))
    await client.respond(slack.url + "answer/1", VIEW)
    sent = slack.sent("answer/1")[0]
    assert (sent["replace_original"], sent["response_type"]) == (True, "ephemeral")


async def test_an_answer_whose_picture_is_not_taken_in_yet_is_tried_again_later(
    slack: Any, client: SlackClient, fakes: Any
) -> None:
    slack.script("answer/1", fakes.answer({"ok": False, "error": "invalid_blocks"}))
    view = VIEW.model_copy(update={"chart": Chart(title="t", unit="s", alt="rose", series=())})
    with pytest.raises(RetryLater) as caught:
        await client.respond(slack.url + "answer/1", view, chart="F0CHART001")
    assert caught.value.arrived is False
    with pytest.raises(WeMoveNext):
        await client.respond(slack.url + "answer/1", view)


@pytest.mark.parametrize(
    ("body", "status"), [({"ok": False, "error": "used_url"}, 200), ({"ok": False, "error": "expired_url"}, 404), ("", 404)]
)
async def test_a_used_up_response_url_is_told_apart(slack: Any, client: SlackClient, fakes: Any, body: Any, status: int) -> None:
    slack.script("answer/1", fakes.answer(body, status))
    with pytest.raises(PlaceGoneError):
        await client.respond(slack.url + "answer/1", VIEW)


@pytest.mark.parametrize("url", ["http://hooks.example/1", "https://u:p@hooks.example/1", "file:///etc/passwd"])
async def test_a_response_url_elsewhere_over_plain_http_is_refused_and_not_repeated_in_the_error(
    client: SlackClient, url: str
) -> None:
    with pytest.raises(WeMoveNext) as caught:
        await client.respond(url, VIEW)
    assert url not in str(caught.value)


async def test_a_response_url_that_breaks_may_have_shown_it(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("answer/1", fakes.drop)
    with pytest.raises(RetryLater) as caught:
        await client.respond(slack.url + "answer/1", VIEW)
    assert caught.value.arrived is None


def page(*messages: dict[str, Any], cursor: str = "") -> dict[str, Any]:
    return {"ok": True, "messages": list(messages), "response_metadata": {"next_cursor": cursor}}


async def test_our_message_is_found_on_a_later_page(slack: Any, client: SlackClient, fakes: Any) -> None:
    other = {
        "ts": "16.9",
        "bot_id": "B0BOT",
        "metadata": {"event_type": "gemma_work", "event_payload": {"key": "bench-11:final"}},
    }
    ours = {"ts": "17.5", "bot_id": "B0BOT", "metadata": OURS}
    slack.script("conversations.replies", fakes.answer(page(other, cursor="next")), fakes.answer(page(ours)))
    assert await client.find("C1", "16.1", "bench-12:final", SINCE) == "17.5"
    first, second = slack.sent("conversations.replies")
    assert first["include_all_metadata"] == "true"
    assert float(first["oldest"]) < SINCE.timestamp()
    assert second["cursor"] == "next"


async def test_somebody_elses_message_with_our_key_is_not_ours(slack: Any, client: SlackClient, fakes: Any) -> None:
    forged = {"ts": "17.5", "bot_id": "B0EVIL", "user": "U0EVIL", "metadata": OURS}
    slack.script("conversations.history", fakes.answer(page(forged)))
    assert await client.find("C1", None, "bench-12:final", SINCE) is None


async def test_a_message_whose_thread_is_gone_is_looked_for_in_the_channel(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("conversations.replies", fakes.answer({"ok": False, "error": "thread_not_found"}))
    slack.script("conversations.history", fakes.answer(page({"ts": "17.5", "bot_id": "B0BOT", "metadata": OURS})))
    assert await client.find("C1", "16.1", "bench-12:final", SINCE) == "17.5"


async def test_a_channel_too_long_to_read_is_not_called_empty(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("conversations.history", fakes.answer(page(cursor="again")))
    with pytest.raises(RetryLater):
        await client.find("C1", None, "bench-12:final", SINCE)
    assert len(slack.sent("conversations.history")) == 10


async def test_a_chart_is_uploaded_in_three_steps_with_its_words(slack: Any, client: SlackClient, fakes: Any) -> None:
    place = {"ok": True, "upload_url": slack.url + "put/1", "file_id": "F0CHART001"}
    slack.script("files.getUploadURLExternal", fakes.answer(place))
    slack.script("put/1", fakes.answer("OK - 4"))
    slack.script("files.completeUploadExternal", fakes.answer({"ok": True, "files": [{"id": "F0CHART001"}]}))
    assert await client.upload_chart(b"\x89PNG", "First token", "rose to 0.98 s") == "F0CHART001"
    assert slack.sent("files.getUploadURLExternal") == [{"filename": "chart.png", "length": "4", "alt_txt": "rose to 0.98 s"}]
    assert slack.sent("put/1") == [b"\x89PNG"]
    assert json.loads(slack.sent("files.completeUploadExternal")[0]["files"]) == [{"id": "F0CHART001", "title": "First token"}]


async def test_people_and_groups_are_read(slack: Any, client: SlackClient, fakes: Any) -> None:
    user = {"id": "U0ANNA", "team_id": "T1", "is_restricted": True, "tz": "Europe/Paris", "profile": {"display_name": "anna"}}
    slack.script("users.info", fakes.answer({"ok": True, "user": user}))
    slack.script("usergroups.users.list", fakes.answer({"ok": True, "users": ["U0ANNA", "U0BEN"]}))
    anna = await client.user_info("U0ANNA")
    assert (anna.name, anna.guest, anna.bot, anna.zone) == ("anna", True, False, "Europe/Paris")
    assert await client.members_of_group("S0OPS") == {"U0ANNA", "U0BEN"}


async def test_who_we_are_is_asked_once(slack: Any, client: SlackClient) -> None:
    assert await client.whoami() == await client.whoami()
    assert len(slack.sent("auth.test")) == 1


async def test_a_modal_and_a_home_tab_are_checked_and_sent(slack: Any, client: SlackClient, fakes: Any) -> None:
    slack.script("views.open", fakes.answer({"ok": True, "view": {"id": "V1"}}))
    slack.script("views.publish", fakes.answer({"ok": True}))
    modal = {"type": "modal", "title": {"type": "plain_text", "text": "One moment"}, "blocks": []}
    assert await client.open_view("trigger", modal) == "V1"
    await client.publish_home("U0ANNA", [VIEW, VIEW])
    ids = [one["action_id"] for block in slack.sent("views.publish")[0]["view"]["blocks"] for one in block.get("elements", ())]
    assert ids == ["say:0", "say:1"]
    with pytest.raises(WeMoveNext):
        await client.open_view("trigger", {**modal, "title": {"type": "plain_text", "text": "x" * 25}})
