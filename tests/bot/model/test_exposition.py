"""Scrapes of real servers, older names, several engines, and text that is none."""

import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.exposition import UnreadableExposition, read_exposition
from bot.nouns import EngineSample, Histogram

RECORDED = Path(__file__).parents[2] / "fixtures" / "vllm"
AT = datetime(2026, 11, 30, 2, 38, tzinfo=UTC)


def recorded(name: str) -> str:
    """A scrape of a real vLLM 0.32.0."""
    return (RECORDED / name).read_text()


def series(name: str, kind: str, *samples: str) -> str:
    """One family as a server writes it."""
    return "\n".join([f"# HELP {name} words", f"# TYPE {name} {kind}", *samples]) + "\n"


def test_a_real_scrape_gives_every_canonical_name() -> None:
    sample = read_exposition(recorded("smollm2_135m/metrics_under_load.txt"), AT)
    assert sample.at == AT
    assert sample.model_name == "smollm2-135m"
    assert sample.gauges["running"] == 1
    assert sample.gauges["waiting"] == 0
    assert sample.gauges["waiting.capacity"] == 0
    assert 0 < sample.gauges["kv_cache_usage"] < 1
    assert sample.counters["prompt_tokens"] == 216
    assert sample.counters["requests_finished.stop"] == 3
    assert sample.counters["requests_finished.length"] == 2
    assert sample.counters["preemptions"] == 0
    assert {"prefix_cache_queries", "prefix_cache_hits", "generation_tokens"} <= sample.counters.keys()
    names = {"ttft", "itl", "e2e", "queue_time", "prompt_tokens_per_request", "generation_tokens_per_request"}
    assert names <= sample.histograms.keys()


def test_a_real_histogram_keeps_its_edges_sum_and_count() -> None:
    ttft = read_exposition(recorded("smollm2_135m/metrics_under_load.txt"), AT).histograms["ttft"]
    below = dict(ttft.buckets)
    assert below[0.25] == 0
    assert below[0.5] == 5
    assert below[math.inf] == ttft.count == 6
    assert 0 < ttft.sum < 6


def test_the_labels_of_the_cache_stay_text() -> None:
    cache = read_exposition(recorded("tiny_gemma4/metrics_idle.txt"), AT).cache_config
    assert cache["num_gpu_blocks"] == "16384"
    assert cache["kv_cache_size_tokens"] == "332222"
    assert cache["sliding_window"] == "None"
    assert "engine" not in cache


def test_the_start_of_the_process_is_read_and_creation_times_are_no_metrics() -> None:
    sample = read_exposition(recorded("tiny_gemma4/metrics_after.txt"), AT)
    assert sample.started_at == datetime.fromtimestamp(1796060711.32, UTC)
    assert not [name for name in (*sample.counters, *sample.gauges) if "created" in name]


def test_without_a_process_start_the_oldest_series_tells_of_a_restart() -> None:
    text = series("vllm:prompt_tokens_created", "gauge", "vllm:prompt_tokens_created 1796060749.5")
    assert read_exposition(text, AT).started_at == datetime.fromtimestamp(1796060749.5, UTC)


@pytest.mark.parametrize("start", ["NaN", "-5", "1e300", "+Inf"])
def test_a_start_that_is_no_time_is_unknown(start: str) -> None:
    text = series("process_start_time_seconds", "gauge", f"process_start_time_seconds {start}")
    assert (
        read_exposition(text + series("vllm:num_requests_running", "gauge", "vllm:num_requests_running 1"), AT).started_at is None
    )


def test_an_absent_metric_stays_absent_and_is_never_nought() -> None:
    sample = read_exposition(series("vllm:num_requests_running", "gauge", 'vllm:num_requests_running{engine="0"} 2'), AT)
    assert sample.gauges == {"running": 2}
    assert sample.counters == {}
    assert sample.histograms == {}
    assert sample.cache_config == {}
    assert sample.model_name is None
    assert sample.started_at is None


