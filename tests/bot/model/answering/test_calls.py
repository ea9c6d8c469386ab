"""From what vLLM's gemma4 parsers made of calls to calls that may run: one test a rule."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.model.answering.messages import wire_messages
from bot.model.answering.spoken import Spoken
from bot.model.answering.turns import turn_of
from bot.nouns import Finish, Message, Repair, Tool, ToolCall, ToolResult, Turn, UserMessage

Said = Callable[..., Spoken]


def turn(spoken: Spoken, *tools: Tool) -> Turn:
    """The turn, which there is."""
    made = turn_of(spoken, tools)
    assert made is not None
    return made


def said(content: str | None = None, finish: str | None = "stop", *, calls: Any = None, reasoning: Any = None) -> Spoken:
    """A message of the server."""
    message = {"content": content, "tool_calls": calls, "reasoning": reasoning}
    return Spoken.whole({"id": "chatcmpl-9", "choices": [{"message": message, "finish_reason": finish}]})


def raw(name: str | None = "get_pods", arguments: object = "{}", call_id: str | None = None) -> dict[str, Any]:
    """A call as servers send it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def only(made: Turn) -> ToolCall:
    """The one call of a turn."""
    (call,) = made.calls
    return call


@pytest.mark.parametrize("way", ["streamed", "whole"])
@pytest.mark.parametrize(
    ("case", "arguments"),
    [
        ("call", {"limit": 5, "namespace": "default"}),
        ("call_rich", {"labels": {"app": 'a "b" {c}', "n": 1.5}, "names": ["x", "y\\n"], "wide": True}),
        ("call_types", {"limit": 5, "ratio": 1.5, "sel": "007", "wide": None}),
        ("call_json_style", {"namespace": "default"}),
        ("text_then_call", {"namespace": "a"}),
        ("think_call", {"namespace": "a"}),
    ],
)
def test_recorded_calls_may_run_with_arguments_that_fit(
    request: pytest.FixtureRequest, get_pods: Tool, way: str, case: str, arguments: dict[str, Any]
) -> None:
    read: Said = request.getfixturevalue(way)
    made = turn(read(case), get_pods)
    assert (only(made).name, only(made).arguments, only(made).problem) == ("get_pods", arguments, None)
    assert made.finish is Finish.CALLS
    assert json.loads(only(made).written) == arguments


def test_two_recorded_calls_keep_their_order_and_have_ids_of_their_own(streamed: Said, get_pods: Tool) -> None:
    made = turn(streamed("two_calls"), get_pods)
    assert [call.arguments for call in made.calls] == [{"namespace": "a"}, {"namespace": "b"}]
    assert len({call.id for call in made.calls}) == 2


@pytest.mark.parametrize("way", ["streamed", "whole"])
def test_a_call_cut_by_max_tokens_never_runs_though_vllm_repaired_it(
    request: pytest.FixtureRequest, get_pods: Tool, way: str
) -> None:
    read: Said = request.getfixturevalue(way)
    made = turn(read("call_truncated", "length"), get_pods)
    assert made.finish is Finish.LENGTH
    assert only(made).arguments is None
    assert "cut off" in (only(made).problem or "")


@pytest.mark.parametrize("finish", ["length", "abort", "repetition", None])
def test_calls_run_only_after_a_reason_that_says_they_are_whole(get_pods: Tool, finish: str | None) -> None:
    assert only(turn(said(None, finish, calls=[raw()]), get_pods)).arguments is None
    written = '<|tool_call>call:get_pods{namespace:<|"|>defa<|"|>}'
    assert only(turn(said(written, finish), get_pods)).arguments is None


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
def test_calls_run_also_where_the_server_says_stop(get_pods: Tool, finish: str) -> None:
    made = turn(said(None, finish, calls=[raw()]), get_pods)
    assert (only(made).arguments, made.finish) == ({}, Finish.CALLS)


def test_the_recorded_unknown_tool_is_answered_and_not_run(whole: Said, get_pods: Tool) -> None:
    call = only(turn(whole("call_unknown_tool"), get_pods))
    assert call.name == "rm_rf"
    assert call.problem == "There is no tool rm_rf. The tools are: get_pods."


def test_one_wrong_call_does_not_keep_the_right_one_from_running(get_pods: Tool) -> None:
    made = turn(said(None, "tool_calls", calls=[raw(arguments='{"limit": "many"}'), raw(arguments='{"limit": "3"}')]), get_pods)
    assert [call.arguments for call in made.calls] == [None, {"limit": 3}]
    assert "limit must be integer, not many" in (made.calls[0].problem or "")
    assert Repair.ARGUMENTS in made.repairs


