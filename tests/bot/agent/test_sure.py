"""“Are you sure?”: read again, and each figure told as measured, dated or not checked. No model is asked."""

import pytest

from bot.agent.checked import SIGN
from bot.agent.sure import asks_if_sure
from bot.errors import RetryLater
from bot.nouns import Answer, Exchange
from tests.bot.agent.conftest import Desk
from tests.doubles.gemma import calls, said


@pytest.mark.parametrize(
    "words",
    ["are you sure?", "Are you really sure about that?", "sure?", "really?", "please double-check", "verify that, please"],
)
def test_doubt_is_heard(words: str) -> None:
    assert asks_if_sure(words)


@pytest.mark.parametrize("words", ["are you sure that 64K fits?", "is prod really slow?", "why?", "check prod"])
def test_a_question_of_its_own_is_no_doubt(words: str) -> None:
    assert not asks_if_sure(words)


async def answered(desk: Desk, words: str, *tools: str) -> tuple[Answer, Exchange]:
    """An answer in these words after these look-ups, and its place in the thread."""
    desk.model.turns = [calls(*((tool, {}) for tool in tools)), said(words)]
    desk.model.asked.clear()
    answer = await desk.agent.answer(desk.inquiry())
    at = desk.house.clock.at
    words_kept = "\n".join(answer.lines)
    return answer, Exchange(id="ask-1", question="why?", asked_by="U1", at=at, answer=words_kept, readings=answer.readings)


async def doubted(desk: Desk, before: Exchange) -> Answer:
    desk.house.clock.move(minutes=11)
    asked = len(desk.model.asked)
    answer = await desk.agent.answer(desk.inquiry("are you sure?", earlier=(before,)))
    assert len(desk.model.asked) == asked, "no model is asked"
    return answer


async def test_each_figure_is_measured_dated_or_not_checked(desk: Desk) -> None:
    _, before = await answered(desk, "First token p90 is 0.98 s.\nPerhaps 512 users are hit.", "metrics")
    answer = await doubted(desk, before)
    assert answer.lines == (
        "I read everything again: 1 of 2 figures hold, 1 stood in no result: do not rely on them.",
        "512: not checked: no field of a result says it",
        "0.98 s: measured (metrics, 03:00 UTC); read again at 03:11 UTC: the same",
    )
    assert (answer.figures, answer.unsupported) == (2, ("512",))
    assert SIGN in before.answer


async def test_a_table_with_a_date_is_a_dated_source_named_by_it(desk: Desk) -> None:
    _, before = await answered(desk, "First token p90 is 0.98 s.", "hardware")
    answer = await doubted(desk, before)
    assert answer.lines[1] == "0.98 s: from a dated source (vLLM /metrics); read again at 03:11 UTC: the same"


async def test_what_cannot_be_read_again_says_so(desk: Desk) -> None:
    _, before = await answered(desk, "First token p90 is 0.98 s.", "metrics")
    desk.failing = RetryLater("The engine does not answer.")
    answer = await doubted(desk, before)
    assert answer.lines == (
        "I read everything again: 0 of 1 figures hold, 1 could not be read again.",
        "0.98 s: measured (metrics, 03:00 UTC); could not be read again",
    )


async def test_an_answer_without_figures_has_none_to_check(desk: Desk) -> None:
    _, before = await answered(desk, "All is well.", "status")
    assert (await doubted(desk, before)).lines == ("I read everything again; there was no figure in that answer to check.",)
