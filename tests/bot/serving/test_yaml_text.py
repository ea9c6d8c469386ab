"""What we write as YAML is read back as it was, by a reader that we did not write."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.serving.yaml_text import yaml_text

LEAVES = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(10**9), 10**9), st.booleans(), st.none())
DATA = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.recursive(
        LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("abc", min_size=1), inner))
    ),
    max_size=4,
)


@given(DATA)
def test_whatever_it_is_it_comes_back(data):
    assert yaml.safe_load(yaml_text(data)) == data


@pytest.mark.parametrize(
    "word",
    [
        "yes",
        "NO",
        "on",
        "null",
        "~",
        "1",
        "1e3",
        "0x10",
        "1:30",
        "2026-12-01",
        "a: b",
        "- a",
        "#",
        "&a",
        "*a",
        "!x",
        "|",
        ">",
        "%",
    ],
)
def test_a_word_that_yaml_takes_for_something_else_stays_a_word(word):
    assert yaml.safe_load(yaml_text({"a": word, "b": [word]})) == {"a": word, "b": [word]}


def test_it_reads_like_a_manifest():
    said = yaml_text({"kind": "Service", "spec": {"ports": [{"name": "http", "port": 8000}, {"name": "other"}], "empty": {}}})
    assert said == ("kind: Service\nspec:\n  ports:\n    - name: http\n      port: 8000\n    - name: other\n  empty: {}\n")
