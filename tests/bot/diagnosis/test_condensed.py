"""The condensed text: all rare errors, counted rest, bounded length, nothing secret."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.diagnosis import condense
from bot.diagnosis.token_bound import token_bound

NAMES = (
    "scheduler tokenizer sampler allocator compiler router loader profiler checkpoint mesh shard cache prefetcher listener "
    "supervisor watchdog registry exporter balancer journal"
)
PARTS = NAMES.split()
WHAT = ["lost its lease", "ran out of slots", "returned garbage", "could not open the socket"]


def noise(count: int, seed: int) -> list[str]:
    rnd = random.Random(seed)
    steps = [
        "request {} finished in {} ms",
        "GET /v1/models {} in {}",
        "block {} freed after {} steps",
        "cache hit {} of {}",
        "retry {} failed after {}",
    ]
    return [
        f"INFO 11-02 03:{i % 60:02d}:00 [a.py:{i % 7}] " + rnd.choice(steps).format(rnd.randrange(10**6), i) for i in range(count)
    ]


@pytest.mark.parametrize(
    "plant",
    [
        lambda i, part: (
            f"(EngineCore pid=7) ERROR 11-02 03:04:05 [{part}.py:{i}] {part} {WHAT[i % 4]}: code {1000 + i} for cmpl-{i:08x}"
        ),
        lambda i, part: f"2026-11-02T03:04:05Z kernel: {part} failed with errno {i}",
        lambda i, part: f"ERROR number {i} of its kind",
    ],
)
def test_twenty_errors_that_occur_once_in_a_long_log_are_all_in_the_text(plant: Callable[[int, str], str]) -> None:
    planted = [plant(i, part) for i, part in enumerate(PARTS)]
    log = noise(20_000, 1)
    rnd = random.Random(2)
    for line in planted:
        log.insert(rnd.randrange(len(log)), line)
    condensed = condense(log)
    for i, line in enumerate(planted):
        message = line.rpartition("] ")[2] if "] " in line else line.rpartition("kernel: ")[2]
        assert message[:40] in condensed.text or f", {i}" in condensed.text or f"[{i}," in condensed.text
    assert token_bound(condensed.text) <= 2_000


def test_what_is_left_out_is_counted() -> None:
    log = [f"{a}{b} happened quietly to {c}" for a in PARTS for b in PARTS for c in ("it", "them")]
    condensed = condense(log)
    left = len(condensed.patterns) - len(condensed.shown)
    lines = sum(p.count for p in condensed.patterns) - sum(p.count for p in condensed.shown)
    assert left > 0
    assert condensed.text.endswith(f"and {left:,} more patterns, {lines:,} lines")


def test_an_empty_log_says_so() -> None:
    assert condense([]).text == "0 lines, 0 patterns: nothing but blank lines"


def test_secrets_and_conversations_are_hidden_and_control_characters_gone() -> None:
    token = "hf_" + "aB3" * 12
    text = condense([f"ERROR bad token {token}\x07\u202e", "ERROR Received request 1: prompt: 'dear diary', params: None"]).text
    assert token not in text
    assert "diary" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=120), max_size=60), st.integers(200, 2_000))
def test_the_text_stays_under_its_bound_whatever_the_lines_hold(log: list[str], bound: int) -> None:
    condensed = condense(log, bound)
    assert token_bound(condensed.text) <= bound
    assert condensed.lines == len(log)


def test_the_most_frequent_errors_come_before_the_rare_ones_and_both_before_the_rest() -> None:
    log = ["ERROR the common one failed"] * 50 + ["ERROR a rare one broke"] + ["INFO all fine"] * 500
    order = [p.template for p in condense(log).shown]
    assert order == ["the common one failed", "a rare one broke", "all fine"]
