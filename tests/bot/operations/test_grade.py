"""How a deployment stands, as a table of sentences."""

from dataclasses import replace

import pytest

from bot.nouns import Histogram, MachineState, RequestState, Usual
from bot.operations.grade import SHAPES, Grade, Signs, first_token_s, grade, slow_above_s
from tests.doubles.ports import NOW
from tests.doubles.sights import asked_for, first_tokens, machine, minute, scrape

NOTHING = Signs(answers=None, sample=None, window=None, usual=None, machine=None, request=None, machine_known=False)
LISTED = replace(NOTHING, machine_known=True)
SERVES = replace(NOTHING, answers=True, sample=scrape(running=4, waiting=0, kv_cache_usage=0.1))
USUAL, QUICK = (Usual(first_token_s=usual, windows=12, since=NOW) for usual in (0.4, 0.2))

FULL = replace(SERVES, sample=scrape(running=14, waiting=23, kv_cache_usage=0.97))
ROOMY = replace(SERVES, sample=scrape(running=14, waiting=2, kv_cache_usage=0.5))

SENTENCES = [
    ("it answers and has requests", SERVES, Grade.READY),
    ("it answers and nobody asks it", replace(SERVES, sample=scrape(running=0, waiting=0)), Grade.IDLE),
    ("it answers, but how many run is unknown", replace(SERVES, sample=scrape(waiting=0)), Grade.READY),
    ("it answers, but how many wait is unknown", replace(SERVES, sample=scrape(running=0)), Grade.READY),
    ("it answers and its metrics do not", replace(SERVES, sample=None), Grade.READY),
    ("nothing runs now, but first tokens were seen", replace(SERVES, sample=scrape(running=0, waiting=0), window=minute(0, 0.4)),
     Grade.READY),
    ("first tokens take as long as usual", replace(SERVES, window=minute(0, 0.4), usual=USUAL), Grade.READY),
    ("first tokens take seven times the usual", replace(SERVES, window=minute(0, 2.9), usual=USUAL), Grade.SLOW),
    ("four times the usual, but below a second", replace(SERVES, window=minute(0, 0.8), usual=QUICK), Grade.READY),
    ("two seconds are not slow where nothing is usual yet", replace(SERVES, window=minute(0, 2.0)), Grade.READY),
    ("more than two seconds are slow where nothing is usual yet", replace(SERVES, window=minute(0, 2.1)), Grade.SLOW),
    ("requests wait and the cache is full", FULL, Grade.FULL),
    ("requests wait with room in the cache", ROOMY, Grade.READY),
    ("requests wait and the cache is unknown", replace(SERVES, sample=scrape(running=14, waiting=2)), Grade.READY),
    ("the engine says it is not healthy", replace(NOTHING, answers=False), Grade.DOWN),
    ("it is not healthy though its machine is well", replace(LISTED, answers=False, machine=machine()), Grade.DOWN),
    ("nothing is known", NOTHING, Grade.SILENT),
    ("the engine is silent on a machine that is ready", replace(LISTED, machine=machine()), Grade.SILENT),
    ("the engine is silent on a machine in an unknown state", replace(LISTED, machine=machine(state=MachineState.UNKNOWN)),
     Grade.SILENT),
    ("the machine is being made", replace(LISTED, machine=machine(state=MachineState.CREATING)), Grade.BOOTING),
    ("the machine was taken away", replace(LISTED, machine=machine(state=MachineState.LOST)), Grade.NO_MACHINE),
    ("the machine is stopped", replace(LISTED, machine=machine(state=MachineState.STOPPED)), Grade.NO_MACHINE),
    ("there is no machine and no request", LISTED, Grade.NO_MACHINE),
    ("the request waits", replace(LISTED, request=asked_for(RequestState.WAITING)), Grade.QUEUED),
    ("the request was just made", replace(LISTED, request=asked_for(RequestState.CREATING)), Grade.QUEUED),
    ("the request was granted", replace(LISTED, request=asked_for(RequestState.PROVISIONING)), Grade.BOOTING),
    ("the request failed", replace(LISTED, request=asked_for(RequestState.FAILED)), Grade.NO_MACHINE),
]  # fmt: skip


@pytest.mark.parametrize(("signs", "word"), [pytest.param(s, w, id=f"{t}: {w}") for t, s, w in SENTENCES])
def test_the_same_signs_give_the_same_word(signs: Signs, word: Grade) -> None:
    assert grade(signs) is word


def test_every_word_has_a_shape() -> None:
    assert set(SHAPES) == set(Grade)


@pytest.mark.parametrize(("usual", "bar"), [(None, 2.0), (0.1, 1.0), (0.4, pytest.approx(1.2)), (2.0, 6.0)])
def test_slow_is_three_times_the_usual_and_never_below_a_second(usual: float | None, bar: float) -> None:
    known = None if usual is None else Usual(first_token_s=usual, windows=6, since=NOW)
    assert slow_above_s(known) == bar


def test_a_first_token_that_nobody_measured_is_unknown() -> None:
    assert first_token_s(None) is None
    assert first_token_s(minute(0, None)) is None


def test_a_median_above_all_bounds_counts_as_the_last_bound() -> None:
    beyond = Histogram(buckets=((1.0, 0), (20.0, 1), (float("inf"), 10)), sum=500, count=10)
    assert first_token_s(minute(0, None).model_copy(update={"histograms": {"ttft": beyond}})) == 20.0


def test_the_median_is_read_off_the_buckets() -> None:
    assert first_tokens(0.4).count == 100
    assert first_token_s(minute(0, 0.4)) == pytest.approx(0.4)
