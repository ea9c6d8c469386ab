"""Counting by pattern: exact, bounded, nothing lost."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.condenser import Condenser
from bot.diagnosis.lines import Severity

RECORDED = Path(__file__).parents[2] / "fixtures" / "tpu_logs"
PIECES = [
    "INFO 11-02 03:04:05 [a.py:1] step 12 done",
    "ERROR 11-02 03:04:06 [a.py:2] disk 3 failed",
    "Traceback (most recent call last):",
    '  File "a.py", line 3, in f',
    "ValueError: no",
    "",
    "plain words",
]


def accounted(condenser: Condenser) -> int:
    patterns = condenser.patterns()
    return sum(p.count for p in patterns) + condenser.blank_lines + condenser.trace_lines + condenser.left_out.lines


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_every_line_is_in_exactly_one_place(log: list[str]) -> None:
    condenser = Condenser()
    condenser.add_many(log)
    assert accounted(condenser) == len(log)


def test_counts_times_and_examples_are_exact() -> None:
    condenser = Condenser()
    condenser.add_many(f"ERROR 11-02 03:{i // 60:02d}:{i % 60:02d} [a.py:2] disk {i} failed" for i in range(100))
    (pattern,) = condenser.patterns()
    assert (pattern.count, pattern.template, pattern.severity) == (100, "disk <*> failed", Severity.ERROR)
    assert (pattern.first.line_number, pattern.first.time) == (1, "11-02 03:00:00")
    assert (pattern.last.line_number, pattern.last.time) == (100, "11-02 03:01:39")
    assert pattern.example == "disk 0 failed"
    assert pattern.one_in == 1.0
    assert len(pattern.variants) == 20


def test_what_comes_up_in_the_second_half_is_new_and_a_steady_event_is_not() -> None:
    condenser = Condenser()
    for i in range(1_000):
        condenser.add("steady 1 beat")
        if i >= 800:
            condenser.add("a new thing happened")
    by_name = {p.template: p for p in condenser.patterns()}
    assert by_name["a new thing happened"].is_new
    assert not by_name["steady <*> beat"].is_new
    assert 0.3 < by_name["steady <*> beat"].later_share < 0.7


def test_a_trace_is_one_event_named_by_its_cause() -> None:
    condenser = Condenser()
    condenser.add_many((RECORDED / "v5e1_qwix_fail_excerpt.log").read_text().splitlines())
    errors = [p for p in condenser.patterns() if p.severity >= Severity.ERROR]
    assert any(p.example.startswith("ValueError: There is no module") for p in errors)
    assert not any("File " in p.example for p in errors)
    assert accounted(condenser) == condenser.lines


def test_memory_is_flat_and_a_storm_of_noise_does_not_push_out_an_error() -> None:
    rnd = random.Random(5)
    words = [f"{a}{b}" for a in "qwertzuiopasdfgh" for b in ("on", "er", "is", "um", "ar")]
    condenser = Condenser(max_patterns=200)
    condenser.add("ERROR 11-02 03:04:06 [a.py:2] the one that matters failed")
    sizes = []
    for i in range(8_000):
        condenser.add("INFO 11-02 03:04:05 [a.py:1] " + " ".join(rnd.choices(words, k=7)))
        if i in {3_999, 7_999}:
            sizes.append(condenser.size())
    assert any(p.example == "the one that matters failed" for p in condenser.patterns())
    assert condenser.left_out.patterns > 4_000
    assert accounted(condenser) == 8_001
    assert sizes[1] < 1.7 * sizes[0] < 120_000
