from collections.abc import AsyncIterator
from datetime import UTC, datetime

import aiohttp
import pytest

from bot.errors import PersonMovesNext, RetryLater
from bot.slack.chart import draw_chart
from bot.slack.client import SlackClient
from bot.slack.failures import MessageGoneError, PlaceGoneError
from bot.slack.wire import Wire, connect
from bot.view import Button, Chart, Mention, Shape, Text, View, bold, code, line
from sandbox.slack import Fault, SlackStandIn

pytestmark = pytest.mark.wire

HOSTILE = "<!channel> <@U0BEN> *x* `y` <https://evil.example|bank>"
VIEW = View(
    verdict=line(bold("prod is ready"), " · Gemma 31B on v6e-4"),
    shape=Shape.GOOD,
    lines=(line("Engine said ", code("ready"), " and ", HOSTILE),),
    buttons=(Button(label="Status", words="status prod"), Button(label="Destroy prod-2", words="destroy prod-2", style="danger")),
)
CHART = Chart(
    title="First token p90",
    unit="seconds",
    alt="rose from 0.42 to 0.98 s at 02:38",
    series=(("now", ((1_796_006_280.0, 0.42), (1_796_006_340.0, 0.98))),),
)


def now(slack: SlackStandIn) -> datetime:
    return datetime.fromtimestamp(slack.clock.now(), UTC)


class FreePace:
    """Lets everything through: the stand-in counts."""

    async def wait(self, method: str, channel: str | None, *, urgent: bool) -> None:
        return


@pytest.fixture
async def standin() -> AsyncIterator[SlackStandIn]:
    slack = SlackStandIn(rate_limits=False)
    await slack.start()
    yield slack
    await slack.stop()


@pytest.fixture
async def client(standin: SlackStandIn) -> AsyncIterator[SlackClient]:
    async with aiohttp.ClientSession() as session:
        yield SlackClient(Wire(connect(standin.workspace.app.bot_token, standin.api_url, session), session, FreePace()))


async def test_post_then_find_by_key_then_update(standin: SlackStandIn, client: SlackClient) -> None:
    since = now(standin)
    posted = await client.post("C0OPS", None, VIEW, "status-1")
    assert await client.find("C0OPS", None, "status-1", since) == posted.ts
    assert await client.find("C0OPS", None, "status-2", since) is None
    await client.update("C0OPS", posted.ts, View(verdict=line("prod is slow"), shape=Shape.CONCERN))
    assert await client.find("C0OPS", None, "status-1", since) == posted.ts
    (seen,) = standin.transcript("anna", "#ops")
    assert seen.text.startswith("▲ *prod is slow*")
    assert seen.edited


async def test_a_post_that_arrived_though_the_answer_was_lost_is_found_and_not_doubled(
    standin: SlackStandIn, client: SlackClient
) -> None:
    since = now(standin)
    standin.faults.add(Fault(method="chat.postMessage", answer="drop", handled=True))
    with pytest.raises(RetryLater) as caught:
        await client.post("C0OPS", None, VIEW, "status-1")
    assert caught.value.arrived is None
    assert await client.find("C0OPS", None, "status-1", since) is not None
    assert len(standin.transcript("anna", "#ops")) == 1


async def test_a_post_in_a_thread_is_found_there(standin: SlackStandIn, client: SlackClient) -> None:
    since = now(standin)
    asked = await standin.type("anna", "#ops", "@gemma status")
    reply = await client.post("C0OPS", asked.ts, VIEW, "status-1")
    assert reply.thread == asked.ts
    assert await client.find("C0OPS", asked.ts, "status-1", since) == reply.ts


async def test_what_only_the_asker_sees(standin: SlackStandIn, client: SlackClient) -> None:
    await client.ephemeral("C0OPS", "U0ANNA", VIEW)
    assert [entry.ephemeral for entry in standin.transcript("anna", "#ops")] == [True]
    assert standin.transcript("ben", "#ops") == []


async def test_a_response_url_replaces_five_times_and_is_then_used_up(standin: SlackStandIn, client: SlackClient) -> None:
    await standin.type("anna", "#ops", "/gemma status")
    url = standin.deliveries.log[-1].payload["response_url"]
    for n in range(5):
        await client.respond(url, View(verdict=line(f"answer {n}")))
    with pytest.raises(PlaceGoneError):
        await client.respond(url, VIEW)
    shown = [entry.text for entry in standin.transcript("anna", "#ops") if "answer" in entry.text]
    assert shown[-1] == "*answer 4*"
    assert standin.transcript("ben", "#ops") == []


async def test_no_call_carries_an_argument_that_slack_does_not_know(standin: SlackStandIn, client: SlackClient) -> None:
    posted = await client.post("C0OPS", None, VIEW, "k")
    await client.update("C0OPS", posted.ts, VIEW)
    await client.ephemeral("C0OPS", "U0ANNA", VIEW)
    await client.find("C0OPS", posted.ts, "k", now(standin))
    await client.upload_chart(draw_chart(CHART), CHART.title, CHART.alt)
    await client.publish_home("U0ANNA", [VIEW])
    assert {call.method: call.unknown_args for call in standin.faults.calls() if call.unknown_args} == {}


