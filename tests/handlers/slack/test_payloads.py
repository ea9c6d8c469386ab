"""Slack's payloads, in the shapes in which the stand-in sends them: read, undressed, redacted, known again; or nothing."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.requests import Door, Place
from handlers.slack.payloads import WORDS_LIMIT, Said, from_button, from_command, from_event
from sandbox.slack import SlackStandIn, payloads
from sandbox.slack.message import Message
from sandbox.slack.typed import slash_text
from tests.doubles.ports import NOW

URL = "http://127.0.0.1:1/commands/T0SANDBOX/1"
BUTTON = {"type": "button", "action_id": "say:0", "block_id": "b", "value": "status prod", "action_ts": "1.0"}


def slash(text: str = "status", channel: str = "#ops", trigger: str = "1.2.3", user: str = "anna") -> dict[str, Any]:
    """What Slack sends for /gemma TEXT."""
    slack = SlackStandIn()
    person, place = slack.people.place(user, channel)
    typed = payloads.command(slack.backend, person, place, "/gemma", slash_text(text, slack.workspace))
    return typed | {"response_url": URL, "trigger_id": trigger}


async def typed(text: str, channel: str = "#ops", user: str = "anna", thread: str | None = None) -> list[dict[str, Any]]:
    """Every event that Slack sends for this line."""
    slack = SlackStandIn()
    seen: list[dict[str, Any]] = []
    slack.backend.on_event = lambda _subscription, event: seen.append(
        {"type": "event_callback", "team_id": slack.workspace.team_id, "event_id": f"Ev{len(seen)}", "event": event}
    )
    await slack.people.type(user, channel, text, thread)
    return seen


def pressed(*, only_for: str | None = None, thread: str | None = None, channel: str = "C0OPS") -> dict[str, Any]:
    """What Slack sends for a pressed button of ours."""
    slack = SlackStandIn()
    slack.workspace.direct("U0ANNA")
    message = Message("1764471600.000100", channel, "U0GEMMA", "hello", by_app=True, only_for=only_for, thread_ts=thread)
    body = payloads.in_message(slack.backend, slack.workspace.person("anna"), message)
    return body | {"actions": [BUTTON], "response_url": URL, "trigger_id": "4.5.6"}


async def mentioned(text: str, thread: str | None = None) -> dict[str, Any]:
    """The event of a mention."""
    return next(one for one in await typed(text, thread=thread) if one["event"]["type"] == "app_mention")


def read(said: Said | None) -> Said:
    assert said is not None
    return said


def test_a_command_is_who_where_and_what() -> None:
    request = read(from_command(slash("status prod"), NOW)).request
    assert (request.door, request.actor.team_id, request.actor.user_id) == (Door.COMMAND, "T0SANDBOX", "U0ANNA")
    assert (request.words, request.place) == ("status prod", Place(channel="C0OPS", response_url=URL))
    assert request.approval is None


def test_a_command_in_a_direct_message_is_answered_there() -> None:
    assert read(from_command(slash(channel="@gemma"), NOW)).request.place.direct


def test_the_same_trigger_is_the_same_request_and_another_is_not() -> None:
    ids = [read(from_command(slash(trigger=trigger), NOW)).request.id for trigger in ("1.2.3", "1.2.3", "1.2.4")]
    assert ids[0] == ids[1] != ids[2]
    assert all(one.isalnum() for one in ids)


@pytest.mark.parametrize(
    ("typed_words", "words"),
    [
        ("what about &lt;this&gt; &amp; that", "what about <this> & that"),
        ("see <https://example.com/a|example.com/a>", "see example.com/a"),
        ("see <https://example.com/a>", "see https://example.com/a"),
        ("mail <mailto:a@example.com|a@example.com>", "mail a@example.com"),
        ("  sta\x00tus\u200b ", "status"),
    ],
)
def test_slacks_own_dress_is_taken_off(typed_words: str, words: str) -> None:
    assert read(from_command(slash() | {"text": typed_words}, NOW)).request.words == words


async def test_both_events_of_one_mention_are_one_request() -> None:
    events = await typed("@gemma status")
    assert {one["event"]["type"] for one in events} == {"message", "app_mention"}
    found = [said for one in events if (said := from_event(one, NOW)) is not None]
    assert [(one.request.words, one.request.door) for one in found] == [("status", Door.MENTION)]


async def test_twins_in_a_direct_message_have_the_same_id() -> None:
    (event,) = await typed("status", "@gemma")
    twin = copy.deepcopy(event)
    twin["event"] |= {"type": "app_mention", "text": "<@U0GEMMA> status"}
    twin["event"].pop("channel_type", None)
    one, other = read(from_event(event, NOW)).request, read(from_event(twin, NOW)).request
    assert (one.id, one.words, one.place, one.door) == (other.id, other.words, other.place, Door.MESSAGE)


async def test_a_mention_in_a_thread_belongs_to_the_thread() -> None:
    event = await mentioned("@gemma: status prod", "1764471600.000100")
    place = read(from_event(event, NOW)).request.place
    assert (place.thread, place.direct) == ("1764471600.000100", False)
    assert place.message == event["event"]["ts"]


async def test_a_direct_message_needs_no_mention() -> None:
    (event,) = await typed("status", "@gemma")
    request = read(from_event(event, NOW)).request
    assert (request.door, request.place.direct, request.words) == (Door.MESSAGE, True, "status")


async def test_words_to_others_are_not_ours() -> None:
    assert [from_event(one, NOW) for one in await typed("good morning")] == [None]


@pytest.mark.parametrize(
    "change",
    [
        {"bot_id": "B0OTHER"},
        {"subtype": "message_changed"},
        {"subtype": "bot_message"},
        {"user": ""},
        {"ts": None},
        {"type": "x"},
    ],
)
async def test_other_bots_edits_and_what_is_not_whole_are_ignored(change: dict[str, Any]) -> None:
    (event,) = await typed("status", "@gemma")
    event["event"] |= change
    assert from_event(event, NOW) is None


async def test_a_stranger_in_a_shared_channel_keeps_their_own_workspace() -> None:
    event = await mentioned("@gemma status")
    event["event"]["user_team"] = "T0OTHER"
    assert read(from_event(event, NOW)).request.actor.team_id == "T0OTHER"


def test_a_button_says_its_value() -> None:
    request = read(from_button(pressed(), NOW)).request
    assert (request.door, request.words, request.actor.user_id) == (Door.BUTTON, "status prod", "U0ANNA")
    assert request.place == Place(channel="C0OPS", message="1764471600.000100", response_url=URL)


def test_a_button_knows_the_thread_and_whether_only_one_person_sees_it() -> None:
    assert read(from_button(pressed(thread="1.0"), NOW)).request.place.thread == "1.0"
    assert read(from_button(pressed(only_for="U0ANNA"), NOW)).request.place.ephemeral


def test_a_button_in_a_direct_message_is_answered_there() -> None:
    assert read(from_button(pressed(channel="D00ANNA"), NOW)).request.place.direct


def test_a_button_never_brings_an_approval() -> None:
    body = pressed() | {"approval": "ask-1"}
    body["actions"][0]["approval"] = "ask-1"
    assert read(from_button(body, NOW)).request.approval is None


@pytest.mark.parametrize("part", ["actions", "user", "trigger_id"])
def test_a_press_that_is_not_whole_is_nothing(part: str) -> None:
    body = pressed()
    del body[part]
    assert from_button(body, NOW) is None


@pytest.mark.parametrize("odd", ["T0SANDBOX", 7, [], None])
@pytest.mark.parametrize("part", ["team", "channel", "container"])
def test_a_part_of_another_kind_is_no_error(part: str, odd: object) -> None:
    body = pressed() | {part: odd}
    body["user"].pop("team_id")
    from_button(body, NOW)


HF = "hf" + "_" + "QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"


def test_a_secret_that_the_limit_would_cut_in_two_is_hidden_whole() -> None:
    body = slash() | {"text": "x" * (WORDS_LIMIT - 20) + " " + HF}
    said = read(from_command(body, NOW))
    assert "hf_" not in said.request.words
    assert [one.name for one in said.secrets] == ["Hugging Face token"]
    assert len(said.request.words) <= WORDS_LIMIT


@pytest.mark.parametrize("unseen", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\x00"])
def test_characters_that_nobody_sees_do_not_carry_a_secret_past_us(unseen: str) -> None:
    said = read(from_command(slash() | {"text": HF[:9] + unseen + HF[9:]}, NOW))
    assert HF not in said.request.words.replace(unseen, "")
    assert said.secrets


ODD = st.one_of(st.none(), st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=2), st.builds(lambda: {"id": 5}))


def paths(body: Any, found: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a payload."""
    inner = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    return [*([found] if found else []), *(path for key, value in inner for path in paths(value, (*found, key)))]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_mutated_payload_is_read_or_nothing_and_never_an_error(data: st.DataObject) -> None:
    body = copy.deepcopy(data.draw(st.sampled_from(RECORDED)))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(paths(body)))
        holder = body
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = data.draw(ODD)
    for read_it in (from_command, from_button, from_event):
        said = read_it(body, NOW)
        assert said is None or len(said.request.id) == 32


RECORDED: list[dict[str, Any]] = [
    slash(), pressed(), pressed(only_for="U0ANNA", thread="1.0"),
    {"type": "event_callback", "team_id": "T1", "event": {"type": "app_mention", "user": "U1", "text": "<@U0GEMMA> status",
     "ts": "1.2", "channel": "C1", "team": "T1", "thread_ts": "1.0"}},
    {"type": "event_callback", "team_id": "T1", "event": {"type": "message", "channel_type": "im", "user": "U1", "text": "status",
     "ts": "1.2", "channel": "D1", "team": "T1"}},
]  # fmt: skip