def test_a_value_that_is_no_number_is_unknown() -> None:
    text = series("vllm:kv_cache_usage_perc", "gauge", "vllm:kv_cache_usage_perc NaN")
    assert "kv_cache_usage" not in read_exposition(text, AT).gauges


def test_names_of_older_versions_are_understood() -> None:
    text = (
        series("vllm:gpu_cache_usage_perc", "gauge", 'vllm:gpu_cache_usage_perc{model_name="m"} 0.25')
        + series("vllm:gpu_prefix_cache_queries_total", "counter", 'vllm:gpu_prefix_cache_queries_total{model_name="m"} 40')
        + series("vllm:gpu_prefix_cache_hits_total", "counter", 'vllm:gpu_prefix_cache_hits_total{model_name="m"} 10')
        + series(
            "vllm:time_per_output_token_seconds",
            "histogram",
            'vllm:time_per_output_token_seconds_bucket{le="0.01",model_name="m"} 1',
            'vllm:time_per_output_token_seconds_bucket{le="+Inf",model_name="m"} 3',
            'vllm:time_per_output_token_seconds_count{model_name="m"} 3',
            'vllm:time_per_output_token_seconds_sum{model_name="m"} 0.2',
        )
    )
    sample = read_exposition(text, AT)
    assert sample.gauges["kv_cache_usage"] == 0.25
    assert sample.counters["prefix_cache_queries"] == 40
    assert sample.counters["prefix_cache_hits"] == 10
    assert sample.histograms["itl"] == Histogram(buckets=((0.01, 1), (math.inf, 3)), sum=0.2, count=3)


def test_when_both_names_are_there_the_newer_one_counts_and_nothing_is_counted_twice() -> None:
    text = series("vllm:gpu_cache_usage_perc", "gauge", "vllm:gpu_cache_usage_perc 0.1") + series(
        "vllm:kv_cache_usage_perc", "gauge", "vllm:kv_cache_usage_perc 0.9"
    )
    assert read_exposition(text, AT).gauges["kv_cache_usage"] == 0.9


def two_engines(*, edges: tuple[str, str] = ("0.5", "0.5")) -> str:
    """Data-parallel serving: every series twice."""
    rows = [
        row
        for engine, edge, low, high in (("0", edges[0], 2, 5), ("1", edges[1], 1, 4))
        for row in (
            f'vllm:time_to_first_token_seconds_bucket{{engine="{engine}",le="0.1"}} {low - 1}',
            f'vllm:time_to_first_token_seconds_bucket{{engine="{engine}",le="{edge}"}} {low}',
            f'vllm:time_to_first_token_seconds_bucket{{engine="{engine}",le="+Inf"}} {high}',
            f'vllm:time_to_first_token_seconds_count{{engine="{engine}"}} {high}',
            f'vllm:time_to_first_token_seconds_sum{{engine="{engine}"}} 1.5',
        )
    ]
    running = ('vllm:num_requests_running{engine="0"} 3', 'vllm:num_requests_running{engine="1"} 4')
    shares = ('vllm:kv_cache_usage_perc{engine="0"} 0.2', 'vllm:kv_cache_usage_perc{engine="1"} 0.95')
    return (
        series("vllm:time_to_first_token_seconds", "histogram", *rows)
        + series("vllm:num_requests_running", "gauge", *running)
        + series("vllm:kv_cache_usage_perc", "gauge", *shares)
    )


def test_engines_are_summed_and_of_cache_shares_the_fullest_counts() -> None:
    sample = read_exposition(two_engines(), AT)
    assert sample.gauges == {"running": 7, "kv_cache_usage": 0.95}
    assert sample.histograms["ttft"] == Histogram(buckets=((0.1, 1), (0.5, 3), (math.inf, 9)), sum=3.0, count=9)