async def test_hostile_text_pings_nobody_and_reads_as_it_was_written(standin: SlackStandIn, client: SlackClient) -> None:
    await client.post("C0OPS", None, VIEW, "k")
    assert standin.pings_by_app() == []
    (seen,) = standin.transcript("anna", "#ops")
    assert "<!channel> <@U0BEN>" in seen.text.replace("\u200b", "")
    assert seen.buttons == ["Status", "Destroy prod-2"]


async def test_only_who_waited_is_pinged(standin: SlackStandIn, client: SlackClient) -> None:
    await client.post("C0OPS", None, VIEW, "k", mention=Mention(id="U0ANNA"))
    assert len(standin.pings_by_app()) == 1
    assert "U0ANNA" in str(standin.pings_by_app()[0])


async def test_a_channel_without_the_bot_is_a_persons_next_move(client: SlackClient) -> None:
    with pytest.raises(PersonMovesNext) as caught:
        await client.post("C0GENERAL", None, VIEW, "k")
    assert "/invite" in caught.value.telling.next_step


async def test_a_channel_that_is_not_there_and_a_message_that_is_gone(client: SlackClient) -> None:
    with pytest.raises(PersonMovesNext):
        await client.post("C0NOWHERE", None, VIEW, "k")
    with pytest.raises(MessageGoneError):
        await client.update("C0OPS", "1700000000.000100", VIEW)


async def test_a_429_is_passed_on_with_its_wait(standin: SlackStandIn, client: SlackClient) -> None:
    standin.faults.add(Fault(method="chat.update", answer="429", retry_after=7))
    posted = await client.post("C0OPS", None, VIEW, "k")
    with pytest.raises(RetryLater) as caught:
        await client.update("C0OPS", posted.ts, VIEW)
    assert (caught.value.after_s, caught.value.arrived) == (7.0, False)


async def test_posts_too_fast_for_one_channel_say_how_long_to_wait() -> None:
    slack = SlackStandIn()
    await slack.start()
    async with aiohttp.ClientSession() as session:
        client = SlackClient(Wire(connect(slack.workspace.app.bot_token, slack.api_url, session), session, FreePace()))
        refused = [error for error in [await attempt(client, n) for n in range(10)] if error is not None]
    await slack.stop()
    assert refused
    assert all(error.arrived is False and error.after_s is not None for error in refused)


async def attempt(client: SlackClient, n: int) -> RetryLater | None:
    try:
        await client.post("C0OPS", None, VIEW, f"k{n}")
    except RetryLater as error:
        return error
    return None


async def test_a_wrong_token_is_told_without_the_token(standin: SlackStandIn) -> None:
    async with aiohttp.ClientSession() as session:
        client = SlackClient(Wire(connect("xoxb-wrong", standin.api_url, session), session, FreePace()))
        with pytest.raises(PersonMovesNext) as caught:
            await client.post("C0OPS", None, VIEW, "k")
    assert "xoxb-wrong" not in f"{caught.value!r}{caught.value.telling}"


async def test_people_groups_direct_messages_and_links(standin: SlackStandIn, client: SlackClient) -> None:
    assert (await client.whoami()).team_id == "T0SANDBOX"
    carla = await client.user_info("U0CARLA")
    assert (carla.name, carla.guest, carla.zone) == ("carla", True, "Europe/Madrid")
    assert await client.members_of_group("S0TPUOPS") == {"U0ANNA", "U0BEN"}
    channel = await client.open_dm("U0ANNA")
    posted = await client.post(channel, None, VIEW, "k")
    assert (await client.permalink(channel, posted.ts)).startswith("http")
    with pytest.raises(PersonMovesNext):
        await client.user_info("U0NOBODY")


async def test_a_chart_is_uploaded_and_shown_in_a_message(standin: SlackStandIn, client: SlackClient) -> None:
    file_id = await client.upload_chart(draw_chart(CHART), CHART.title, CHART.alt)
    await client.post("C0OPS", None, VIEW.model_copy(update={"chart": CHART}), "k", chart=file_id)
    (seen,) = standin.transcript("anna", "#ops")
    assert any(block["type"] == "image" and block["slack_file"]["id"] == file_id for block in seen.blocks)


async def test_a_home_tab_is_shown(standin: SlackStandIn, client: SlackClient) -> None:
    await client.publish_home("U0ANNA", [VIEW, View(verdict=(Text(text="no work"),))])
    assert "prod is ready" in standin.transcripts.home_text("anna")


async def test_details_of_any_length_reach_the_channel(standin: SlackStandIn, client: SlackClient) -> None:
    view = View(verdict=line("long"), lines=tuple(line("word " * 400) for _ in range(20)))
    await client.post("C0OPS", None, view, "k", details="details 1")
    (seen,) = standin.transcript("anna", "#ops")
    assert seen.buttons == ["Details"]
