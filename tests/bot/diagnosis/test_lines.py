"""Headers of log lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.lines import Severity, parse


@pytest.mark.parametrize(
    ("raw", "message", "severity", "time", "stream"),
    [
        (
            '(EngineCore pid=187) ERROR 08-07 20:43:46 [core.py:1349]   File "a.py", line 3, in f',
            '  File "a.py", line 3, in f',
            Severity.ERROR,
            "08-07 20:43:46",
            "(EngineCore pid=187)core.py:1349",
        ),
        (
            "(APIServer pid=1) INFO:     Application startup complete.",
            "Application startup complete.",
            Severity.INFO,
            None,
            "(APIServer pid=1)",
        ),
        ("WARNING 08-10 17:53:38 [a.py:4] slow", "slow", Severity.WARNING, "08-10 17:53:38", "a.py:4"),
        (
            "2026-11-02T03:04:05.123456789Z stdout F ERROR it broke",
            "it broke",
            Severity.ERROR,
            "2026-11-02T03:04:05.123456789Z",
            "",
        ),
        ("E1102 03:04:05.123456  187 tpu.cc:12] bad chip", "bad chip", Severity.ERROR, "03:04:05.123456", "tpu.cc:12"),
        ("2026-11-02 03:04:05,123 - vllm.core - WARNING - low", "low", Severity.WARNING, "2026-11-02 03:04:05,123", "vllm.core"),
        (
            "Nov  2 03:04:05 host kernel: Out of memory: Killed process 1",
            "Out of memory: Killed process 1",
            Severity.CRITICAL,
            "Nov  2 03:04:05",
            "kernel",
        ),
        ("\x1b[36m(Worker pid=3)\x1b[0m done", "done", Severity.INFO, None, "(Worker pid=3)"),
        (
            'INFO:     1.2.3.4:5 - "POST /v1 HTTP/1.1" 500 Internal',
            '1.2.3.4:5 - "POST /v1 HTTP/1.1" 500 Internal',
            Severity.ERROR,
            None,
            "",
        ),
        ("0 errors, all good", "0 errors, all good", Severity.INFO, None, ""),
        ("", "", Severity.INFO, None, ""),
    ],
)
def test_headers_of_the_known_kinds_are_taken_off(
    raw: str, message: str, severity: Severity, time: str | None, stream: str
) -> None:
    line = parse(raw)
    assert (line.message, line.severity, line.time, line.stream) == (message, severity, time, stream)


@given(st.text(max_size=200))
def test_any_text_can_be_parsed_and_its_message_is_its_end(raw: str) -> None:
    assert raw.rstrip("\r\n").endswith(parse(raw).message) or "\x1b" in raw


def test_a_hostile_line_of_one_megabyte_is_parsed() -> None:
    for piece in ("(A pid=", "INFO ", "error", "\x1b[", "2026-11-02T", "[a.py:"):
        parse(piece * (1_000_000 // len(piece)))
