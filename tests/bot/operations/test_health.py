"""`health`: four known answers, graded; a wrong one is told, a silent server stops the asking."""

import json
from typing import Any

import pytest

from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import ServedModel
from bot.operations.health_probes import MAX_TOKENS, Probe, body, wrong
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Shape, View, plain

CALL = {"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Berlin"}'}}
NO_TOOLS = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'


def said(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines)))


def answer(content: str | None = None, *, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}


def chunks(*pieces: str, field: str = "content") -> list[dict[str, Any]]:
    first = {"choices": [{"delta": {"role": "assistant", "content": ""}}]}
    return [first, *({"choices": [{"delta": {field: piece}}]} for piece in pieces), {"choices": [], "usage": {}}]


def right(asked: dict[str, Any]) -> dict[str, Any]:
    if "tools" in asked:
        return answer(tool_calls=[CALL], finish="tool_calls")
    return answer('{"colour": "blue", "count": 3}' if "response_format" in asked else "42")


def serving(world: Any, chat: Any = right, stream: Any = None) -> None:
    world.engine["models"] = (ServedModel(id="google/gemma-4-31B-it"),)
    world.engine["chat"] = chat
    world.engine["chunks"] = stream if stream is not None else chunks("1, ", "2, 3", ", 4, 5")


async def test_four_right_answers_are_healthy_with_their_times(world: Any) -> None:
    serving(world)
    outcome = await world.ask("health")
    assert plain(outcome.view.verdict).startswith("prod is healthy: 4 of 4 known answers right · first token ")
    assert outcome.view.shape is Shape.GOOD
    assert all(probe["took"]["unit"] == "s" for probe in outcome.result["probes"])


async def test_each_question_is_capped_and_none_relies_on_a_forced_tool_choice(world: Any) -> None:
    serving(world)
    await world.ask("health")
    assert len(world.chats) == 4
    for asked in world.chats:
        assert asked["max_tokens"] == MAX_TOKENS
        assert asked.get("tool_choice", "auto") == "auto"


async def test_one_wrong_answer_is_degraded_and_told_in_its_own_words(world: Any) -> None:
    serving(world, lambda asked: answer("41") if "response_format" not in asked and "tools" not in asked else right(asked))
    view = (await world.ask("health")).view
    assert "prod is degraded: 3 of 4" in said(view)
    assert "arithmetic wrong" in said(view)
    assert "it said “41”" in said(view)
    assert view.shape is Shape.CONCERN


async def test_a_server_without_tool_calls_is_told_what_to_start_with(world: Any) -> None:
    def refuses(asked: dict[str, Any]) -> dict[str, Any]:
        if "tools" in asked:
            raise PersonMovesNext(f"Gemma's server refuses: {NO_TOOLS}")
        return right(asked)

    serving(world, refuses)
    told = said((await world.ask("health")).view)
    assert "tool call refused" in told
    assert "start vLLM with --enable-auto-tool-choice --tool-call-parser gemma4" in told


async def test_silence_is_not_asked_again(world: Any) -> None:
    serving(world, RetryLater("Gemma's server does not answer"))
    view = (await world.ask("health")).view
    assert plain(view.verdict) == "prod does not answer questions, though it lists its model"
    assert said(view).count("not asked") == 3
    assert len(world.chats) == 1
    assert view.shape is Shape.BAD


async def test_without_a_model_there_is_nothing_to_ask(world: Any) -> None:
    world.engine["models"] = ()
    with pytest.raises(PersonMovesNext, match="serves no model"):
        await world.ask("health")


async def test_a_stream_whose_text_is_all_reasoning_counts(world: Any) -> None:
    serving(world, right, chunks("1, 2, 3, 4, 5", field="reasoning"))
    assert "4 of 4" in said((await world.ask("health")).view)


async def test_a_stream_that_holds_nothing_is_wrong_and_has_no_first_token(world: Any) -> None:
    serving(world, right, chunks())
    outcome = await world.ask("health")
    assert "stream wrong" in said(outcome.view)
    assert outcome.result["probes"][3]["first_token"] is None


@pytest.mark.parametrize(
    ("probe", "given", "why"),
    [
        (Probe.ARITHMETIC, answer("17 + 25 = 42"), None),
        (Probe.ARITHMETIC, answer("", reasoning="42"), None),
        (Probe.ARITHMETIC, answer("142"), "142"),
        (Probe.ARITHMETIC, answer(None), "said nothing"),
        (Probe.ARITHMETIC, {"choices": []}, "said nothing"),
        (Probe.ARITHMETIC, {"choices": "no"}, "said nothing"),
        (Probe.JSON, answer('```json\n{"colour": "blue", "count": 3}\n```'), None),
        (Probe.JSON, answer('{"colour": "red", "count": 3}'), "red"),
        (Probe.JSON, answer("blue, three"), "no JSON"),
        (Probe.JSON, answer('{"colour": "blue",' + " " * 60, finish="length"), "did not stop"),
        (Probe.TOOL_CALL, answer(tool_calls=[CALL]), None),
        (Probe.TOOL_CALL, answer(tool_calls=[CALL], finish="length"), "cut off"),
        (Probe.TOOL_CALL, answer("I would call get_weather."), "no call"),
        (Probe.TOOL_CALL, answer(tool_calls=[{"function": {"name": "rm_rf", "arguments": "{}"}}]), "rm_rf"),
        (Probe.TOOL_CALL, answer(tool_calls=[{"function": {"name": "get_weather", "arguments": "{"}}]), "no JSON"),
        (Probe.TOOL_CALL, answer(tool_calls=[{"function": {"name": "get_weather", "arguments": None}}]), "no JSON"),
        (Probe.TOOL_CALL, answer(tool_calls=["x"]), "no call"),
    ],
)
def test_what_counts_as_right(probe: Probe, given: dict[str, Any], why: str | None) -> None:
    found = wrong(probe, given)
    assert found is None if why is None else found is not None and why in found


def test_a_json_question_shows_the_model_its_form_for_vllm_does_not() -> None:
    asked = body(Probe.JSON, "m")
    assert "colour" in json.dumps(asked["messages"])
    assert asked["response_format"]["json_schema"]["schema"]["required"] == ["colour", "count"]


async def test_the_message_fits_a_phone(world: Any) -> None:
    serving(world, lambda _asked: answer("x" * 5000), chunks("y" * 5000))
    view = (await world.ask("health")).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert 1 + len(view.lines) <= LINES_LIMIT
    assert len(said(view)) < 1000
