"""`metrics`: percentiles with bounds, two columns, gaps that stay gaps, and since when it looks."""

import json
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import UsageError
from bot.nouns import Delta, Histogram
from bot.nouns.window import Growth, Span
from bot.view import LINES_LIMIT, VERDICT_LIMIT, View, plain


def said(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines, *view.details)))


def minute(world: Any, ago_min: float, *, ttft: tuple[tuple[float, float], ...] | None = None, **more: Any) -> Delta:
    """One minute with 60 requests whose first token came between 0.25 and 0.5 s, 4 running, unless told otherwise."""
    until = world.now - timedelta(minutes=ago_min)
    buckets = ttft or ((0.25, 30.0), (0.5, 60.0), (float("inf"), 60.0))
    fields: dict[str, Any] = {
        "since": until - timedelta(minutes=1),
        "until": until,
        "seconds": 60.0,
        "counters": {
            "requests_finished.stop": Growth(amount=60, seconds=60),
            "prompt_tokens": Growth(amount=6000, seconds=60),
            "prompt_tokens.local_compute": Growth(amount=6000, seconds=60),
            "generation_tokens": Growth(amount=600, seconds=60),
            "preemptions": Growth(amount=2, seconds=60),
            "prefix_cache_queries": Growth(amount=6000, seconds=60),
            "prefix_cache_hits": Growth(amount=1500, seconds=60),
        },
        "gauges": {
            "running": Span(low=3, high=5, last=4, at=until, area=240, seconds=60),
            "kv_cache_usage": Span(low=0.5, high=0.9, last=0.5, at=until, area=30, seconds=60),
        },
        "histograms": {"ttft": Histogram(buckets=buckets, sum=20.0, count=buckets[-1][1])},
    }
    return Delta.model_validate(fields | more)


async def test_one_column_with_percentiles_and_the_bounds_they_lie_between(world: Any) -> None:
    world.windows = tuple(minute(world, n) for n in range(59, -1, -1))
    view = (await world.ask("metrics")).view
    told = said(view)
    assert plain(view.verdict) == "prod, last 1 h: first token p90 0.45 s, 1.0 requests/s"
    assert "First token: p50 0.25 s (0–0.25 s)" not in told
    assert "p90 0.45 s (0.25–0.5 s)" in told
    assert "1.0 requests/s · 100 prompt tokens/s · 10.0 answer tokens/s" in told
    assert "Cache full: 50 % on average, 90 % at most · preemptions 120 · prefix hits 25 %" in told
    assert "Running 4.0 (at most 5) · waiting unknown" in told
    assert "Between tokens: unknown, nothing was observed." in told
    assert "over 3,600 observations" in told


async def test_against_yesterday_stands_side_by_side_in_words(world: Any) -> None:
    slow = ((0.5, 0.0), (2.5, 60.0), (float("inf"), 60.0))
    before = [minute(world, n + 24 * 60) for n in range(59, -1, -1)]
    world.windows = (*before, *(minute(world, n, ttft=slow) for n in range(59, -1, -1)))
    outcome = await world.ask("metrics since 1h against yesterday")
    told = said(outcome.view)
    assert plain(outcome.view.verdict) == "prod, last 1 h: first token p90 0.45 s → 2.3 s (yesterday → now)"
    assert "First token: p50 under 0.25 s → 1.5 s · p90 0.45 s → 2.3 s" in told
    assert "preemptions 120 → 120" in told
    assert [button.words for button in outcome.view.buttons] == ["metrics prod since 60m"]


async def test_when_the_other_time_was_not_seen_it_says_since_when_it_looks(world: Any) -> None:
    world.windows = tuple(minute(world, n) for n in range(59, -1, -1))
    told = said((await world.ask("metrics since 1h against yesterday")).view)
    assert "first token p90 unknown → 0.45 s" in told
    assert "Nothing is known of yesterday: looking began 2026-11-30 14:00 UTC." in told


