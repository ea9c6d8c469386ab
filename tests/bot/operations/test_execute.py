"""The gate: find, validate, role, consent, time-out, audit; whatever door somebody came through."""

import asyncio
from dataclasses import replace

import pytest

from bot.errors import PersonMovesNext, RefusedError, RetryLater, UsageError
from bot.nouns import Effect, SeenBy
from bot.operations.execute import Outcome, early
from bot.operations.operation import Consent, Context, Started
from bot.requests import Door, Request
from bot.view import plain
from tests.bot.operations.gate_bench import (
    AT_ONCE,
    CONFIRM,
    RAN,
    SECOND,
    Removed,
    Which,
    approved,
    needing,
    said,
    table,
)
from tests.doubles.ports import ANNA, BEN, CARLA, DANA, House


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@pytest.fixture
def house() -> House:
    return House()


async def test_who_may_nothing_is_refused_before_the_words_are_read(house: House) -> None:
    with pytest.raises(RefusedError, match="Only full members"):
        await said(house, AT_ONCE, "no such word", by=CARLA)


async def test_wrong_words_are_told_before_the_role(house: House) -> None:
    with pytest.raises(UsageError):
        await said(house, SECOND, "remove !!", by=DANA)


async def test_the_role_is_checked_before_anybody_is_asked_for_a_yes(house: House) -> None:
    with pytest.raises(RefusedError, match="Only operators"):
        await said(house, SECOND, "remove prod-1", by=DANA)
    assert house.questions.asked == {}


async def test_what_needs_no_yes_runs_at_once(house: House) -> None:
    outcome = await said(house, AT_ONCE, "remove prod-2")
    assert (plain(outcome.view.verdict), outcome.result) == ("prod-2 is gone", {"name": "prod-2"})
    assert [f"{BEN.user_id} removed prod-2"] == RAN


async def test_what_needs_a_yes_asks_and_does_nothing(house: House) -> None:
    outcome = await said(house, CONFIRM, "remove prod-1")
    assert RAN == []
    assert outcome.asked in house.questions.asked
    assert outcome.seen_by is SeenBy.YOU
    assert [button.words for button in outcome.view.buttons] == [f"yes {outcome.asked}", f"no {outcome.asked}"]
    assert [plain(one) for one in outcome.view.lines] == [
        "It is idle.",
        "Nothing has happened yet · expires 03:30 UTC, then nothing happens",
    ]


async def test_a_second_person_is_asked_before_the_whole_channel(house: House) -> None:
    outcome = await said(house, SECOND, "remove prod-1")
    assert outcome.seen_by is SeenBy.CHANNEL
    assert "second person (operator), not the asker" in plain(outcome.view.lines[-1])


@pytest.mark.parametrize("door", [Door.MODEL, Door.MCP])
async def test_what_a_model_proposes_waits_for_a_click_even_where_a_person_would_not(house: House, door: Door) -> None:
    outcome = await said(house, AT_ONCE, "remove prod-1", door=door)
    assert RAN == []
    assert outcome.asked is not None
    assert house.questions.asked[outcome.asked].proposed_by_model
    assert outcome.seen_by is SeenBy.CHANNEL


@pytest.mark.parametrize("door", [Door.MODEL, Door.MCP])
@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_a_model_never_answers_a_question(house: House, door: Door, answer: str) -> None:
    question = (await said(house, AT_ONCE, "remove prod-1", door=door)).asked
    with pytest.raises(RefusedError, match="Only a person can do this"):
        await said(house, AT_ONCE, f"{answer} {question}", by=ANNA, door=door)
    assert house.questions.answers == {}


async def test_a_change_without_a_preview_is_not_for_models(house: House) -> None:
    with pytest.raises(RefusedError, match="Only a person"):
        await said(house, replace(AT_ONCE, preview=None), "remove prod-1", door=Door.MODEL)
    assert RAN == []


async def test_a_model_reads_without_asking(house: House) -> None:
    outcome = await said(house, needing(Consent.AT_ONCE, effect=Effect.READS), "remove prod-1", door=Door.MODEL)
    assert outcome.asked is None


async def test_changes_are_written_down_with_who_and_how_they_ended(house: House) -> None:
    await said(house, AT_ONCE, "remove prod-2")
    (entry,) = house.book.lines
    assert (entry["who"], entry["operation"], entry["arguments"]) == (BEN.user_id, "remove", '{"name":"prod-2"}')
    assert (entry["team"], entry["door"], entry["ended"]) == ("T1", "command", "prod-2 is gone")


async def test_an_approved_change_is_written_down_with_its_yes(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    await said(house, CONFIRM, f"yes {question}", by=ANNA)
    await approved(house, CONFIRM)
    assert [(one["who"], one["operation"], one["approval"]) for one in house.book.lines] == [
        (ANNA.user_id, "yes", ""),
        (BEN.user_id, "remove", question),
    ]


async def test_reads_are_not_written_down(house: House) -> None:
    await said(house, needing(Consent.AT_ONCE, effect=Effect.READS), "remove prod-1")
    assert house.book.lines == []


async def never(_context: Context, _arguments: Which) -> Removed:
    await asyncio.Event().wait()
    return Removed(name="")


async def broken(_context: Context, _arguments: Which) -> Removed:
    raise PersonMovesNext("prod-1 is not ours.")


async def test_what_takes_too_long_is_ended_and_written_down_for_it_may_have_happened(house: House) -> None:
    with pytest.raises(RetryLater, match="took longer than"):
        await said(house, replace(AT_ONCE, run=never), "remove prod-1")
    assert house.book.lines[0]["ended"] == "failed: remove took longer than 0.05 s."


async def test_a_failed_change_is_written_down(house: House) -> None:
    with pytest.raises(PersonMovesNext):
        await said(house, replace(AT_ONCE, run=broken), "remove prod-1")
    assert house.book.lines[0]["ended"] == "failed: prod-1 is not ours."


async def long(_context: Context, _arguments: Which) -> Started:
    return Started(work_id="find-3", said="Looking for a v6e-4")


async def test_long_work_says_its_name_and_goes_on_in_the_channel(house: House) -> None:
    outcome = await said(house, replace(AT_ONCE, run=long), "remove prod-1")
    assert (outcome.started, outcome.seen_by, plain(outcome.view.verdict)) == ("find-3", SeenBy.CHANNEL, "Looking for a v6e-4")


async def remembered(_context: Context, arguments: Which) -> Removed | None:
    return Removed(name="remembered") if arguments.name == "prod-1" else None


async def test_early_says_what_is_remembered_and_nothing_where_nothing_is(house: House) -> None:
    operation = replace(AT_ONCE, early=remembered)

    async def asked(words: str) -> Outcome | None:
        request: Request = house.request(words, BEN)
        return await early(table(operation), house.services, request)

    found = await asked("remove prod-1")
    assert found is not None
    assert plain(found.view.verdict) == "remembered is gone"
    assert await asked("remove prod-2") is None
    assert await early(table(AT_ONCE), house.services, house.request("remove prod-1", BEN)) is None
