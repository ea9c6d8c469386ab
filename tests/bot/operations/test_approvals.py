"""Yes and no: spent once, by who may, for exactly what was asked, until it expires."""

import pytest

from bot.errors import RefusedError, UsageError
from bot.nouns import Actor, Role
from bot.operations.execute import APPROVAL_LIFE, execute
from bot.operations.operation import Consent
from bot.view import plain
from tests.bot.operations.gate_bench import CONFIRM, RAN, SECOND, approved, needing, said, table
from tests.doubles.ports import ANNA, BEN, DANA, House


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@pytest.fixture
def house() -> House:
    return House()


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
