"""The loop: an answer from results, one step at a time, and an end whatever the model says."""

import pytest

from bot.agent import budget
from bot.agent.checked import QUOTED, SIGN
from bot.agent.loop import AGAIN, CORRECT, CUT, NOW
from bot.agent.transcript import Transcript
from bot.errors import ModelMovesNext, RetryLater
from bot.nouns import Finish, Heard, SystemMessage, ToolCall, Turn, UserMessage
from tests.bot.agent.conftest import Desk
from tests.doubles.gemma import ScriptedModel, calls, results_of, said

SLOW = "Yes: first token p90 is 0.98 s.\n23 requests wait.\nNot known: who sends them."


async def test_a_question_is_answered_from_what_was_looked_up(desk: Desk) -> None:
    desk.model.turns = [calls(("status", {"deployment": "prod"}), ("metrics", {"since": "1h"})), said(SLOW)]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.lines == tuple(SLOW.splitlines())
    assert (answer.sources, answer.figures, answer.unsupported, answer.limit) == (("status", "metrics"), 2, (), None)
    assert desk.runs == ["status prod", "metrics"]


async def test_results_stand_in_the_order_of_the_calls_each_with_its_id(desk: Desk) -> None:
    desk.model.turns = [calls(("metrics", {}), ("status", {})), said("All is well.")]
    await desk.agent.answer(desk.inquiry())
    metrics, status = results_of(desk.model.asked[-1][0])
    assert metrics.startswith("r1 metrics (03:00 UTC)\nfirst token p90 0.98 s, 23 waiting\n")
    assert status.startswith("r2 status")
    assert "7001" not in metrics, "a curve is not given to the model"
    assert '"first_token_p90":"0.98 s"' in metrics


async def test_each_step_is_one_call_and_can_be_taken_up_by_somebody_else(desk: Desk) -> None:
    desk.model.turns = [calls(("status", {}), ("metrics", {})), said(SLOW)]
    inquiry, kept, looking = desk.inquiry(), "", []
    for _ in range(10):
        came = await desk.agent.advance(inquiry, kept)
        if came.answer is not None:
            break
        assert await desk.agent.advance(inquiry, "") is not None, "beginning anew does no harm"
        kept = came.kept
        looking.append(came.looking)
    assert came.answer is not None
    assert looking == ["", "Looking at status, metrics", "", ""]
    assert desk.runs == ["status", "metrics"]


async def test_the_same_step_twice_gives_the_same_and_proposes_once(desk: Desk) -> None:
    desk.model.turns = [calls(("engine_restart", {"deployment": "prod"})), said("A restart is proposed; nothing has happened.")]
    inquiry = desk.inquiry()
    first = await desk.agent.advance(inquiry)
    called = await desk.agent.advance(inquiry, first.kept)
    once, twice = await desk.agent.advance(inquiry, called.kept), await desk.agent.advance(inquiry, called.kept)
    assert len(desk.house.questions.asked) == 1
    assert once == twice
    assert Transcript.model_validate_json(once.kept).proposal is not None


async def test_the_prefix_never_changes_within_a_thread(desk: Desk, before) -> None:
    desk.model.turns = [calls(("status", {})), said("First."), calls(("metrics", {})), said("Second.")]
    first = await desk.agent.answer(desk.inquiry("how is it?"))
    second = desk.inquiry("and now?", earlier=(before("First.", first.readings),))
    await desk.agent.answer(second)
    (one, tools, _), (two, other_tools, _) = desk.model.asked[0], desk.model.asked[2]
    assert tools == other_tools
    assert one == two[: len(one)], "the question of before is sent again as it was"
    assert isinstance(one[0], SystemMessage)


async def test_a_repeated_call_is_refused_and_its_result_told_again(desk: Desk) -> None:
    desk.model.turns = [calls(("status", {})), calls(("status", {"deployment": None})), said(SLOW)]
    await desk.agent.answer(desk.inquiry())
    assert desk.runs == ["status"]
    assert results_of(desk.model.asked[-1][0])[1].startswith("You made this call before. r1 status\nfirst token p90 0.98 s")


async def test_a_model_that_only_ever_calls_is_stopped_and_asked_for_last_words_without_tools(desk: Desk) -> None:
    def calling(messages, tools):
        if not tools:
            return said("Not enough evidence: nothing was found.")
        return calls(("metrics", {"since": f"{len(messages)}m"}))

    desk.model.turns = [calling]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.limit == "8 turns"
    assert answer.lines == ("Not enough evidence: nothing was found.",)
    messages, tools, _ = desk.model.asked[-1]
    assert tools == ()
    assert messages[-1] == UserMessage(text=NOW)
    assert len(desk.model.asked) == budget.TURNS + 1


async def test_no_more_than_four_calls_of_one_turn_and_ten_of_a_question_run(desk: Desk) -> None:
    many = calls(*(("metrics", {"since": f"{number}m"}) for number in range(1, 7)))
    more = calls(*(("status", {"since": f"{number}m"}) for number in range(1, 7)))
    last = calls(*(("changes", {"since": f"{number}m"}) for number in range(1, 7)))
    desk.model.turns = [many, more, last, said("Enough.")]
    answer = await desk.agent.answer(desk.inquiry())
    assert len(desk.runs) == budget.READINGS
    assert "look-ups" in (answer.limit or "")
    assert len(results_of(desk.model.asked[-1][0])) == 18, "each call has its result"


