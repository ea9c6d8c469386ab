"""The window: results that fit it, talks that are shortened, and an answer in the smallest one."""

import pytest

from bot.agent import budget
from bot.agent.results import KEPT_BYTES, SERIES, brief, compact, kept, shown, within
from bot.agent.tools import LARGE_SET, SMALL_SET, toolset
from bot.agent.transcript import Transcript
from bot.diagnosis.token_bound import token_bound
from bot.nouns import Reading, ToolResult, Turn, UserMessage
from bot.operations import OPERATIONS
from bot.ports import PromptTooLongError
from prompts import ANSWER, text
from tests.bot.agent.conftest import Desk
from tests.doubles.gemma import ScriptedModel, calls, results_of, said
from tests.doubles.ports import NOW

LONG = {"rows": [{"name": f"machine-{n}", "state": "RUNNING", "note": "x" * 400} for n in range(400)], "count": 400}


def reading(result: dict[str, object], said: tuple[str, ...] = ("400 machines",)) -> Reading:
    return Reading(id="r1", operation="machines", words="machines", at=NOW, said=said, result=result)


@pytest.mark.parametrize("room", [160, 400, 1_800])
def test_a_result_never_takes_more_than_its_room(room: int) -> None:
    words = shown(reading(kept(LONG)), room, NOW)
    assert token_bound(words) <= room
    assert words.startswith("r1 machines (03:00 UTC)\n400 machines")


def test_an_error_as_long_as_a_book_is_cut_and_keeps_its_end() -> None:
    words = within("begin " + "and so on " * 70_000 + "the end of it", 200)
    assert token_bound(words) <= 200
    assert words.startswith("begin")
    assert words.endswith("the end of it")


def test_what_is_stored_of_a_result_is_bounded_and_holds_no_curve_and_no_secret() -> None:
    curve = [float(n) for n in range(SERIES + 1)]
    found = kept(
        {"points": curve, "pairs": [[n, None] for n in range(40)], "few": [1, 2], "log": "token hf_" + "aB3" * 12, **LONG}
    )
    assert "points" not in found
    assert "pairs" not in found
    assert found["few"] == [1, 2]
    assert "hf_aB3" not in str(found)
    assert len(str(found)) < KEPT_BYTES * 1.2


def test_quantities_times_and_nothing_take_few_tokens() -> None:
    value = {"value": 0.98123456, "unit": "s", "at": "2026-11-30T02:41:00Z", "source": "vLLM /metrics"}
    result = {"p90": value, "since": "2026-11-30T02:38:00Z", "before": "2026-11-29T23:05:11.5Z", "none": None, "empty": []}
    assert compact(result, NOW) == {"p90": "0.9812 s", "since": "02:38", "before": "2026-11-29 23:05"}


async def test_an_answer_fits_a_window_of_4096_with_a_result_that_would_fill_it(desk: Desk) -> None:
    desk.model.context = 4_096
    desk.model.turns = [calls(("status", {}), ("metrics", {})), calls(("changes", {}), ("hardware", {})), said("All is well.")]
    answer = await desk.agent.answer(desk.inquiry("why? " * 60))
    assert answer.lines == ("All is well.",)
    assert len(desk.runs) == 4


async def test_old_results_are_shortened_before_an_answer_loses_its_room(desk: Desk) -> None:
    talk = Transcript(began=NOW, window=4_096, tools=(), orders=text(ANSWER)).heard(UserMessage(text="why?"))
    made = calls(*((f"t{n}", {}) for n in range(4)))
    talk = talk.heard(made)
    for call in made.calls:
        one = reading(kept(LONG)).model_copy(update={"id": talk.next_id()})
        talk = talk.read(one, call.name).told(call, shown(one, 1_200, NOW), one.id)
    fitted, room = await budget.fitted(ScriptedModel(context=4_096), desk.house.names.known[0], talk)
    results = [one for one in fitted.said if isinstance(one.message, ToolResult)]
    short = [one.short for one in results]
    assert short == sorted(short, reverse=True), "the oldest first"
    assert True in short
    assert False in short
    assert results[0].message.text == brief(talk.readings[0], budget.BRIEF)
    assert room.results >= budget.SMALLEST_RESULT
    assert fitted.made == talk.made, "what was asked is remembered though its result is short now"


async def test_questions_of_before_go_first(desk: Desk) -> None:
    desk.model.context = 4_096
    desk.model.turns = [said("All is well.")]
    from tests.bot.agent.conftest import Exchange  # the same noun, made by hand

    old = [
        Exchange(id=f"ask-{n}", question="why? " * 40, asked_by="U", at=NOW, answer=f"because {n} " + "of that " * 150)
        for n in range(6)
    ]
    await desk.agent.answer(desk.inquiry("and now?", earlier=tuple(old)))
    sent = desk.model.asked[0][0]
    answers = [one.text for one in sent if isinstance(one, Turn)]
    assert 0 < len(answers) < 6
    assert answers[-1].startswith("because 5")


async def test_a_question_that_fits_no_window_is_told_so(desk: Desk) -> None:
    desk.model.context = 4_096
    desk.model.turns = [said("never")]
    answer = await desk.agent.answer(desk.inquiry("日本" * 4_000))
    assert answer.limit == "the window of 4,096 tokens"
    assert desk.model.asked == []


async def test_a_server_that_cannot_count_is_asked_with_a_safe_bound(desk: Desk) -> None:
    desk.model.counts = False
    desk.model.turns = [calls(("status", {})), said("All is well.")]
    assert (await desk.agent.answer(desk.inquiry())).lines == ("All is well.",)


async def test_a_prompt_that_the_server_still_finds_too_long_is_shortened_and_asked_again(desk: Desk) -> None:
    desk.model.turns = [calls(("status", {})), PromptTooLongError("too long", window=65_536), said("All is well.")]
    assert (await desk.agent.answer(desk.inquiry())).lines == ("All is well.",)
    assert results_of(desk.model.asked[-1][0])[0].startswith("r1 status\nfirst token")


def test_the_orders_and_all_tools_stay_small() -> None:
    """In bytes, for the tokenizer is not here: measured with Gemma's own, a token is 3.8 bytes of these."""
    for window, names, most in ((4_096, SMALL_SET, 5_600), (65_536, LARGE_SET, 9_000)):
        tools = toolset(OPERATIONS, window)
        assert len(tools) <= len(names)
        size = len(text(ANSWER).encode()) + sum(len(one.model_dump_json().encode()) for one in tools)
        assert size <= most, (window, size)
    assert len(SMALL_SET) <= 10


def test_a_question_with_one_look_up_stays_under_8000_tokens_and_its_first_call_under_3000() -> None:
    """In bytes, as above. Measured in the sandbox with Gemma's own tokenizer: 1,560 the first call, 3,443 to 4,228 in all."""
    tools = toolset(OPERATIONS, 65_536)
    prefix = (len(text(ANSWER).encode()) + sum(len(one.model_dump_json().encode()) for one in tools)) / 3.8
    question = 300
    assert prefix + question < 3_000
    assert 2 * (prefix + question) + budget.ONE_RESULT + budget.PER_MESSAGE * 4 < 8_000
