"""Bodies of a real server, and what others send in their place."""

from pathlib import Path

import pytest

from bot.model.answers import listed_models, said_version
from bot.nouns import ServedModel

RECORDED = Path(__file__).parents[2] / "fixtures" / "vllm" / "tiny_gemma4"


def test_the_recorded_models_are_listed_with_window_and_root() -> None:
    listed = listed_models((RECORDED / "models.json").read_bytes())
    assert listed == (ServedModel(id="tiny-gemma4", root="tiny-gemma4", context=2048),)


def test_models_without_window_or_root_are_listed_without() -> None:
    assert listed_models(b'{"data":[{"id":"a"},{"id":"b","root":null,"max_model_len":null}]}') == (
        ServedModel(id="a"),
        ServedModel(id="b"),
    )


def test_a_server_that_lists_nothing_lists_nothing() -> None:
    assert listed_models(b'{"data":[]}') == ()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"data":{}}',
        b'{"data":[{}]}',
        b'{"data":[{"id":7}]}',
        b'{"data":[{"id":"a","max_model_len":"2048"}]}',
        b"\xff",
    ],
)
def test_other_bodies_are_not_taken_for_models(body: bytes) -> None:
    assert listed_models(body) is None


def test_the_recorded_version_is_read() -> None:
    assert said_version((RECORDED / "version.json").read_bytes()) == "0.32.0"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"version":32}', b'{"version":""}', b"<html>", b'"0.32.0"'])
def test_a_version_that_is_not_said_is_unknown(body: bytes) -> None:
    assert said_version(body) is None
