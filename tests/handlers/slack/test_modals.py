"""Setting up from nothing, as the first person in a workspace does it; and forms that are filled in wrongly."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from bot.operations import OPERATIONS
from bot.operations.command_line import parse
from bot.operations.setup import AdoptArguments
from bot.requests import Request
from bot.slack.limits import validate_view
from handlers.slack.modals import ADDRESS, NAME, setup_view, submitted
from sandbox.slack import Fault, render_text
from sandbox.whole import Sandbox

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def filled(name: str, address: str, *, here: bool = True, **more: Any) -> dict[str, Any]:
    box = {"type": "checkboxes", "selected_options": [{"value": "true"}] if here else []}
    values = {"name": {"name": {"value": name}}, "address": {"address": {"value": address}}, "here": {"here": box}}
    view = {"id": "V1", "hash": "1.a", "private_metadata": "C1", "state": {"values": values}}
    return {"user": {"id": "U1", "team_id": "T1"}, "team": {"id": "T1"}, "view": view, **more}


def test_the_form_is_one_that_slack_takes() -> None:
    validate_view(setup_view("C1"))


def test_what_is_filled_in_becomes_the_words_of_one_operation() -> None:
    found = submitted(filled("Prod-2", "http://127.0.0.1:8000/v1"), NOW)
    assert isinstance(found, Request)
    parsed = parse(OPERATIONS, found.words)
    assert parsed.operation.path == "setup.adopt"
    assert parsed.arguments == AdoptArguments(name="prod-2", address="http://127.0.0.1:8000/v1", here=True)


def test_the_same_form_sent_twice_is_one_request() -> None:
    once, again = submitted(filled("a", "https://a.example"), NOW), submitted(filled("a", "https://a.example"), NOW)
    assert isinstance(once, Request)
    assert isinstance(again, Request)
    assert once.id == again.id


@pytest.mark.parametrize(
    ("name", "address", "field"),
    [
        ("", "https://gemma.example.com", NAME),
        ("9lives", "https://gemma.example.com", NAME),
        ("a b", "https://gemma.example.com", NAME),
        ("x" * 41, "https://gemma.example.com", NAME),
        ("prod", "", ADDRESS),
        ("prod", "gemma", ADDRESS),
        ("prod", "http://gemma.example.com:8000", ADDRESS),
        ("prod", "file:///etc/passwd", ADDRESS),
        ("prod", "https://gemma.example.com here=false", ADDRESS),
        ("prod", "https://gemma.example.com?key=1", ADDRESS),
        ("prod", "https://me:correct-horse@gemma.example.com", ADDRESS),
        ("prod", "hf" + "_QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi", ADDRESS),
    ],
)
def test_a_wrong_value_is_told_beside_its_field_and_never_repeated(name: str, address: str, field: str) -> None:
    found = submitted(filled(name, address), NOW)
    assert isinstance(found, dict)
    assert list(found) == [field]
    assert "horse" not in found[field]


@pytest.mark.parametrize("body", [{}, {"view": 3}, {"view": {"state": {"values": []}}, "user": "x"}, {"view": {"state": None}}])
def test_a_form_in_another_shape_is_refused_and_not_crashed_on(body: dict[str, Any]) -> None:
    assert isinstance(submitted(body, NOW), dict)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(past=False, ADMINS="", OPERATORS="", SAMPLE_SECONDS="3600") as running:
        running.slack.rates.enforced = False
        yield running


async def says(sandbox: Sandbox, user: str, words: str, channel: str = "#ops") -> str:
    before = len(sandbox.slack.transcript(user, channel))
    await sandbox.slack.type(user, channel, words)
    assert await sandbox.settled(), sandbox.logs()
    return render_text(sandbox.slack.transcript(user, channel)[before:])


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_from_the_code_in_the_log_to_a_deployment_that_the_channel_means(sandbox: Sandbox) -> None:
    assert "Nobody is admin here yet" in await says(sandbox, "ben", "/gemma setup")
    found = re.search(r"/gemma setup ([0-9a-f-]{23})", sandbox.logs())
    assert found is not None
    code = found[1]
    assert "That is not the code" in await says(sandbox, "anna", "/gemma setup 00000-00000-00000-00000")
    assert "You are the first admin here" in await says(sandbox, "anna", f"/gemma setup {code}")
    assert "There is an admin already" in await says(sandbox, "ben", f"/gemma setup {code}")
    held = [await sandbox.redis.hgetall(key) async for key in sandbox.redis.scan_iter(match="gemma:work:*")]
    assert code not in repr(held)

    await says(sandbox, "anna", "/gemma setup")
    view = sandbox.slack.people.top_view("anna")
    assert view is not None
    wrong = await sandbox.slack.people.submit(view, {NAME: "lab", ADDRESS: "http://gemma.example.com"})
    assert "plain http" in wrong.errors[ADDRESS]
    url = sandbox.vllm_url
    taken = await sandbox.slack.people.submit(
        view, {NAME: "lab", ADDRESS: url, "here": ["Mean this one here when no name is given"]}
    )
    assert not taken.open, taken.errors
    assert await sandbox.settled()
    assert "*lab* serves" in render_text(sandbox.slack.transcript("anna", "#ops"))
    assert "*lab* serves" not in render_text(sandbox.slack.transcript("ben", "#ops"))
    assert "lab is ready" in await says(sandbox, "ben", "/gemma status")
    assert "prod is ready" in await says(sandbox, "ben", "@gemma status", "@gemma")


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_a_window_that_opens_too_late_is_told_and_nothing_is_changed(sandbox: Sandbox) -> None:
    sandbox.slack.faults.add(Fault(method="views.open", delay=4.0))
    told = await says(sandbox, "anna", "/gemma setup")
    assert "took too long to open" in told
