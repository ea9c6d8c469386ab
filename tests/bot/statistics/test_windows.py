"""Two scrapes make a window; windows add up."""

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from bot.nouns import EngineSample, Histogram
from bot.nouns.window import Delta, Growth, Span
from bot.statistics.windows import Discarded, average, between, merge, quantile, rate, share

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FIXTURES = Path(__file__).parents[2] / "fixtures" / "metrics"


def scraped(name: str, at: datetime) -> EngineSample:
    """A recorded scrape of vLLM 0.32.0, under the server's own names."""
    counters: dict[str, float] = {}
    histograms: dict[str, Histogram] = {}
    gauges: dict[str, float] = {}
    for family in text_string_to_metric_families((FIXTURES / name).read_text()):
        if not family.name.startswith("vllm:") or family.name.endswith("_created"):
            continue
        if family.type == "histogram":
            value = {s.name.rpartition("_")[2]: s.value for s in family.samples if not s.name.endswith("_bucket")}
            buckets = tuple((float(s.labels["le"]), s.value) for s in family.samples if s.name.endswith("_bucket"))
            histograms[family.name] = Histogram(buckets=buckets, sum=value["sum"], count=value["count"])
        elif family.type == "counter":
            for s in family.samples:
                if s.name.endswith("_total"):
                    reason = s.labels.get("finished_reason")
                    counters[family.name + (f".{reason}" if reason else "")] = s.value
        elif family.type == "gauge":
            gauges |= {s.name: s.value for s in family.samples}
    return EngineSample(at=at, counters=counters, histograms=histograms, gauges=gauges)


def window(first: str, last: str, seconds: float = 60) -> Delta:
    delta = between(scraped(first, NOON), scraped(last, NOON + timedelta(seconds=seconds)))
    assert isinstance(delta, Delta)
    return delta


def sample(seconds: float, **values: float) -> EngineSample:
    return EngineSample(at=NOON + timedelta(seconds=seconds), counters=values)


def test_a_recorded_load_gives_rates_means_and_percentiles() -> None:
    before, after = scraped("metrics_before.txt", NOON), scraped("metrics_after.txt", NOON)
    delta = window("metrics_before.txt", "metrics_after.txt")
    tokens = after.counters["vllm:generation_tokens"] - before.counters["vllm:generation_tokens"]
    assert tokens > 0
    assert rate(delta, "vllm:generation_tokens") == pytest.approx(tokens / 60)
    finished = sum(v - before.counters[n] for n, v in after.counters.items() if n.startswith("vllm:request_success."))
    assert rate(delta, "vllm:request_success") == pytest.approx(finished / 60)
    ttft = delta.histograms["vllm:time_to_first_token_seconds"]
    assert average(delta, "vllm:time_to_first_token_seconds") == pytest.approx(ttft.sum / ttft.count)
    median = quantile(delta, "vllm:time_to_first_token_seconds", 0.5)
    assert median is not None
    assert median.high is not None
    assert median.n == ttft.count == finished


def test_two_halves_of_a_recorded_load_are_the_whole() -> None:
    halves = merge(
        window("metrics_before.txt", "metrics_under_load.txt", 30),
        window("metrics_under_load.txt", "metrics_after.txt", 30),
    )
    whole = window("metrics_before.txt", "metrics_after.txt", 60)
    assert {n: g.amount for n, g in halves.counters.items()} == {n: g.amount for n, g in whole.counters.items()}
    assert {n: h.buckets for n, h in halves.histograms.items()} == {n: h.buckets for n, h in whole.histograms.items()}
    assert halves.seconds == whole.seconds


def test_the_recorded_scrapes_in_the_wrong_order_are_discarded() -> None:
    late, early = scraped("metrics_after.txt", NOON), scraped("metrics_before.txt", NOON + timedelta(minutes=1))
    found = between(late, early)
    assert isinstance(found, Discarded)
    assert "restarted" in found.reason


def test_a_counter_that_fell_means_a_restart() -> None:
    found = between(sample(0, tokens=10, other=1), sample(30, tokens=9, other=2))
    assert found == Discarded(reason="the engine restarted between the readings (tokens fell)")


def test_another_start_time_means_a_restart_but_a_clock_step_does_not() -> None:
    first = sample(0, tokens=1).model_copy(update={"started_at": NOON})
    second = sample(30, tokens=2)
    assert isinstance(between(first, second.model_copy(update={"started_at": NOON + timedelta(minutes=5)})), Discarded)
    assert isinstance(between(first, second.model_copy(update={"started_at": NOON + timedelta(seconds=1)})), Delta)


