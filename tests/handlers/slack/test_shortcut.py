"""“Ask Gemma about this”: the words of a picked message become a question, answered in that message's thread."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from bot.operations import OPERATIONS
from bot.operations.command_line import parse
from bot.requests import Door
from handlers.slack.manifest import manifest
from handlers.slack.payloads import PICKED_LIMIT, from_shortcut
from sandbox.slack import render_text
from sandbox.whole import Sandbox
from tests.handlers.slack.test_secrets import everything

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NAME = "Ask Gemma about this"


def picked(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {
        "type": "message_action",
        "callback_id": "ask_about",
        "user": {"id": "U1", "team_id": "T1"},
        "team": {"id": "T1"},
        "channel": {"id": "C1", "name": "ops"},
        "trigger_id": "1.2",
        "message_ts": "10.5",
        "response_url": "https://hooks.example/1",
        "message": {"type": "message", "ts": "10.5", "user": "U2", **message},
    }
    return {**body, **more}


def test_the_words_of_the_message_are_the_question_and_its_thread_is_where_the_answer_belongs() -> None:
    said = from_shortcut(picked({"text": "prod is slow &amp; <@U9> is away"}), NOW)
    assert said is not None
    place = said.request.place
    assert (said.request.door, place.channel, place.thread, place.message) == (Door.SHORTCUT, "C1", "10.5", "10.5")
    parsed = parse(OPERATIONS, said.request.words)
    assert parsed.operation.path == "ask"
    assert "“prod is slow & <@U9> is away”" in str(parsed.arguments)


def test_a_reply_is_answered_in_the_thread_it_stands_in() -> None:
    said = from_shortcut(picked({"text": "why?", "thread_ts": "9.1"}), NOW)
    assert said is not None
    assert (said.request.place.thread, said.request.place.message) == ("9.1", "10.5")


def test_the_same_press_is_one_request_and_the_next_another() -> None:
    ids = [
        said.request.id
        for trigger in ("1.2", "1.2", "3.4")
        if (said := from_shortcut(picked({"text": "x"}, trigger_id=trigger), NOW)) is not None
    ]
    assert ids[0] == ids[1] != ids[2]


def test_an_alert_without_text_is_read_from_its_attachment() -> None:
    said = from_shortcut(picked({"text": "", "attachments": [{"fallback": "[FIRING:1] EngineDown"}]}), NOW)
    assert said is not None
    assert "[FIRING:1] EngineDown" in said.request.words


def test_a_message_without_words_asks_nothing() -> None:
    said = from_shortcut(picked({"files": [{"id": "F1"}]}), NOW)
    assert said is not None
    assert said.request.words == ""


@pytest.mark.parametrize("missing", ["user", "channel", "trigger_id"])
def test_what_is_not_whole_is_none(missing: str) -> None:
    assert from_shortcut({**picked({"text": "x"}), missing: None}, NOW) is None


def test_a_secret_in_it_is_hidden_and_whoever_picked_it_is_not_told_to_revoke_it() -> None:
    token = "hf" + "_QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"
    said = from_shortcut(picked({"text": f"login with {token} failed"}), NOW)
    assert said is not None
    assert said.secrets == ()
    assert token not in said.request.words
    assert "failed" in said.request.words


def test_a_long_message_is_cut() -> None:
    said = from_shortcut(picked({"text": "word " * 3000}), NOW)
    assert said is not None
    assert len(said.request.words) < PICKED_LIMIT + 200


def test_the_manifest_offers_it_and_its_name_fits_slack() -> None:
    (shortcut,) = manifest()["features"]["shortcuts"]
    assert (shortcut["type"], shortcut["name"]) == ("message", NAME)
    assert len(shortcut["name"]) <= 24


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(past=False, SAMPLE_SECONDS="3600") as running:
        running.slack.rates.enforced = False
        yield running


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_it_is_answered_below_the_message_and_once(sandbox: Sandbox) -> None:
    typed = await sandbox.slack.type("ben", "#ops", "how is prod?")
    await sandbox.slack.people.shortcut("anna", typed, NAME)
    assert await sandbox.settled(), sandbox.logs()
    (root,) = [one for one in sandbox.slack.transcript("ben", "#ops") if one.ts == typed.ts]
    said = render_text(list(root.replies))
    assert said, sandbox.logs()
    assert "how is prod?" in (await everything(sandbox.redis))
    assert "I can read no words" not in render_text(sandbox.slack.transcript("anna", "#ops"))


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_a_guest_is_refused_alone(sandbox: Sandbox) -> None:
    typed = await sandbox.slack.type("ben", "#ops", "and this?")
    await sandbox.slack.people.shortcut("carla", typed, NAME)
    assert await sandbox.settled()
    assert "Only full members" in render_text(sandbox.slack.transcript("carla", "#ops"))
    assert "Only full members" not in render_text(sandbox.slack.transcript("ben", "#ops"))


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_a_message_without_words_is_told_to_who_picked_it(sandbox: Sandbox) -> None:
    typed = await sandbox.slack.type("ben", "#ops", "x")
    typed.text, typed.blocks = "", []
    await sandbox.slack.people.shortcut("anna", typed, NAME)
    assert await sandbox.settled()
    assert "I can read no words in that message" in render_text(sandbox.slack.transcript("anna", "#ops"))
