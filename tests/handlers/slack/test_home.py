"""The Home tab, and somebody without a role who has those with one asked: both in the whole house."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from sandbox.slack import Entry, render_text
from sandbox.whole import Sandbox

pytestmark = [pytest.mark.wire, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(past=False, SAMPLE_SECONDS="3600") as running:
        running.slack.rates.enforced = False
        yield running


async def home(sandbox: Sandbox, user: str) -> str:
    sandbox.slack.people.open_home(user)
    assert await sandbox.settled(), sandbox.logs()
    return sandbox.slack.transcripts.home_text(user)


def last(sandbox: Sandbox, user: str, holding: str, channel: str = "#ops") -> Entry:
    return next(one for one in reversed(sandbox.slack.transcript(user, channel)) if holding in one.text or holding in one.raw)


async def press(sandbox: Sandbox, user: str, message: Entry, button: str) -> None:
    await sandbox.slack.people.click(user, message.ts, button)
    assert await sandbox.settled(), sandbox.logs()


async def test_the_tab_lists_each_deployment_and_says_that_nothing_waits(sandbox: Sandbox) -> None:
    shown = await home(sandbox, "ben")
    assert "1 deployment* · all ready" in shown
    assert "● *prod is ready*" in shown
    assert "Nothing waits for a yes" in shown
    assert "[Status of prod]" in shown


async def test_a_press_on_the_tab_is_answered_by_direct_message(sandbox: Sandbox) -> None:
    await home(sandbox, "ben")
    view = sandbox.slack.backend.homes["U0BEN"]
    await sandbox.slack.people.click_in_view(view, "Status of prod")
    assert await sandbox.settled(), sandbox.logs()
    assert "*prod is ready*" in render_text(sandbox.slack.transcript("ben", "@gemma"))
    assert "*prod is ready*" not in render_text(sandbox.slack.transcript("ben", "#ops"))


async def test_a_guest_who_opens_the_tab_is_refused_and_shown_nothing(sandbox: Sandbox) -> None:
    shown = await home(sandbox, "carla")
    assert "prod" not in shown
    assert "Only full members of this workspace can use me" in shown
    assert render_text(sandbox.slack.transcript("carla", "@gemma")) == ""


async def test_the_messages_tab_is_not_the_home_tab(sandbox: Sandbox) -> None:
    before = len(sandbox.slack.faults.calls("views.publish"))
    sandbox.slack.people.open_home("ben", "messages")
    assert await sandbox.settled()
    assert len(sandbox.slack.faults.calls("views.publish")) == before


async def test_a_question_by_a_press_waits_on_the_tab_until_one_with_the_role_says_yes(sandbox: Sandbox) -> None:
    await sandbox.slack.type("dana", "#ops", "/gemma budget set $75")
    assert await sandbox.settled(), sandbox.logs()
    refusal = last(sandbox, "dana", "Only admins can do this")
    assert "Ask them" in refusal.buttons
    await press(sandbox, "dana", refusal, "Ask them")
    question = last(sandbox, "anna", " asks: ")
    assert any("U0ANNA" in ping.people for ping in sandbox.slack.pings_by_app())
    assert "budget set $75" in render_text([question])

    assert "Yes: " in await home(sandbox, "anna")
    shown_to_dana = await home(sandbox, "dana")
    assert "Waiting for a yes" in shown_to_dana
    assert "Yes: " not in shown_to_dana

    await press(sandbox, "ben", question, "Approve")
    assert await sandbox.redis.get("gemma:budget:T0SANDBOX") is None
    await press(sandbox, "dana", question, "Approve")
    assert await sandbox.redis.get("gemma:budget:T0SANDBOX") is None
    await press(sandbox, "anna", question, "Approve")
    kept = await sandbox.redis.get("gemma:budget:T0SANDBOX")
    assert kept is not None
    assert b"75" in kept
    await sandbox.redis.delete("gemma:budget:T0SANDBOX")
    await press(sandbox, "anna", question, "Approve")
    assert await sandbox.redis.get("gemma:budget:T0SANDBOX") is None
    assert "Nothing waits for a yes" in await home(sandbox, "anna")
    trail: Any = await sandbox.redis.xrevrange("gemma:audit:T0SANDBOX", count=50)
    ran = [fields for _, fields in trail if fields[b"operation"] == b"budget.set"]
    assert [(one[b"who"], one[b"yes_by"]) for one in ran] == [(b"U0DANA", b"U0ANNA")]