def test_edges_that_only_one_engine_has_are_left_out_of_the_sum() -> None:
    ttft = read_exposition(two_engines(edges=("0.5", "0.6")), AT).histograms["ttft"]
    assert ttft.buckets == ((0.1, 1), (math.inf, 9))


def test_several_models_behind_one_address_have_no_one_name() -> None:
    rows = ('vllm:num_requests_running{model_name="a"} 1', 'vllm:num_requests_running{model_name="b"} 2')
    sample = read_exposition(series("vllm:num_requests_running", "gauge", *rows), AT)
    assert sample.model_name is None
    assert sample.gauges["running"] == 3


@pytest.mark.parametrize(
    "rows",
    [
        ('_bucket{le="1"} 5', '_bucket{le="+Inf"} 3', "_count 3", "_sum 1"),
        ('_bucket{le="1"} 1', "_count 1", "_sum 1"),
        ('_bucket{le="1"} 1', '_bucket{le="+Inf"} 2', "_count 3", "_sum 1"),
        ('_bucket{le="1"} NaN', '_bucket{le="+Inf"} 2', "_count 2", "_sum 1"),
        ('_bucket{le="one"} 1', '_bucket{le="+Inf"} 2', "_count 2", "_sum 1"),
        ('_bucket{le="1"} 1', '_bucket{le="+Inf"} 2', "_count 2", "_sum NaN"),
        ('_bucket{le="1"} 1', '_bucket{le="+Inf"} 2', "_count 2"),
    ],
    ids=["falls", "no infinity", "count differs", "not a number", "edge is a word", "sum is no number", "no sum"],
)
def test_what_is_no_histogram_is_unknown_and_the_rest_is_kept(rows: tuple[str, ...]) -> None:
    text = series("vllm:time_to_first_token_seconds", "histogram", *(f"vllm:time_to_first_token_seconds{row}" for row in rows))
    sample = read_exposition(text + series("vllm:num_requests_waiting", "gauge", "vllm:num_requests_waiting 23"), AT)
    assert "ttft" not in sample.histograms
    assert sample.gauges["waiting"] == 23


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("<html><body>It works!</body></html>\n", True),
        ("", True),
        (series("node_load1", "gauge", "node_load1 0.5"), True),
        (series("vllm:num_requests_running", "gauge", "vllm:num_requests_running 1")[:-1], False),
        (series("vllm:num_requests_running", "gauge", 'vllm:num_requests_running{engine="0" 1'), False),
        (series("vllm:num_requests_running", "gauge", "vllm:num_requests_running many"), False),
    ],
    ids=["a web page", "nothing", "another exporter", "cut", "brace missing", "a word for a number"],
)
def test_text_that_is_no_exposition_says_whether_a_vllm_stands_behind_it(text: str, foreign: bool) -> None:
    with pytest.raises(UnreadableExposition) as raised:
        read_exposition(text, AT)
    assert raised.value.foreign is foreign


LINES = recorded("smollm2_135m/metrics_under_load.txt").splitlines()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_scrape_is_read_or_refused_and_never_breaks_anything_else(data: st.DataObject) -> None:
    first = data.draw(st.integers(30, len(LINES) - 30))
    text = "\n".join(LINES[first : first + 25]) + "\n"
    place = data.draw(st.integers(0, len(text) - 1))
    gone = data.draw(st.integers(0, 12))
    damaged = text[:place] + data.draw(st.text('{}",=\\# \n\x00é1.eE+-_:NaInf', max_size=5)) + text[place + gone :]
    try:
        sample = read_exposition(damaged, AT)
    except UnreadableExposition:
        return
    assert EngineSample.model_validate_json(sample.model_dump_json()) == sample
    assert all(math.isfinite(value) for value in (*sample.gauges.values(), *sample.counters.values()))
    for histogram in sample.histograms.values():
        assert histogram.buckets[-1] == (math.inf, histogram.count)
