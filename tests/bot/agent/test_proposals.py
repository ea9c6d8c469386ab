"""What Gemma would change: a question for a person with exact arguments, one at a time in a thread, and never more than that."""

from bot.agent.lookups import ONE_PROPOSAL
from bot.operations.approvals import YES
from bot.operations.ask_view import view_of
from bot.operations.execute import execute
from bot.view import plain
from tests.bot.agent.conftest import PLACE, Desk
from tests.doubles.gemma import calls, results_of, said
from tests.doubles.ports import ANNA, BEN, DANA

PROPOSES = calls(("machine_destroy", {"deployment": "prod"}))


async def test_a_change_becomes_a_question_with_exactly_its_arguments(desk: Desk) -> None:
    desk.model.turns = [PROPOSES, said("Proposed: nothing has happened.")]
    answer = await desk.agent.answer(desk.inquiry())
    ((question_id, question),) = desk.house.questions.asked.items()
    assert (question.operation, question.arguments) == ("machine.destroy", {"deployment": "prod", "since": None})
    assert (question.proposed_by_model, question.request.actor, question.request.place.thread) == (True, BEN, "1.0")
    assert desk.runs == []
    assert answer.proposal is not None
    assert answer.proposal.question == question_id


async def test_the_answer_shows_the_proposal_with_its_buttons_and_says_that_nothing_happened(desk: Desk) -> None:
    desk.model.turns = [PROPOSES, said("Proposed: nothing has happened.")]
    view = view_of(await desk.agent.answer(desk.inquiry()))
    shown = [plain(one) for one in view.lines]
    assert "Gemma proposes: Do machine.destroy prod" in shown
    assert "machine.destroy prod?" in shown
    assert any(one.startswith("Nothing has happened yet · expires") for one in shown)
    assert [button.label for button in view.buttons] == ["Do machine.destroy prod", "Decline"]


async def test_only_the_first_proposal_of_a_thread_is_asked(desk: Desk) -> None:
    both = calls(("machine_destroy", {"deployment": "prod"}), ("engine_restart", {"deployment": "prod"}))
    desk.model.turns = [both, said("Proposed."), PROPOSES, said("Again.")]
    await desk.agent.answer(desk.inquiry())
    assert results_of(desk.model.asked[1][0])[1] == ONE_PROPOSAL
    await desk.agent.answer(desk.inquiry("another question"))
    assert results_of(desk.model.asked[-1][0])[-1] == ONE_PROPOSAL
    assert len(desk.house.questions.asked) == 1


async def test_another_thread_may_have_its_own(desk: Desk) -> None:
    desk.model.turns = [PROPOSES, said("Proposed.")]
    await desk.agent.answer(desk.inquiry())
    desk.model.asked.clear()
    other = desk.inquiry("elsewhere?")
    place = PLACE.model_copy(update={"thread": "7.0"})
    elsewhere = other.model_copy(update={"request": other.request.model_copy(update={"place": place})})
    await desk.agent.answer(elsewhere)
    assert len(desk.house.questions.asked) == 2


async def test_it_runs_after_a_yes_and_not_before(desk: Desk) -> None:
    desk.model.turns = [PROPOSES, said("Proposed.")]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.proposal is not None
    yes = desk.house.request(f"yes {answer.proposal.question}", ANNA)
    await execute((*desk.registry, YES), desk.services, yes)
    assert desk.runs == []
    await execute(desk.registry, desk.services, desk.house.questions.works[0])
    assert desk.runs == ["machine.destroy prod"]


async def test_it_reads_and_proposes_only_what_the_asker_may(desk: Desk) -> None:
    desk.model.turns = [PROPOSES, said("Only operators can do that.")]
    inquiry = desk.inquiry()
    viewers = inquiry.model_copy(update={"request": inquiry.request.model_copy(update={"actor": DANA})})
    await desk.agent.answer(viewers)
    assert desk.house.questions.asked == {}
    assert "Only operators can do this." in results_of(desk.model.asked[-1][0])[0]