def test_the_same_call_nine_times_in_one_message_is_made_once(get_pods: Tool) -> None:
    nine = [raw(arguments='{"limit": 1, "sel": "a"}'), *[raw(arguments='{"sel": "a", "limit": "1"}')] * 8]
    made = turn(said(None, "tool_calls", calls=nine), get_pods)
    assert only(made).arguments == {"limit": 1, "sel": "a"}
    assert Repair.DUPLICATE_CALL in made.repairs


@pytest.mark.parametrize("arguments", ["", None, "{}", {}, '"{}"'])
def test_no_arguments_are_an_empty_object(get_pods: Tool, arguments: object) -> None:
    assert only(turn(said(None, "tool_calls", calls=[raw(arguments=arguments)]), get_pods)).arguments == {}


def test_arguments_in_gemmas_own_format_are_read(get_pods: Tool) -> None:
    call = only(turn(said(None, "tool_calls", calls=[raw(arguments='{namespace:<|"|>a<|"|>,limit:2}')]), get_pods))
    assert call.arguments == {"namespace": "a", "limit": 2}


@pytest.mark.parametrize(
    "broken", [raw(name=None), raw(name=""), raw(arguments='{"limit": '), raw(arguments="[1]"), raw(name="<|turn>")]
)
def test_a_broken_call_is_answered_and_can_be_shown_to_the_model_again(get_pods: Tool, broken: dict[str, Any]) -> None:
    made = turn(said(None, "tool_calls", calls=[broken]), get_pods)
    call = only(made)
    assert call.problem
    thread: list[Message] = [UserMessage(text="pods?"), made, ToolResult(call_id=call.id, text=call.problem)]
    (sent,) = wire_messages(thread)[1]["tool_calls"]
    assert sent["type"] == "function"
    assert sent["id"]
    assert sent["function"]["name"]
    assert isinstance(json.loads(sent["function"]["arguments"]), dict)


def test_missing_and_doubled_ids_are_made_up_the_same_way_each_time(get_pods: Tool) -> None:
    calls = [
        raw(arguments='{"limit": 1}'),
        raw(arguments='{"limit": 2}', call_id="x"),
        raw(arguments='{"limit": 3}', call_id="x"),
    ]
    one, two = (turn(said(None, "tool_calls", calls=calls), get_pods) for _ in range(2))
    assert one == two
    assert len({call.id for call in one.calls}) == 3


@pytest.mark.parametrize(
    "case", ["call", "call_rich", "two_calls", "text_then_call", "think_call", "call_types", "call_json_style"]
)
def test_a_call_that_came_as_text_is_recovered_as_the_parser_would_have_read_it(
    parser_cases: dict[str, Any], whole: Said, get_pods: Tool, case: str
) -> None:
    made = turn(said(parser_cases[case]["text"]), get_pods)
    parsed = turn(whole(case), get_pods)
    assert [(call.name, call.arguments) for call in made.calls] == [(call.name, call.arguments) for call in parsed.calls]
    assert (made.text, made.reasoning) == (parsed.text, parsed.reasoning)
    assert Repair.CALL_FROM_TEXT in made.repairs


def test_a_call_as_text_behind_its_token_that_does_not_fit_is_answered(get_pods: Tool) -> None:
    assert "There is no tool rm_rf" in (
        only(turn(said('<|tool_call>call:rm_rf{path:<|"|>/<|"|>}<tool_call|>'), get_pods)).problem or ""
    )


@pytest.mark.parametrize("text", ['{"name": "rm_rf", "arguments": {}}', '{"name": "get_pods", "arguments": {"limit": "many"}}'])
def test_json_that_is_no_call_of_ours_stays_text(get_pods: Tool, text: str) -> None:
    made = turn(said(text), get_pods)
    assert (made.text, made.calls) == (text, ())


def test_without_tools_no_text_becomes_a_call_and_no_token_is_shown() -> None:
    made = turn(said('See <|tool_call>call:get_pods{a:<|"|>b<|"|>}<tool_call|>'))
    assert made.calls == ()
    assert made.text == 'See call:get_pods{a:"b"}'
    assert made.repairs == (Repair.LEAKED_TOKENS,)


def test_a_call_that_stayed_in_the_reasoning_is_recovered(get_pods: Tool) -> None:
    made = turn(said("", reasoning='I need pods.<|tool_call>call:get_pods{namespace:<|"|>a<|"|>}<tool_call|>'), get_pods)
    assert only(made).arguments == {"namespace": "a"}
