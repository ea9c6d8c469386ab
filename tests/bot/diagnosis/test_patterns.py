"""Grouping of lines: what belongs together, that nothing changes afterwards, and that memory is bounded."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.diagnosis.patterns import Grouper, group

WORDS = [
    "failed",
    "opened",
    "user",
    "for",
    "root",
    "alice",
    "10.0.0.1",
    "port=22",
    "blk_77",
    "RUNNING",
    "a/b/c",
    "(3",
    "KB)",
    "Jul",
    "x.y",
]
lines = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=40)


@given(lines, st.integers(0, 40))
def test_the_group_of_a_line_never_changes_with_what_comes_after_it(log: list[str], k: int) -> None:
    assert group(log)[:k] == group(log[:k])


@given(lines)
def test_grouping_is_repeatable_and_equal_lines_share_a_group(log: list[str]) -> None:
    groups = group(log)
    assert groups == group(log)
    assert len(groups) == len(log)
    assert all(groups[log.index(line)] == number for line, number in zip(log, groups, strict=True))


@pytest.mark.parametrize(
    "log",
    [
        ["Failed password for root from 10.0.0.1 port 22", "Failed password for alice from 10.0.0.2 port 4022"],
        ["session opened for user news by (uid=0)", "session opened for user cyrus by (uid=509)"],
        ["Registering class a.b.C for class d.e.F", "Registering class a.x.Y for class d.e.Z"],
        ["invalid user 0 from 5.6.7.8", "invalid user admin from 5.6.7.9"],
    ],
)
def test_lines_that_differ_in_a_value_are_one_group(log: list[str]) -> None:
    assert len(set(group(log))) == 1


@pytest.mark.parametrize(
    "log",
    [
        ["task 1 went from NEW to RUNNING", "task 1 went from RUNNING to FAILED"],
        ["machine 7 started again", "machine 7 stopped again"],
        ["the job-jar file on the remote disk", "the job-conf file on the remote disk"],
        ["failed to open the socket of 10.0.0.1", "failed to close the socket of 10.0.0.1"],
        ["timeout waiting for checkpoint", "timeout waiting for socket"],
        ["a", "b"],
    ],
)
def test_lines_that_differ_in_what_happened_are_different_groups(log: list[str]) -> None:
    assert len(set(group(log))) == 2


def test_the_frames_of_a_trace_belong_to_the_line_that_opened_it() -> None:
    log = ["Traceback (most recent call last):", '  File "a.py", line 3, in f', '  File "b.py", line 9, in g', "ValueError: no"]
    first, second, third, last = group(log)
    assert first == second == third != last


def test_a_line_of_one_megabyte_is_no_burden() -> None:
    assert group(["a=" * 500_000, "(" * 1_000_000, "x" * 1_000_000, '"' * 1_000_000, "1:" * 500_000]) == [0, 1, 2, 3, 4]


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 1000))
def test_memory_is_bounded_however_many_kinds_of_lines_come(seed: int) -> None:
    rnd = random.Random(seed)
    grouper = Grouper(max_groups=100)
    for _ in range(2_000):
        grouper.group_of(" ".join(rnd.choices(["red", "green", "blue", "cold", "warm", "slow", "fast", "up", "down"], k=6)))
    assert grouper.forgotten > 0
    assert grouper.size() < 100 * 2 + 9 + 100 * 2 + 2_000
    assert len(grouper._templates) <= 100


def test_a_forgotten_group_is_a_new_group_when_it_comes_again() -> None:
    grouper = Grouper(max_groups=10)
    first = grouper.group_of("a line of its own kind")
    for i in range(26):
        grouper.group_of(f"{chr(97 + i)}{chr(97 + i)} something quite different")
    assert grouper.group_of("a line of its own kind") > first
    with pytest.raises(KeyError):
        grouper.template(first)
