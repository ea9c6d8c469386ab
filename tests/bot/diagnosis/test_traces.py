"""Traces among other lines."""

from bot.diagnosis.lines import parse
from bot.diagnosis.traces import Trace, TraceReader

AT = "(EngineCore pid=1) ERROR 11-02 03:04:05 [core.py:9] "


def read(log: list[str]) -> list[Trace]:
    reader = TraceReader()
    ended = [trace for number, raw in enumerate(log, 1) for trace in reader.read(number, parse(raw))[1]]
    return ended + reader.end()


def test_a_chain_is_one_trace_and_its_first_exception_is_the_cause() -> None:
    log = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    open()",
        "OSError: disk",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "b.py", line 2, in g',
        "RuntimeError: wrapped",
        "next line",
    ]
    (trace,) = read(log)
    assert (trace.cause.text, trace.cause.line_number, trace.cause.frame) == ("OSError: disk", 4, 'File "a.py", line 1, in f')
    assert [raised.text for raised in trace.raised] == ["OSError: disk", "RuntimeError: wrapped"]
    assert trace.lines == 10


def test_two_interleaved_writers_give_two_traces() -> None:
    one = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "ValueError: one"]
    log = [
        AT + one[0],
        "Traceback (most recent call last):",
        AT + one[1],
        '  File "z.py", line 7, in k',
        AT + one[2],
        "Process EngineCore:",
        "TypeError: two",
    ]
    assert sorted(trace.cause.text for trace in read(log)) == ["TypeError: two", "ValueError: one"]


def test_a_trace_without_its_exception_is_not_lost() -> None:
    (trace,) = read(["Traceback (most recent call last):", '  File "a.py", line 1, in f'])
    assert trace.cause.text == "Traceback cut off before its exception"


def test_no_more_than_32_traces_are_open_at_once() -> None:
    reader = TraceReader()
    ended = []
    for i in range(100):
        ended += reader.read(i + 1, parse(f"(Worker pid={i}) Traceback (most recent call last):"))[1]
    assert len(ended) == 68
    assert len(reader.end()) == 32


def test_an_endless_trace_is_broken_off() -> None:
    reader = TraceReader()
    reader.read(1, parse("Traceback (most recent call last):"))
    for number in range(2, 2_000):
        reader.read(number, parse('  File "a.py", line 1, in f'))
    assert not reader
