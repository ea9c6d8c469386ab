"""From what was spoken to a turn that can be used: one test a rule."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ModelMovesNext
from bot.model.answering.spoken import Spoken
from bot.model.answering.turns import answer_object, turn_of
from bot.nouns import Finish, Repair, Tool, Turn

RECORDED = Path(__file__).parents[3] / "fixtures" / "vllm"
Said = Callable[..., Spoken]
CALL = {"id": "call-1", "type": "function", "function": {"name": "get_pods", "arguments": "{}"}}


def turn(spoken: Spoken, *tools: Tool) -> Turn:
    """The turn, which there is."""
    made = turn_of(spoken, tools)
    assert made is not None
    return made


def said(content: str | None = None, finish: str | None = "stop", *, calls: Any = None, stop: Any = None) -> Spoken:
    """A message of the server."""
    message = {"content": content, "tool_calls": calls}
    return Spoken.whole({"id": "chatcmpl-9", "choices": [{"message": message, "finish_reason": finish, "stop_reason": stop}]})


def test_the_answer_after_a_tool_result_is_taken_from_the_reasoning_where_streaming_left_it(streamed: Said, whole: Said) -> None:
    made = turn(streamed("after_tool_open_channel", "stop"))
    assert (made.text, made.reasoning) == ("All pods are healthy.", "")
    assert made.repairs == (Repair.ANSWER_FROM_REASONING,)
    assert turn(whole("after_tool_open_channel", "stop")).text == "All pods are healthy."


@pytest.mark.parametrize("way", ["streamed", "whole"])
def test_a_thought_that_was_cut_is_no_answer(request: pytest.FixtureRequest, way: str) -> None:
    read: Said = request.getfixturevalue(way)
    made = turn(read("think_unclosed", "length"))
    assert (made.text, made.finish) == ("", Finish.LENGTH)
    assert made.reasoning == "I need pods and then"


@pytest.mark.parametrize("way", ["streamed", "whole"])
def test_thought_and_answer_are_kept_apart(request: pytest.FixtureRequest, way: str) -> None:
    read: Said = request.getfixturevalue(way)
    made = turn(read("think_answer", "stop"))
    assert (made.text, made.reasoning, made.repairs) == ("All good.", "I need pods.", ())


def test_a_thought_channel_that_leaked_into_the_content_is_taken_out(parser_cases: dict[str, Any]) -> None:
    made = turn(said(parser_cases["think_answer"]["text"]))
    assert (made.text, made.reasoning) == ("All good.", "I need pods.")
    assert made.repairs == (Repair.LEAKED_TOKENS,)


def test_plain_text_is_passed_as_it_is(streamed: Said, get_pods: Tool) -> None:
    made = turn(streamed("plain", "stop"), get_pods)
    assert (made.text, made.finish, made.repairs) == ("All pods are healthy.", Finish.STOP, ())


def test_stop_50_with_its_call_is_a_call_and_without_it_the_model_is_told(get_pods: Tool) -> None:
    assert turn(said(None, calls=[CALL], stop=50), get_pods).finish is Finish.CALLS
    assert turn(said("Let me look.", stop=50), get_pods).finish is Finish.WAITS_FOR_TOOL
    with pytest.raises(ModelMovesNext, match="no call arrived"):
        turn_of(said("", stop=50), [get_pods])
    with pytest.raises(ModelMovesNext, match="no call arrived"):
        turn_of(said(None, "tool_calls"), [get_pods])


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": {}, "finish_reason": "stop"}]}, {"choices": [None]}]
)
def test_a_body_with_nothing_in_it_is_no_turn(body: dict[str, Any]) -> None:
    assert turn_of(Spoken.whole(body), ()) is None


def test_the_recorded_blanks_are_no_answer_but_say_why() -> None:
    made = turn(Spoken.whole(json.loads((RECORDED / "tiny_gemma4" / "json_schema.json").read_text())))
    assert (made.text, made.finish) == ("{", Finish.REPETITION)
    assert Repair.REPETITION in made.repairs
    assert made.usage is not None
    assert made.usage.completion == 60


def test_forced_tool_choice_is_ignored_by_the_recorded_server_and_the_turn_has_no_call(get_pods: Tool) -> None:
    made = turn(Spoken.whole(json.loads((RECORDED / "tiny_gemma4" / "tools_named.json").read_text())), get_pods)
    assert made.calls == ()
    assert made.finish is Finish.REPETITION


SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}, "n": {"type": "integer"}}, "required": ["ok"]}


@pytest.mark.parametrize(
    "text", ['{"ok": true}', '```json\n{"ok": true}\n```', '{"ok": "true"}', '\n  {\n  "ok"\n :\n true\n}'],
)  # fmt: skip
def test_an_object_that_was_asked_for_is_read(text: str) -> None:
    assert answer_object(Turn(text=text), SCHEMA) == {"ok": True}


@pytest.mark.parametrize(
    ("text", "says"), [("{", "not one JSON object"), ("Fine.", "not one JSON object"), ("[]", "does not fit"), ("{}", "'ok'")]
)
def test_an_object_that_is_none_or_does_not_fit_is_told_to_the_model(text: str, says: str) -> None:
    with pytest.raises(ModelMovesNext, match=says):
        answer_object(Turn(text=text), SCHEMA)


@settings(deadline=None)
@given(
    st.text('<|tool_call>call:get_pods{}[]:,"\n <|channel>thought<channel|>x', max_size=60),
    st.sampled_from(["stop", "length", "tool_calls", None]),
    st.text('{}[]":,<|"|>limit5', max_size=30),
)
def test_whatever_is_said_a_turn_is_made_or_nothing_and_what_runs_fits(content: str, finish: str | None, arguments: str) -> None:
    tool = Tool(name="get_pods", description="", parameters={"type": "object", "properties": {"limit": {"type": "integer"}}})
    calls = [{"function": {"name": "get_pods", "arguments": arguments}}]
    try:
        made = turn_of(said(content, finish, calls=calls if len(arguments) % 2 else None), [tool])
    except ModelMovesNext:
        return
    for call in made.calls if made else ():
        assert (call.arguments is None) is (call.problem is not None)
        assert call.arguments is None or isinstance(call.arguments.get("limit", 0), int)
    assert made is None or not any(token in made.text for token in ("<|tool_call>", "<|channel>", '<|"|>'))
