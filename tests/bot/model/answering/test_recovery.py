"""Calls that were written as text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.recovery import MOST_CALLS, calls_in

PODS = ("get_pods", {"namespace": "a"})


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('<|tool_call>call:get_pods{namespace:<|"|>a<|"|>}<tool_call|>', ""),
        ('Checking.<|tool_call>call:get_pods{namespace:<|"|>a<|"|>}<tool_call|>', "Checking."),
        ('<|tool_call>call:get_pods{namespace:<|"|>a<|"|>}', ""),
        ("call:get_pods{namespace:a}", ""),
        ('{"name": "get_pods", "arguments": {"namespace": "a"}}', ""),
        ('{"name": "get_pods", "arguments": "{\\"namespace\\": \\"a\\"}"}', ""),
        ('{"tool": "get_pods", "parameters": {"namespace": "a"}}', ""),
        ('{"type": "function", "function": {"name": "get_pods", "arguments": {"namespace": "a"}}}', ""),
        ('```json\n{"name": "get_pods", "arguments": {"namespace": "a"}}\n```', ""),
        ('Let me look.\n```json\n[{"name": "get_pods", "args": {"namespace": "a"}}]\n```', "Let me look."),
        ('<tool_call>\n{"name": "get_pods", "arguments": {"namespace": "a"}}\n</tool_call>', ""),
        ('I look at the pods.\n\n{"name": "get_pods", "arguments": {"namespace": "a"}}', "I look at the pods."),
    ],
)
def test_a_call_is_found_in_each_way_that_models_write_it(text: str, rest: str) -> None:
    found = calls_in(text)
    assert found.calls == (PODS,)
    assert found.rest == rest


def test_several_calls_come_in_their_order() -> None:
    one, two = "<|tool_call>call:a{n:1}<tool_call|>", "<|tool_call>call:b{n:2}<tool_call|>"
    assert calls_in(one + two).calls == (("a", {"n": 1}), ("b", {"n": 2}))
    assert calls_in("call:a{n:1}\ncall:b{n:2}").calls == (("a", {"n": 1}), ("b", {"n": 2}))


@pytest.mark.parametrize(
    "text",
    [
        'A call looks like {"name": "get_pods", "arguments": {}} and does no harm.',
        'Example:\n```json\n{"name": "get_pods", "arguments": {}}\n```\nTry it.',
        "The log says call:get_pods{namespace:a} three times.",
        '{"status": "ok", "pods": 3}',
        '{"name": "prod", "replicas": 2}',
        '[{"name": "get_pods", "arguments": {}}, {"pods": 3}]',
        "[1, 2]",
        "All pods are healthy.",
        "",
    ],
)
def test_what_is_quoted_or_only_looks_like_one_is_no_call(text: str) -> None:
    assert calls_in(text).calls == ()
    assert calls_in(text).rest == text


def test_a_broken_call_behind_its_token_hides_no_whole_one_behind_it() -> None:
    assert calls_in("<|tool_call>call:a{n:<|tool_call>call:b{n:2}<tool_call|>").calls == (("b", {"n": 2}),)


def test_a_model_that_repeats_itself_gets_no_endless_list() -> None:
    assert len(calls_in("<|tool_call>call:a{n:1}<tool_call|>" * 1000).calls) == MOST_CALLS
    assert len(calls_in("call:a{n:1}" * 1000).calls) == MOST_CALLS


@settings(deadline=None)
@given(st.text('<|tool_call>call:t{}[]`"\n json', max_size=120))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = calls_in(text)
    assert all(name and isinstance(arguments, dict) for name, arguments in found.calls)
