"""Gemma's own format of a call."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.gemma_call import NotACall, read_call

CALL = "<|tool_call>"


@pytest.mark.parametrize("name", ["call", "call_rich", "call_unknown_tool", "call_types"])
def test_what_vllms_parser_reads_is_read_the_same(parser_cases: dict[str, Any], name: str) -> None:
    text: str = parser_cases[name]["text"]
    tool, arguments, end = read_call(text, len(CALL))
    (recorded,) = parser_cases[name]["nonstream"][2]
    assert tool == recorded["name"]
    assert text[end:] == "<tool_call|>"
    typed = {**json.loads(recorded["arguments"])}
    for key, value in arguments.items():  # the parser types by schema, which is another step here
        assert str(value) in (str(typed[key]), str(typed[key]).replace("'1.5'", "1.5")), key


def test_types_quotes_and_nesting() -> None:
    text = 'call:t{a:<|"|>x, {y}<|"|>,b:-1.5e3,c:[1,<|"|>z<|"|>,[]],d:{e:true,f:null},"g":"h",i:bare word}'
    assert read_call(text) == (
        "t",
        {"a": "x, {y}", "b": -1500.0, "c": [1, "z", []], "d": {"e": True, "f": None}, "g": "h", "i": "bare word"},
        len(text),
    )


def test_a_number_with_zeros_in_front_stays_the_text_it_is() -> None:
    assert read_call("call:t{sel:007}")[1] == {"sel": "007"}


BROKEN = [
    *("", "call:t", "call:t{", "call:t{a}", "call:t{a:}", "call:t{a:1", "call:t{a:1,,b:2}", "call:t{a:[1}", "call:{a:1}"),
    *('call:t{a:<|"|>x}', 'call:t{"a":"x}', "call:rm -rf{a:1}", "call:t{" + "a:{" * 40 + "}" * 41),
]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_broken_is_no_call(text: str) -> None:
    with pytest.raises(NotACall):
        read_call(text)


@settings(deadline=None)
@given(st.text('call:t{}[],<|">"\\ 1e.-a\n', max_size=80))
def test_any_text_is_a_call_or_none_and_nothing_else_happens(text: str) -> None:
    try:
        name, arguments, end = read_call(f"call:t{text}")
    except NotACall:
        return
    assert name.startswith("t")
    assert isinstance(arguments, dict)
    assert end <= len(text) + 6
