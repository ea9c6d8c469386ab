"""The gate: find, validate, role, consent, time-out, audit; whatever door somebody came through."""

import asyncio
from dataclasses import replace

import pytest

from bot.errors import PersonMovesNext, RefusedError, RetryLater, UsageError
from bot.nouns import Actor, Effect, Role, SeenBy
from bot.operations.approvals import NO, YES
from bot.operations.execute import APPROVAL_LIFE, Outcome, early, execute
from bot.operations.operation import AnyOperation, Arguments, Consent, Context, Operation, Preview, Registry, Started
from bot.operations.values import GivenName
from bot.requests import Door, Request
from bot.view import View, bold, line, plain
from tests.doubles.ports import ANNA, BEN, CARLA, DANA, House


class Which(Arguments):
    """A machine."""

    name: GivenName = "prod-1"


class Removed(Arguments):
    """What was removed."""

    name: str


RAN: list[str] = []


async def remove(context: Context, arguments: Which) -> Removed:
    RAN.append(f"{context.actor.user_id} removed {arguments.name}")
    return Removed(name=arguments.name)


def needing(consent: Consent, effect: Effect = Effect.DESTROYS, role: Role = Role.OPERATOR) -> AnyOperation:
    async def preview(_context: Context, arguments: Which) -> Preview:
        return Preview(needs=consent, verdict=line(bold(f"Remove {arguments.name}?")), lines=(line("It is idle."),))

    return Operation(
        path="remove",
        summary="remove a machine",
        when_to_use="In tests.",
        example="remove prod-1",
        arguments=Which,
        effect=effect,
        role=role,
        seen_by=SeenBy.YOU,
        run=remove,
        preview=preview,
        show=lambda found, _context: View(verdict=line(f"{found.name} is gone")),
        timeout=0.05,
    )


AT_ONCE, CONFIRM, SECOND = (needing(one) for one in (Consent.AT_ONCE, Consent.CONFIRM, Consent.SECOND_PERSON))


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@pytest.fixture
def house() -> House:
    return House()


def table(*operations: AnyOperation) -> Registry:
    return (*operations, YES, NO)


async def said(house: House, operation: AnyOperation, words: str, by: Actor = BEN, door: Door = Door.COMMAND) -> Outcome:
    return await execute(table(operation), house.services, house.request(words, by, door))


async def approved(house: House, operation: AnyOperation) -> Outcome:
    """Run the work that the last yes made, as a worker would."""
    return await execute(table(operation), house.services, house.questions.works[-1])


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


async def test_the_yes_makes_the_work_and_the_work_runs_as_who_asked(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    started = await said(house, CONFIRM, f"yes {question}", by=ANNA)
    assert started.started == question
    assert plain(started.view.verdict) == f"It starts now: remove prod-1 · yes from @{ANNA.user_id}"
    await approved(house, CONFIRM)
    assert [f"{BEN.user_id} removed prod-1"] == RAN


async def test_a_yes_is_spent_once(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    await said(house, CONFIRM, f"yes {question}")
    with pytest.raises(RefusedError, match="answered already"):
        await said(house, CONFIRM, f"yes {question}")
    assert len(house.questions.works) == 1


async def test_a_yes_holds_for_these_arguments_and_no_others(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    await said(house, CONFIRM, f"yes {question}")
    other = house.request("remove prod-2", BEN, approval=question)
    with pytest.raises(RefusedError, match="was for something else"):
        await execute(table(CONFIRM), house.services, other)
    assert RAN == []


@pytest.mark.parametrize("approval", ["ask-unknown", None])
async def test_an_approval_that_was_not_spent_opens_nothing(house: House, approval: str | None) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    forged = house.request("remove prod-1", BEN, approval=approval or question)
    with pytest.raises(RefusedError):
        await execute(table(CONFIRM), house.services, forged)
    assert RAN == []


async def test_nobody_says_yes_to_their_own_question_for_a_second_person(house: House) -> None:
    question = (await said(house, SECOND, "remove prod-1")).asked
    with pytest.raises(RefusedError, match="A second person"):
        await said(house, SECOND, f"yes {question}", by=BEN)
    assert house.questions.works == []
    assert (await said(house, SECOND, f"yes {question}", by=ANNA)).started == question


async def test_an_operator_cannot_say_yes_to_what_only_admins_may(house: House) -> None:
    admins = needing(Consent.SECOND_PERSON, role=Role.ADMIN)
    question = (await said(house, admins, "remove prod-1", by=ANNA)).asked
    with pytest.raises(RefusedError, match="Only admins can answer this"):
        await said(house, admins, f"yes {question}", by=BEN)


async def test_the_role_is_looked_up_again_at_the_click(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    house.people.groups.clear()
    with pytest.raises(RefusedError, match="Only operators"):
        await said(house, CONFIRM, f"yes {question}", by=BEN)


async def test_an_expired_question_does_nothing_and_can_be_asked_again(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    house.clock.move(seconds=APPROVAL_LIFE.total_seconds())
    with pytest.raises(UsageError) as expired:
        await said(house, CONFIRM, f"yes {question}")
    assert (str(expired.value), expired.value.near) == ("This question has expired, nothing was done.", ("remove prod-1",))
    assert house.questions.works == []


async def test_a_declined_question_cannot_be_spent(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    outcome = await said(house, CONFIRM, f"no {question}", by=ANNA)
    assert plain(outcome.view.verdict) == f"Declined, nothing was done · by @{ANNA.user_id}"
    assert [button.words for button in outcome.view.buttons] == ["remove prod-1"]
    with pytest.raises(RefusedError, match="answered already"):
        await said(house, CONFIRM, f"yes {question}")


async def test_a_viewer_cannot_decline_what_others_asked(house: House) -> None:
    question = (await said(house, SECOND, "remove prod-1")).asked
    with pytest.raises(RefusedError, match="Only operators can answer"):
        await said(house, SECOND, f"no {question}", by=DANA)


async def test_a_very_long_question_can_be_declined_without_a_button_that_holds_it(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1" + " " * 3000)).asked
    assert (await said(house, CONFIRM, f"no {question}")).view.buttons == ()


async def test_a_question_of_another_workspace_is_unknown(house: House) -> None:
    question = (await said(house, CONFIRM, "remove prod-1")).asked
    assert question is not None
    stored = house.questions.asked[question]
    foreign = stored.request.model_copy(update={"actor": Actor(team_id="T2", user_id="U9")})
    house.questions.asked[question] = stored.model_copy(update={"request": foreign})
    with pytest.raises(UsageError, match="do not know this question"):
        await said(house, CONFIRM, f"yes {question}")


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
