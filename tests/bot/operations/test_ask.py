"""`ask` where there is no store, and how an answer is shown: the verdict first, few lines, sources, what may be pressed."""

import pytest

from bot.agent import Agent
from bot.errors import NotConnectedError
from bot.nouns import Actor, Answer, Measured, Proposal, Reading
from bot.operations.ask import ASK
from bot.operations.ask_view import view_of
from bot.operations.execute import execute
from bot.requests import Door, Place
from bot.view import LINES_LIMIT, VERDICT_LIMIT, plain
from tests.bot.agent.conftest import Desk
from tests.doubles.gemma import calls, said
from tests.doubles.ports import NOW, TEAM

METRICS = Reading(id="r1", operation="metrics", words="metrics 1h", at=NOW, said=("p90 0.98 s", "23 waiting"), result={"n": 1})


def answer(*lines: str, **more: object) -> Answer:
    return Answer.model_validate({"lines": lines, "readings": (METRICS,), "sources": ("metrics",), "figures": 2, **more})


def shown(of: Answer, *, stats: bool = False) -> list[str]:
    view = view_of(of, stats=stats)
    return [plain(view.verdict), *map(plain, view.lines)]


async def test_in_a_terminal_it_is_answered_at_once_as_the_one_who_sits_there() -> None:
    desk = Desk()
    desk.model.turns = [calls(("status", {})), said("Yes: first token p90 is 0.98 s.")]
    desk.house.more["answerer"] = Agent(desk.registry, desk.services)
    sits = Actor(team_id=TEAM, user_id="terminal:anna")
    request = desk.house.request("ask is it slow?", sits, Door.TERMINAL, place=Place(channel="terminal"))
    outcome = await execute((ASK,), desk.services, request)
    assert plain(outcome.view.verdict) == "Yes: first token p90 is 0.98 s."
    assert desk.runs == ["status"], "its look-ups are allowed as well"
    assert not any(button.label == "Are you sure?" for button in outcome.view.buttons), "nothing remembers what was said"


async def test_without_a_gemma_it_says_what_to_set() -> None:
    desk = Desk()
    with pytest.raises(NotConnectedError, match="MODEL_BASE_URL"):
        await execute((ASK,), desk.services, desk.house.request("ask why?"))


def test_the_verdict_is_line_1_and_the_sources_are_the_last() -> None:
    assert shown(answer("It is slow.", "Likely: long prompts.")) == [
        "It is slow.",
        "Likely: long prompts.",
        "Sources: metrics · all figures checked",
    ]


def test_a_first_line_that_is_too_long_for_a_phone_goes_on_in_the_second() -> None:
    long = "It is slow since the prompts got longer. " + "And this goes on and on with many more words " * 4
    first, second, *_ = shown(answer(long))
    assert first == "It is slow since the prompts got longer."
    assert second.startswith("And this goes on")
    one_word = shown(answer("x" * 300))
    assert len(one_word[0]) <= VERDICT_LIMIT
    assert one_word[1] == "x" * 300


def test_what_is_not_measured_is_counted_by_kind() -> None:
    assert shown(answer("a", unsupported=("4.2 s",), quoted=("512",)))[-1] == (
        "Sources: metrics · of 2 figures 1 quoted and not measured, 1 in no result"
    )
    assert shown(answer("a", figures=0, sources=()))[-1] == "Sources: none · no figures in it"


def test_times_and_tokens_stand_there_when_they_were_asked_for_and_unknown_is_said() -> None:
    measured = Measured(turns=2, prompt_tokens=3443, completion_tokens=96, first_token_s=0.41, tokens_per_s=31.04, total_s=3.4)
    assert "Last turn: first token 0.41 s · 31.0 tokens/s · 3,443 tokens read, 96 written in 2 turns · 3.4 s in all" in shown(
        answer("a", measured=measured), stats=True
    )
    unknown = Measured(turns=1, prompt_tokens=None, completion_tokens=None)
    assert "Last turn: first token unknown · speed unknown" in shown(answer("a", measured=unknown), stats=True)
    assert not any("first token" in one for one in shown(answer("a", measured=measured)))


def test_everything_at_once_fits_eight_lines_and_the_rest_waits_behind_details() -> None:
    proposal = Proposal(
        question="ask-1a2b", shown=("Restart?", "Ends 4 requests", "Nothing has happened yet"), label="Restart engine"
    )
    measured = Measured(turns=2, prompt_tokens=1, completion_tokens=1)
    full = answer(*(f"line {n}" for n in range(12)), proposal=proposal, limit="8 turns", measured=measured)
    view = view_of(full, stats=True)
    assert len(view.lines) + 1 <= LINES_LIMIT
    assert [button.label for button in view.buttons] == ["Restart engine", "Decline", "Chart", "Are you sure?"]
    assert plain(view.details[0]) == "line 2"
    assert plain(view.details[-1]) == "r1 metrics 1h at 03:00 UTC: p90 0.98 s"
