"""What the engine of a world counted: minutes for the history, and scrapes that agree with them."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import reduce

from bot.model.exposition import read_exposition
from bot.nouns import Delta, EngineSample, Histogram
from bot.nouns.window import Growth, Span
from bot.statistics.windows import between, merge
from evals.world import RECORDED, Phase, World

SECONDS = (0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0, 160.0)
"""Edges of vLLM 0.32's first token histogram from 10 ms on."""
TOKENS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
"""Edges of its histograms of lengths."""
APART = timedelta(minutes=10)
"""Between the two recorded scrapes of a world."""


def histogram(seen: Sequence[tuple[float, float]], edges: Sequence[float]) -> Histogram:
    """Of (value, how often)."""
    counts = [0.0] * (len(edges) + 1)
    for value, often in seen:
        counts[bisect_left(edges, value)] += often
    sums, total = [], 0.0
    for bound, count in zip((*edges, float("inf")), counts, strict=True):
        total += count
        sums.append((float(bound), total))
    return Histogram(buckets=tuple(sums), sum=sum(value * often for value, often in seen), count=total)


def minutes(world: World) -> tuple[Delta, ...]:
    """The windows of its history, oldest first."""
    if world.exposition is not None:
        first, last = recorded(world)
        found = between(first, last)
        return (found,) if isinstance(found, Delta) else ()
    return tuple(
        _minute(phase, world.ago(ago)) for phase in world.phases for ago in range(phase.begins, phase.ends, -1) if ago > 0
    )


def _minute(phase: Phase, since: datetime) -> Delta:
    until = since + timedelta(minutes=1)
    slow = phase.requests // 10
    counted = {
        "prompt_tokens": phase.requests * phase.prompt,
        "generation_tokens": phase.requests * phase.output,
        "preemptions": phase.preempted,
        "requests_finished.stop": phase.requests,
        "requests_finished.error": phase.failed,
    }
    gauges = {"running": phase.running, "waiting": phase.waiting, "kv_cache_usage": phase.cache}
    times = [(phase.first_s, phase.requests - slow), (phase.slow_s, slow)]
    return Delta(
        since=since,
        until=until,
        seconds=60,
        counters={name: Growth(amount=amount, seconds=60) for name, amount in counted.items()},
        gauges={
            name: Span(low=value, high=value, last=value, at=until, area=value * 60, seconds=60) for name, value in gauges.items()
        },
        histograms={
            "ttft": histogram(times, SECONDS),
            "itl": histogram([(phase.gap_s, phase.requests * phase.output)], SECONDS),
            "e2e": histogram([(first + phase.gap_s * phase.output, often) for first, often in times], SECONDS),
            "prompt_tokens_per_request": histogram([(phase.prompt, phase.requests)], TOKENS),
            "generation_tokens_per_request": histogram([(phase.output, phase.requests)], TOKENS),
        },
    )


def recorded(world: World) -> tuple[EngineSample, EngineSample]:
    """The two scrapes of a real server, set to the world's time: their own starts would lie elsewhere."""
    before, after = world.exposition or ("", "")
    found = [
        read_exposition((RECORDED / name).read_text(encoding="utf-8"), at)
        for name, at in ((before, world.at - APART), (after, world.at))
    ]
    started = world.ago(world.started_min)
    return found[0].model_copy(update={"started_at": started}), found[1].model_copy(update={"started_at": started})


def scrape(world: World, at: datetime) -> EngineSample | None:
    """What a scrape at this moment said; None before the engine started."""
    if world.exposition is not None:
        return next((one for one in reversed(recorded(world)) if one.at <= at), None)
    past: Iterable[Delta] = [one for one in minutes(world) if one.until <= at]
    total = reduce(merge, past) if past else None
    if total is None and world.phases:
        return None
    return EngineSample(
        at=at,
        model_name=world.deployment.model_id,
        started_at=world.ago(world.started_min),
        gauges={name: span.last for name, span in total.gauges.items()} if total else {"running": 0, "waiting": 0},
        counters={name: one.amount for name, one in total.counters.items()} if total else {},
        histograms=dict(total.histograms) if total else {},
        cache_config=world.cache,
    )