def test_a_histogram_that_fell_means_a_restart() -> None:
    old = Histogram(buckets=((1, 5), (math.inf, 5)), sum=2, count=5)
    new = Histogram(buckets=((1, 4), (math.inf, 6)), sum=3, count=6)
    first = EngineSample(at=NOON, histograms={"ttft": old})
    assert isinstance(between(first, EngineSample(at=NOON + timedelta(seconds=1), histograms={"ttft": new})), Discarded)


def test_another_model_is_another_series() -> None:
    first = sample(0).model_copy(update={"model_name": "a"})
    found = between(first, sample(1).model_copy(update={"model_name": "b"}))
    assert isinstance(found, Discarded)


def test_readings_at_the_same_time_make_no_window() -> None:
    assert isinstance(between(sample(0), sample(0)), Discarded)


def test_a_metric_that_only_one_reading_has_is_unknown_and_not_zero() -> None:
    delta = between(sample(0, tokens=5), sample(10, tokens=6, late=100))
    assert isinstance(delta, Delta)
    assert rate(delta, "late") is None
    assert rate(delta, "tokens") == pytest.approx(0.1)
    assert average(delta, "ttft") is None
    assert quantile(delta, "ttft", 0.5) is None


def test_a_metric_that_came_later_is_not_diluted_by_the_time_before() -> None:
    early, late = between(sample(0), sample(60)), between(sample(60, tokens=0), sample(120, tokens=60))
    assert isinstance(early, Delta)
    assert isinstance(late, Delta)
    assert rate(merge(early, late), "tokens") == pytest.approx(1.0)


def test_a_gap_between_windows_does_not_dilute_a_rate() -> None:
    first, second = between(sample(0, t=0), sample(60, t=60)), between(sample(3600, t=900), sample(3660, t=960))
    assert isinstance(first, Delta)
    assert isinstance(second, Delta)
    both = merge(first, second)
    assert (both.seconds, rate(both, "t")) == (120, 1.0)


def test_the_prefix_hit_share_is_unknown_without_queries() -> None:
    busy = between(sample(0, hits=1, queries=2), sample(10, hits=4, queries=12))
    idle = between(sample(0, hits=1, queries=2), sample(10, hits=1, queries=2))
    assert isinstance(busy, Delta)
    assert isinstance(idle, Delta)
    assert share(busy, "hits", "queries") == pytest.approx(0.3)
    assert share(idle, "hits", "queries") is None
    assert share(busy, "hits", "absent") is None


def test_a_gauge_keeps_its_extremes_its_last_value_and_its_mean() -> None:
    def reading(second: float, waiting: float) -> EngineSample:
        return EngineSample(at=NOON + timedelta(seconds=second), gauges={"waiting": waiting})

    first, second = between(reading(0, 0), reading(30, 20)), between(reading(30, 20), reading(60, 4))
    assert isinstance(first, Delta)
    assert isinstance(second, Delta)
    span = merge(second, first).gauges["waiting"]
    assert (span.low, span.high, span.last, span.average) == (0, 20, 4, 11)


numbers = st.integers(0, 1000).map(float)
moments = st.integers(0, 5000).map(lambda s: NOON + timedelta(seconds=s))


@st.composite
def deltas(draw: st.DrawFn) -> Delta:
    names = st.sampled_from(["a", "b", "c"])
    edges = [*sorted(draw(st.sets(st.integers(1, 9), max_size=4))), math.inf]
    steps = draw(st.lists(st.integers(0, 9), min_size=len(edges), max_size=len(edges)))
    counts = [float(sum(steps[: i + 1])) for i in range(len(edges))]
    buckets = tuple(zip(map(float, edges), counts, strict=True))
    histogram = Histogram(buckets=buckets, sum=draw(numbers), count=counts[-1])
    since = draw(moments)
    return Delta(
        since=since,
        until=since + timedelta(seconds=draw(st.integers(1, 600))),
        seconds=draw(numbers),
        counters=draw(st.dictionaries(names, st.builds(Growth, amount=numbers, seconds=numbers))),
        gauges=draw(
            st.dictionaries(
                names, st.builds(Span, low=numbers, high=numbers, last=numbers, at=moments, area=numbers, seconds=numbers)
            )
        ),
        histograms={draw(names): histogram},
    )


@given(deltas(), deltas(), deltas())
def test_merging_is_associative_and_commutative(a: Delta, b: Delta, c: Delta) -> None:
    assert merge(merge(a, b), c) == merge(a, merge(b, c))
    assert merge(a, b) == merge(b, a)


@given(deltas())
def test_a_window_survives_json(delta: Delta) -> None:
    assert Delta.model_validate_json(delta.model_dump_json()) == delta
