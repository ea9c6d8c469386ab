"""Our own log and the libraries': one line each, and no secret in it however deep it lies."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.log import configure

SECRET = "hf" + "_" + "QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Put back what `configure` changes for the whole process."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


def test_secrets_are_hidden_in_every_value_however_deep(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info")
    structlog.get_logger().info("said", why=f"token {SECRET}", parts=[{"key": (SECRET, 7)}], error=ValueError(SECRET), n=3)
    printed = capsys.readouterr().err
    assert SECRET not in printed
    logged = json.loads(printed)
    assert (logged["event"], logged["level"], logged["n"], logged["parts"][0]["key"][1]) == ("said", "info", 3, 7)
    assert printed.count("[hidden: Hugging Face token]") == 3


def test_secrets_are_hidden_in_tracebacks(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info")
    try:
        raise ValueError(SECRET)
    except ValueError:
        structlog.get_logger().exception("failed")
        logging.getLogger("some.library").exception("failed with %s", SECRET)
    printed = capsys.readouterr().err
    assert "ValueError" in printed
    assert SECRET not in printed


@pytest.mark.parametrize("name", ["slack_bolt", "slack_sdk", "httpx", "openai", "google"])
def test_libraries_that_log_whole_bodies_are_quiet_at_every_level(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    configure("debug")
    logging.getLogger(name).info("a whole conversation")
    logging.getLogger(name).debug("a whole conversation")
    assert capsys.readouterr().err == ""
