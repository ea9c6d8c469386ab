"""Counters move with the clock, and only with it and real calls."""

from datetime import UTC, datetime, timedelta

import pytest

from sandbox.vllm.engine_model import AT_MOST, CacheShape, EngineModel, Observations
from sandbox.vllm.exposition import bucket_edges, recorded_families
from sandbox.vllm.recorded import recorded
from sandbox.vllm.scenarios import BUSY, IDLE, QUIET, SATURATED, Scenario

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
EDGES = bucket_edges(recorded_families(recorded("metrics_idle.txt")), 65_536)


def model(scenario: Scenario = QUIET) -> EngineModel:
    """A fresh engine."""
    return EngineModel(START, EDGES, CacheShape(), scenario)


def counted(engine: EngineModel, name: str) -> float:
    """A counter summed over its labels."""
    return sum(value for (counter, _), value in engine.counters.items() if counter == name)


def test_an_observation_falls_into_the_first_bucket_that_it_does_not_exceed() -> None:
    seen = Observations((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 2.0, 9.0):
        seen.observe(value)
    seen.observe(1.2, times=3)
    assert seen.counts == [2, 5, 1]
    assert seen.total == pytest.approx(17.6)


def test_nothing_moves_while_the_clock_stands() -> None:
    engine = model(SATURATED)
    engine.advance(START)
    assert not any(engine.counters.values())


@pytest.mark.parametrize("scenario", [QUIET, BUSY, SATURATED], ids=lambda s: s.name)
def test_requests_finish_at_the_scenarios_rate_whatever_the_steps(scenario: Scenario) -> None:
    fine, coarse = model(scenario), model(scenario)
    for step in range(1, 601):
        fine.advance(START + timedelta(seconds=step / 2))
    coarse.advance(START + timedelta(seconds=300))
    due = scenario.requests_per_s * 300
    for engine in (fine, coarse):
        assert counted(engine, "request_success") == pytest.approx(due, abs=1)
        assert sum(engine.histograms["time_to_first_token_seconds"].counts) == counted(engine, "request_success")


def test_a_clock_that_goes_back_takes_nothing_back() -> None:
    engine = model(BUSY)
    engine.advance(START + timedelta(seconds=60))
    before = dict(engine.counters)
    engine.advance(START + timedelta(seconds=30))
    engine.advance(START + timedelta(seconds=60))
    assert dict(engine.counters) == before


def test_ten_days_at_once_are_worked_out_by_representatives_and_lose_no_request() -> None:
    engine = model(BUSY)
    engine.advance(START + timedelta(days=10))
    assert engine.worked_out == AT_MOST
    assert counted(engine, "request_success") == pytest.approx(BUSY.requests_per_s * 864_000, abs=1)


def test_tokens_add_up() -> None:
    engine = model(BUSY)
    engine.advance(START + timedelta(seconds=600))
    assert (
        counted(engine, "prompt_tokens_by_source") == counted(engine, "prompt_tokens") == counted(engine, "prefix_cache_queries")
    )
    assert 0 < counted(engine, "prefix_cache_hits") < counted(engine, "prefix_cache_queries")
    assert engine.histograms["request_prompt_tokens"].total == counted(engine, "prompt_tokens")
    assert engine.histograms["request_generation_tokens"].total == counted(engine, "generation_tokens")


def test_the_saturated_hour_is_full_and_preempts_and_others_do_not() -> None:
    full, quiet = model(SATURATED), model(QUIET)
    for engine in (full, quiet):
        engine.advance(START + timedelta(seconds=300))
    assert full.gauges()["num_requests_running"] == 14
    assert full.gauges()["num_requests_waiting"] == 23
    assert round(full.gauges()["kv_cache_usage_perc"], 2) == 0.97
    assert counted(full, "num_preemptions") == 33
    assert counted(quiet, "num_preemptions") == 0


def test_a_restart_starts_at_nought_and_calls_from_before_count_for_nothing() -> None:
    engine = model(BUSY)
    engine.advance(START + timedelta(seconds=60))
    call = engine.begin(10, START)
    later = START + timedelta(seconds=90)
    engine.restart(later)
    engine.finish(call, answer_tokens=5, reason="stop", first_token=later, now=later)
    assert engine.started == later
    assert not any(engine.counters.values())


def test_a_real_call_runs_holds_cache_and_is_counted_with_its_times() -> None:
    engine = model(IDLE)
    call = engine.begin(1000, START)
    assert engine.gauges() == {"num_requests_running": 1, "num_requests_waiting": 0, "kv_cache_usage_perc": 8 / 526}
    first, last = START + timedelta(seconds=0.3), START + timedelta(seconds=1.3)
    engine.finish(call, answer_tokens=11, reason="length", first_token=first, now=last)
    assert engine.gauges()["num_requests_running"] == 0
    assert engine.counters["request_success", (("finished_reason", "length"),)] == 1
    assert counted(engine, "generation_tokens") == 11
    assert engine.histograms["time_to_first_token_seconds"].total == pytest.approx(0.3)
    assert engine.histograms["e2e_request_latency_seconds"].total == pytest.approx(1.3)
    assert sum(engine.histograms["inter_token_latency_seconds"].counts) == 10


def test_a_call_that_was_given_up_before_its_first_token_has_no_times() -> None:
    engine = model(IDLE)
    engine.finish(engine.begin(10, START), answer_tokens=0, reason="abort", first_token=None, now=START)
    assert engine.counters["request_success", (("finished_reason", "abort"),)] == 1
    assert sum(engine.histograms["time_to_first_token_seconds"].counts) == 0