async def test_time_that_is_up_ends_it(desk: Desk) -> None:
    def slow(messages, tools):
        desk.house.clock.move(seconds=70)
        return calls(("metrics", {"since": f"{len(messages)}m"})) if tools else said("This is what I have.")

    desk.model.turns = [slow]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.limit == "120 s"
    assert len(desk.model.asked) == 3


async def test_nonsense_calls_are_told_in_words_and_nothing_runs(desk: Desk) -> None:
    broken = Turn(calls=(ToolCall(id="a", name="rm_rf", written="{}", problem="There is no tool rm_rf."),), finish=Finish.CALLS)
    wrong = calls(("status", {"deployment": "a b; rm -rf /"}), ("unknown", {}), ("metrics", {"since": "yesterday-ish"}))
    desk.model.turns = [broken, wrong, said("Not enough evidence.")]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.lines == ("Not enough evidence.",)
    assert desk.runs == []
    first, second, third, fourth = results_of(desk.model.asked[-1][0])
    assert first == "There is no tool rm_rf."
    assert "is not a name" in second
    assert third == "There is no tool unknown."
    assert "is not a since" in fourth


async def test_a_call_that_failed_is_told_and_its_operation_is_no_source(desk: Desk) -> None:
    desk.failing = RetryLater("The engine does not answer.", next_step="Try again.")
    desk.model.turns = [calls(("status", {})), said("Not enough evidence: the engine does not answer.")]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.sources == ()
    assert "The engine does not answer. Try again." in results_of(desk.model.asked[-1][0])[0]


async def test_a_fault_of_ours_in_a_tool_is_no_end_of_the_answer(desk: Desk) -> None:
    desk.failing = ValueError("a detail that nobody needs")
    desk.model.turns = [calls(("status", {})), said("Not enough evidence.")]
    await desk.agent.answer(desk.inquiry())
    (told,) = results_of(desk.model.asked[-1][0])
    assert "failed on our side" in told
    assert "detail" not in told


async def test_memory_being_away_is_raised_and_the_step_can_be_taken_again(desk: Desk) -> None:
    desk.passing = (ConnectionError,)
    desk.failing = ConnectionError("redis")
    desk.model.turns = [calls(("status", {})), said(SLOW)]
    with pytest.raises(ConnectionError):
        await desk.agent.answer(desk.inquiry())


async def test_turns_with_nothing_in_them_are_asked_again_and_then_given_up(desk: Desk) -> None:
    desk.model.turns = [ModelMovesNext("waits for a result"), Turn(text=""), Turn(text=" ")]
    answer = await desk.agent.answer(desk.inquiry())
    assert answer.limit == "turns with nothing in them"
    assert answer.lines == ("I have no answer that I can stand behind.",)
    assert sum(one == UserMessage(text=AGAIN) for one in desk.model.asked[-1][0]) == 2


async def test_a_call_written_where_none_can_be_made_is_no_answer(desk: Desk) -> None:
    desk.model.turns = [said('<|tool_call>call:status{deployment:<|"|>prod<|"|>}'), said("All is well.")]
    assert (await desk.agent.answer(desk.inquiry())).lines == ("All is well.",)


async def test_an_answer_that_was_cut_is_asked_for_in_short(desk: Desk) -> None:
    desk.model.turns = [said("It is long and", finish=Finish.LENGTH), said("All is well.")]
    answer = await desk.agent.answer(desk.inquiry())
    assert (answer.lines, answer.limit) == (("All is well.",), None)
    assert desk.model.asked[-1][0][-1] == UserMessage(text=CORRECT.format(CUT))


async def test_an_alert_is_read_as_something_said_with_its_time(desk: Desk, alert: Heard) -> None:
    desk.model.turns = [said("The alert of 03:00 says p90 0.91 s.")]
    answer = await desk.agent.answer(desk.inquiry(root=alert))
    question = desk.model.asked[0][0][1]
    assert isinstance(question, UserMessage)
    assert question.text.startswith(
        "The thread began with this message by Alertmanager at 2026-11-30 03:00 UTC:\nFIRING: HighTTFT prod p90 0.91 s\n\n"
    )
    assert (answer.sources, answer.unsupported, answer.quoted) == (("alert",), (), ("0.91 s",))
    assert answer.lines == (f"The alert of 03:00 says p90 0.91\u00a0s{QUOTED}.",)


async def test_times_and_tokens_are_measured_when_they_are_asked_for(desk: Desk) -> None:
    desk.model.turns = [calls(("status", {})), said(SLOW)]
    measured = (await desk.agent.answer(desk.inquiry(stats=True))).measured
    assert measured is not None
    assert (measured.turns, measured.prompt_tokens, measured.completion_tokens) == (2, 1700, 60)
    assert measured.first_token_s == 0


async def test_words_on_known_results_are_checked_against_them() -> None:
    desk = Desk(model=ScriptedModel(turns=[said("12 errors, first at 02:10, likely 40 users hit.")]))
    known = [{"id": "errors", "count": 12, "first": "2026-11-30T02:10:00Z"}]
    answer = await desk.agent.word(desk.house.names.known[0], "Say what is wrong.", known)
    assert answer.lines == (f"12 errors, first at 02:10, likely 40{SIGN} users hit.",)
    assert answer.unsupported == ("40",)
