"""A token handed over in its window: into Secret Manager, and into nothing else that anybody could ever look at."""

import base64
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot.slack.limits import validate_view
from handlers.slack.token_form import TOKEN, handed_over, token_view
from sandbox.google.faults import Fault, FaultKind, When
from sandbox.slack import Submitted, render_text
from sandbox.whole import Sandbox
from tests.doubles.ports import House
from tests.handlers.slack.test_secrets import everything

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PLANTED = "hf" + "_PlantedQmZrTyUiOpAsDfGhJkLzXcVbNm"
SECRET = "gemma-hf-token"


def filled(value: object, **more: Any) -> dict[str, Any]:
    view = {
        "id": "V1",
        "hash": "1.a",
        "callback_id": TOKEN,
        "private_metadata": "C1",
        "state": {"values": {TOKEN: {TOKEN: value}}},
    }
    return {"user": {"id": "U1ANNA", "team_id": "T1"}, "team": {"id": "T1"}, "view": view, **more}


def test_the_form_is_one_that_slack_takes() -> None:
    validate_view(token_view("C1"))


@pytest.mark.parametrize("value", ["", "hf_", "secret " + PLANTED, PLANTED + " " + PLANTED, "gh" + "p_" + "a" * 36, "x" * 300])
async def test_another_shape_is_told_beside_the_field_and_not_repeated(value: str) -> None:
    answer = await handed_over(House().services, filled({"value": value}), NOW)
    assert list(answer["errors"]) == [TOKEN]
    assert not value or value not in str(answer).replace("begins with hf_", "")


@pytest.mark.parametrize("body", [{}, {"view": 3}, {"view": {"state": None}}, filled(7), filled({"value": ["x"]}), filled(None)])
async def test_a_form_in_another_shape_is_refused_and_not_crashed_on(body: dict[str, Any]) -> None:
    assert (await handed_over(House().services, body, NOW))["response_action"] == "errors"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(past=False, LOG_LEVEL="debug", SAMPLE_SECONDS="3600") as running:
        running.slack.rates.enforced = False
        yield running


async def hands_over(sandbox: Sandbox, value: str = PLANTED, user: str = "anna") -> Submitted:
    await sandbox.slack.type("anna", "#ops", "/gemma token")
    view = sandbox.slack.people.top_view("anna")
    assert view is not None
    view.user = sandbox.slack.workspace.person(user).id
    taken = await sandbox.slack.people.submit(view, {TOKEN: value})
    assert await sandbox.settled(), sandbox.logs()
    return taken


def processes() -> str:
    """Command lines of all processes that this user may look at."""
    return "".join(path.read_text(errors="replace") for path in Path("/proc").glob("[0-9]*/cmdline") if readable(path))


def readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


in_sandbox = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.wire
@in_sandbox
async def test_a_planted_token_is_in_secret_manager_and_nowhere_else(sandbox: Sandbox) -> None:
    taken = await hands_over(sandbox)
    assert not taken.errors
    assert taken.open
    confirmed = sandbox.slack.transcripts.modal_text("anna")
    assert f"The Hugging Face token is stored* · {SECRET}, version 1" in confirmed
    refused = await hands_over(sandbox, "x" + PLANTED)
    assert list(refused.errors) == [TOKEN]
    sandbox.google.faults.plan(Fault(FaultKind.PERMISSION_DENIED, method="AddSecretVersion", nth=1))
    denied = await hands_over(sandbox)
    assert "Secret Manager" in denied.errors[TOKEN]
    await sandbox.slack.type("anna", "#ops", "/gemma audit")
    assert await sandbox.settled()
    kept = sandbox.google.secrets.secrets[SECRET].versions
    assert kept == [PLANTED.encode()]

    people = "".join(render_text(sandbox.slack.transcript(user)) for user in ("anna", "ben", "dana"))
    assert "is stored · gemma-hf-token, version 1" in people, people
    shown = "".join(sandbox.slack.transcripts.modal_text(user) for user in ("anna", "ben"))
    looked_at = {
        "messages": people + shown,
        "windows": repr([view.view for view in sandbox.slack.backend.views.values()]),
        "what we sent to Slack": repr(sandbox.slack.faults.calls()),
        "what we sent to Google beside the value": repr(sandbox.google.faults.calls),
        "Redis": await everything(sandbox.redis),
        "logs": sandbox.logs(),
        "command lines": processes(),
    }
    for place, text in looked_at.items():
        assert text, place
        for shape in (PLANTED, PLANTED[3:], base64.b64encode(PLANTED.encode()).decode()):
            assert shape not in text, place


@pytest.mark.wire
@in_sandbox
async def test_whoever_is_no_admin_any_more_is_refused_in_the_window(sandbox: Sandbox) -> None:
    before = len(sandbox.google.secrets.secrets[SECRET].versions)
    refused = await hands_over(sandbox, user="ben")
    assert "Only admins can do this. Nothing was changed." in refused.errors[TOKEN]
    assert len(sandbox.google.secrets.secrets[SECRET].versions) == before


@pytest.mark.wire
@in_sandbox
@pytest.mark.parametrize("when", list(When))
async def test_when_google_is_silent_slack_is_answered_in_time(sandbox: Sandbox, when: When) -> None:
    sandbox.google.faults.plan(Fault(FaultKind.HANG, method="AddSecretVersion", nth=1, when=when))
    late = await hands_over(sandbox)
    assert "longer than 2 s" in late.errors[TOKEN]
    assert "It may have been stored all the same" in late.errors[TOKEN]
    taken = await hands_over(sandbox)
    assert not taken.errors


@pytest.mark.wire
@in_sandbox
async def test_whoever_is_no_admin_gets_no_window(sandbox: Sandbox) -> None:
    before = sandbox.slack.people.top_view("ben")
    await sandbox.slack.type("ben", "#ops", "/gemma token")
    assert await sandbox.settled()
    assert sandbox.slack.people.top_view("ben") is before
    assert "Only admins can do this" in render_text(sandbox.slack.transcript("ben", "#ops"))
