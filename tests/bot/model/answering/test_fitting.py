"""Names without quotes, values in the type of the schema."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.fitting import cleaned_names, fitted_to
from bot.nouns import Tool


def fitted(value: object, schema: dict[str, Any]) -> object:
    """The value of one property of this schema."""
    root = {"type": "object", "properties": {"x": schema}, "$defs": {"Size": {"enum": ["s", "l"], "type": "string"}}}
    made = fitted_to({"x": value}, root, root)
    assert isinstance(made, dict)
    return made["x"]


def test_the_recorded_call_in_json_style_loses_the_quotes_of_names_and_values(parser_cases: dict[str, Any]) -> None:
    (call,) = parser_cases["call_json_style"]["nonstream"][2]
    assert cleaned_names(json.loads(call["arguments"])) == {"namespace": "default"}


def test_quotes_go_at_all_depths_and_only_where_the_name_had_them() -> None:
    assert cleaned_names({'"a"': {"'b'": ['"x"', "y"]}, "said": '"yes"'}) == {"a": {"b": ["x", "y"]}, "said": '"yes"'}


def test_leaked_quote_tokens_go_from_names_and_values() -> None:
    assert cleaned_names({'<|"|>ns<|"|>': '<|"|>prod<|"|>', "q": 'say <|"|>hi<|"|> now'}) == {"ns": "prod", "q": 'say "hi" now'}
    assert cleaned_names({"ns": '<|"|>prod<|"|>'}) == {"ns": "prod"}


def test_of_two_names_that_become_one_the_first_counts() -> None:
    assert cleaned_names({"a": 1, '"a"': 2}) == {"a": 1}


@pytest.mark.parametrize(
    ("value", "schema", "becomes"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.0", {"type": "integer"}, 5),
        (5.0, {"type": "integer"}, 5),
        ("1.5", {"type": "number"}, 1.5),
        ("true", {"type": "boolean"}, True),
        ("False", {"type": "boolean"}, False),
        (5, {"type": "string"}, "5"),
        ("007", {"type": "string"}, "007"),
        ("null", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, None),
        ("12", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 12),
        ("12", {"type": ["null", "integer"]}, 12),
        ("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "null"),
        ('["a", "b"]', {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        (["1", 2], {"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ('{"n": "1"}', {"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": 1}),
        ({"a": "1.5"}, {"type": "object", "additionalProperties": {"type": "number"}}, {"a": 1.5}),
        ({"a": "1.5"}, {"type": "object"}, {"a": "1.5"}),
        ("s", {"$ref": "#/$defs/Size"}, "s"),
    ],
)
def test_a_value_takes_the_type_that_the_schema_asks_for(value: object, schema: dict[str, Any], becomes: object) -> None:
    made = fitted(value, schema)
    assert made == becomes
    assert type(made) is type(becomes)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("many", {"type": "integer"}),
        ("5.5", {"type": "integer"}),
        (5.5, {"type": "integer"}),
        (True, {"type": "integer"}),
        ("NaN", {"type": "number"}),
        ("Infinity", {"type": "number"}),
        ("yes", {"type": "boolean"}),
        (1, {"type": "boolean"}),
        ("a, b", {"type": "array"}),
        (["a"], {"type": "string"}),
        ("9" * 5000, {"type": "integer"}),
        (None, {"type": "string"}),
        ("x", {}),
    ],
)
def test_what_cannot_be_read_as_the_type_stays_for_the_check_to_name(value: object, schema: dict[str, Any]) -> None:
    assert fitted(value, schema) is value


def test_the_recorded_object_within_an_argument_gets_its_number_back(parser_cases: dict[str, Any], get_pods: Tool) -> None:
    (call,) = parser_cases["call_rich"]["nonstream"][2]
    raw = json.loads(call["arguments"])
    assert raw["labels"]["n"] == "1.5"
    made = fitted_to(raw, get_pods.parameters, get_pods.parameters)
    assert made["labels"] == {"app": 'a "b" {c}', "n": 1.5}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(JSON, st.sampled_from(["integer", "number", "string", "boolean", "array", "object", "null"]))
def test_fitting_twice_is_fitting_once(value: object, kind: str) -> None:
    once = fitted(value, {"type": kind})
    assert fitted(once, {"type": kind}) == once
