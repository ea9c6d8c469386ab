"""The text is the recorded one but for the figures, and the real parser reads it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from sandbox.vllm.engine_model import CacheShape, EngineModel
from sandbox.vllm.exposition import Exposition, bucket_edges, one_two_five, recorded_families
from sandbox.vllm.scenarios import BUSY, IDLE, Scenario

RECORDED = (Path(__file__).parents[2] / "fixtures" / "vllm" / "tiny_gemma4" / "metrics_idle.txt").read_text()
START = datetime.fromtimestamp(1796060711.32, UTC)
MOVING = re.compile(r"_created|process_cpu|kv_cache_memory_bytes")
"""Rows that differ: times of creation, CPU used, and the cache of another machine."""


def rendered(
    scenario: Scenario, seconds: float = 0, model: str = "tiny-gemma4", window: int = 2048, calls: int = 0
) -> tuple[str, EngineModel]:
    """The text after so many seconds, and the engine behind it."""
    families = recorded_families(RECORDED)
    engine = EngineModel(START, bucket_edges(families, window), CacheShape(16_384, 128), scenario)
    now = START + timedelta(seconds=seconds)
    engine.advance(now)
    counted = {("/v1/models", "GET", "2xx"): calls} if calls else {}
    return Exposition(families, model, window).render(engine, now, counted).decode(), engine


def test_an_idle_engine_reads_as_the_recorded_one_line_by_line() -> None:
    text, _ = rendered(IDLE)
    mine, real = text.splitlines(), RECORDED.splitlines()
    assert len(mine) == len(real)
    differing = [(a, b) for a, b in zip(mine, real, strict=True) if a != b and not MOVING.search(b)]
    assert differing == []


def test_the_families_stay_the_recorded_ones_under_load_and_with_another_window() -> None:
    text, _ = rendered(BUSY, 3600, "google/gemma-4-31B-it", 65_536, calls=3)
    mine = {family.name: family.type for family in text_string_to_metric_families(text)}
    assert mine == {family.name: family.type for family in text_string_to_metric_families(RECORDED)}
    assert "tiny-gemma4" not in text


def test_every_histogram_is_cumulative_and_ends_with_its_count() -> None:
    text, engine = rendered(BUSY, 3600)
    for family in text_string_to_metric_families(text):
        if family.name.removeprefix("vllm:") in engine.histograms:
            counts = [s.value for s in family.samples if s.name.endswith("_bucket")]
            (count,) = (s.value for s in family.samples if s.name.endswith("_count"))
            assert counts == sorted(counts), family.name
            assert counts[-1] == count, family.name


def test_answered_calls_are_counted_by_handler() -> None:
    text, _ = rendered(IDLE, calls=3)
    assert 'http_requests_total{handler="/v1/models",method="GET",status="2xx"} 3.0' in text.splitlines()


def test_large_figures_are_written_as_the_real_server_writes_them() -> None:
    text, _ = rendered(BUSY, 86_400)
    row = next(row for row in text.splitlines() if row.startswith("vllm:prompt_tokens_total{"))
    assert re.fullmatch(r'vllm:prompt_tokens_total\{engine="0",model_name="tiny-gemma4"\} \d\.\d+e\+08', row)


def test_edges_of_lengths_follow_the_window_as_recorded() -> None:
    recorded_edges = bucket_edges(recorded_families(RECORDED), 2048)["request_prompt_tokens"]
    assert recorded_edges == (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
    assert one_two_five(65_536)[-3:] == (10_000, 20_000, 50_000)
    assert f'request_prompt_tokens_bucket{{engine="0",le="{recorded_edges[-1]}"' in RECORDED


def test_a_name_with_quotes_is_escaped_so_that_the_parser_reads_it_back() -> None:
    name = 'my "best" \\ model'
    text, _ = rendered(IDLE, model=name)
    running = next(f for f in text_string_to_metric_families(text) if f.name == "vllm:num_requests_running")
    assert running.samples[0].labels["model_name"] == name