async def test_without_history_it_says_what_it_looked_at_and_since_when(world: Any) -> None:
    nothing = said((await world.ask("metrics")).view)
    assert "No figures of prod, last 1 h: looked at 2026-11-30 14:00 UTC to 2026-11-30 15:00 UTC" in nothing
    assert "Nothing is recorded of it at all" in nothing
    world.windows = (minute(world, 30),)
    assert "I look at it since 2026-11-30 14:29 UTC; what was before is not known." in said(
        (await world.ask("metrics at 03:00")).view
    )
    assert "but then it did not answer" in said((await world.ask("metrics since 10m")).view)


async def test_a_time_of_day_means_the_last_time_the_clock_showed_it(world: Any) -> None:
    result = (await world.ask("metrics at 02:40")).result
    later = (await world.ask("metrics 23:30")).result
    assert (result["since"], result["until"]) == ("2026-11-30T02:25:00Z", "2026-11-30T02:55:00Z")
    assert (later["since"], later["until"]) == ("2026-11-29T23:15:00Z", "2026-11-29T23:45:00Z")


async def test_beyond_the_last_bound_there_is_no_value_only_above(world: Any) -> None:
    world.windows = (minute(world, 1, ttft=((0.5, 0.0), (float("inf"), 60.0))),)
    outcome = await world.ask("metrics since 10m")
    assert "first token p90 above 0.5 s" in plain(outcome.view.verdict)
    assert outcome.view.chart is not None
    assert all(value is None for _, points in outcome.view.chart.series for _, value in points)


async def test_part_of_the_time_seen_is_said(world: Any) -> None:
    world.windows = tuple(minute(world, n) for n in range(14, -1, -1))
    assert "Seen 15 min of 6 h" in said((await world.ask("metrics since 6h")).view)


async def test_the_chart_has_latency_above_and_load_below_and_a_gap_is_a_gap(world: Any) -> None:
    world.windows = tuple(minute(world, n) for n in (*range(59, 40, -1), *range(20, -1, -1)))
    chart = (await world.ask("metrics")).view.chart
    assert chart is not None
    assert [name for name, _ in chart.series] == ["first token p50", "first token p90"]
    assert chart.below is not None
    assert [name for name, _ in chart.below.series] == ["running", "waiting"]
    p90, waiting = chart.series[1][1], chart.below.series[1][1]
    assert [value for _, value in p90].count(None) == 1
    assert all(value is None for _, value in waiting)
    assert "first token p90 from 0.45 to 0.45 s" in chart.alt


async def test_many_minutes_become_few_points(world: Any) -> None:
    world.windows = tuple(minute(world, n) for n in range(359, -1, -1))
    outcome = await world.ask("metrics since 6h")
    chart = outcome.view.chart
    assert chart is not None
    assert len(json.dumps(outcome.result)) < 6_000, "the result goes into a model's window, the chart does not"
    assert 50 <= len(chart.series[0][1]) <= 62


async def test_raw_is_bounded_and_what_is_left_out_is_counted(world: Any) -> None:
    rows = [f'vllm:thing_total{{n="{n}"}} 1.0' for n in range(1000)]
    world.engine["exposition"] = "\n".join(["# HELP x", *rows, 'vllm:thing_created{n="1"} 1.7e9']) + "\n"
    outcome = await world.ask("metrics raw")
    assert "1,000 figures" in said(outcome.view)
    assert "and 876 more lines" in said(outcome.view), "124 stand above it"
    assert outcome.view.attachment is not None
    assert outcome.view.attachment.content == world.engine["exposition"]
    assert "text" not in outcome.result, "the whole text is for people, a model's window is too small for it"
    assert len(outcome.result["lines"]) == 400
    assert outcome.result["left_out"] == 600
    assert "created" not in said(outcome.view).replace("creation", "")


@pytest.mark.parametrize("words", ["metrics at 25:00", "metrics since soon", "metrics against tomorrow"])
async def test_times_that_are_none_are_refused(world: Any, words: str) -> None:
    with pytest.raises(UsageError):
        await world.ask(words)


async def test_every_form_fits_a_phone(world: Any) -> None:
    world.windows = tuple(minute(world, n) for n in range(1500, -1, -30))
    for words in ("metrics", "metrics since 24h against yesterday", "metrics at 02:40", "metrics prod since 30d against week"):
        view = (await world.ask(words)).view
        assert len(plain(view.verdict)) <= VERDICT_LIMIT
        assert 1 + len(view.lines) <= LINES_LIMIT
