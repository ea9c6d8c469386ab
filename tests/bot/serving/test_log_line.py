"""One log line taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.serving.log_line import split


@pytest.mark.parametrize(
    ("raw", "process", "level", "stamp", "text"),
    [
        ("(EngineCore pid=327) INFO 08-10 17:56:01 [tpu_worker.py:557] Memory", "EngineCore", "INFO", "08-10 17:56:01", "Memory"),
        ("INFO 08-10 17:53:38 [__init__.py:76] TPU info", None, "INFO", "08-10 17:53:38", "TPU info"),
        (
            "(APIServer pid=1) INFO:     Application startup complete.",
            "APIServer",
            None,
            None,
            "INFO:     Application startup complete.",
        ),
        (
            "\x1b[0;36m(EngineCore_DP0 pid=9)\x1b[0;0m ERROR 01-02 03:04:05 [core.py:1] x",
            "EngineCore_DP0",
            "ERROR",
            "01-02 03:04:05",
            "x",
        ),
        ("(Worker_TP3 pid=12) WARNING 01-02 03:04:05 [a.py:1] x", "Worker_TP3", "WARNING", "01-02 03:04:05", "x"),
        (
            "(RayWorkerWrapper pid=12, ip=10.0.0.7) INFO 01-02 03:04:05 [a.py:1] x",
            "RayWorkerWrapper",
            "INFO",
            "01-02 03:04:05",
            "x",
        ),
        ("plain words", None, None, None, "plain words"),
        ("", None, None, None, ""),
    ],
)
def test_prefix_time_and_text_come_apart(raw: str, process: str | None, level: str | None, stamp: str | None, text: str) -> None:
    line = split(raw)
    assert (line.process, line.level, line.stamp, line.text) == (process, level, stamp, text)


def test_a_time_that_docker_wrote_brings_the_year() -> None:
    line = split("2026-08-10T17:53:38.123456789Z (APIServer pid=1) INFO 08-10 17:53:37 [a.py:1] words")
    assert (line.year, line.stamp, line.process, line.text) == (2026, "08-10 17:53:38", "APIServer", "words")


@given(st.text())
def test_any_text_comes_apart(raw: str) -> None:
    assert len(split(raw).text) <= len(raw)
