"""Reads one scrape of /metrics into an EngineSample."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from bot.model import metrics
from bot.nouns import EngineSample, Histogram

Families = Mapping[str, Metric]

YEAR_3000 = 32_503_680_000
"""Seconds since the epoch; what lies beyond is no time."""


class UnreadableExposition(ValueError):
    """The text is not a whole Prometheus exposition. `foreign` is True when it names no metric of vLLM at all."""

    def __init__(self, reason: str, *, foreign: bool) -> None:
        """Keep whether a vLLM stands behind the text."""
        super().__init__(reason)
        self.foreign = foreign


def read_exposition(text: str, at: datetime) -> EngineSample:
    """The sample that this text holds, scraped at `at` (aware).

    Counters and buckets are summed over engines and labels; percentiles are never averaged. A family that is absent, or whose
    values are not numbers (NaN) or not a histogram, is absent from the sample. Raises UnreadableExposition.
    """
    families = _families(text)
    if not any(name.startswith(metrics.PREFIX) for name in families):
        raise UnreadableExposition("no vLLM metric in it", foreign=True)
    return EngineSample(
        at=at,
        model_name=_model_name(families),
        started_at=_started_at(families),
        gauges=_gauges(families),
        counters=_plain(families, metrics.COUNTERS, sum) | _labelled(families, metrics.LABELLED_COUNTERS),
        histograms=_histograms(families),
        cache_config=_cache_config(families),
    )


def _families(text: str) -> dict[str, Metric]:
    """All families by name. A text that does not end with a line feed was cut: the format demands one after each line."""
    foreign = metrics.PREFIX not in text
    if not text.endswith("\n"):
        raise UnreadableExposition("it ends in the middle of a line", foreign=foreign)
    try:
        return {family.name: family for family in text_string_to_metric_families(text)}
    except (ValueError, LookupError) as error:
        raise UnreadableExposition(f"a line cannot be read ({type(error).__name__})", foreign=foreign) from error


def _numbers(family: Metric | None) -> list[Sample]:
    """The family's gauge or counter samples that are finite numbers."""
    if family is None:
        return []
    return [s for s in family.samples if s.name.removeprefix(family.name) in ("", "_total") and math.isfinite(s.value)]


def _first(families: Families, names: Iterable[str]) -> Metric | None:
    """The first of these families that was exposed with any sample."""
    return next((families[name] for name in names if name in families and families[name].samples), None)


def _plain(
    families: Families, wanted: Mapping[str, tuple[str, ...]], together: Callable[[Iterable[float]], float]
) -> dict[str, float]:
    """Canonical name -> the values of all engines taken together; absent families are left out."""
    found = {name: [s.value for s in _numbers(_first(families, aliases))] for name, aliases in wanted.items()}
    return {name: float(together(values)) for name, values in found.items() if values}


def _labelled(families: Families, wanted: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """`prefix.<label value>` -> sum over the other labels."""
    sums: dict[str, float] = defaultdict(float)
    for prefix, (name, label) in wanted.items():
        for sample in _numbers(families.get(name)):
            if sample.labels.get(label):
                sums[f"{prefix}.{sample.labels[label]}"] += sample.value
    return dict(sums)


def _gauges(families: Families) -> dict[str, float]:
    """Requests are summed over engines; of cache shares the fullest counts."""
    shares = {metrics.KV_CACHE_USAGE: metrics.GAUGES[metrics.KV_CACHE_USAGE]}
    return _plain(families, metrics.GAUGES, sum) | _plain(families, shares, max) | _labelled(families, metrics.LABELLED_GAUGES)


def _histograms(families: Families) -> dict[str, Histogram]:
    """Canonical name -> histogram, for the families that are exposed and sound."""
    read = {name: _histogram(_first(families, aliases)) for name, aliases in metrics.HISTOGRAMS.items()}
    return {name: histogram for name, histogram in read.items() if histogram is not None}


def _histogram(family: Metric | None) -> Histogram | None:
    """One family summed by `le` over all its series. Only edges that every series has can be summed; unsound ones are unknown."""
    if family is None or family.type != "histogram":
        return None  # such as the summaries of routers in front of several servers
    parts = {suffix: [s for s in family.samples if s.name == family.name + suffix] for suffix in ("_bucket", "_sum", "_count")}
    series = len(parts["_count"])
    if len(parts["_sum"]) != series:
        return None
    by_edge: dict[float, list[float]] = defaultdict(list)
    for sample in parts["_bucket"]:
        by_edge[_edge(sample)].append(sample.value)
    buckets = tuple((edge, float(sum(by_edge[edge]))) for edge in sorted(by_edge) if len(by_edge[edge]) == series)
    total, count = (float(sum(s.value for s in parts[suffix])) for suffix in ("_sum", "_count"))
    return Histogram(buckets=buckets, sum=total, count=count) if _sound(buckets, total, count) else None


def _edge(sample: Sample) -> float:
    """The bucket's upper bound; NaN, which no sound histogram has, when it is no number."""
    try:
        return float(sample.labels["le"])
    except (KeyError, ValueError):
        return math.nan


def _sound(buckets: tuple[tuple[float, float], ...], total: float, count: float) -> bool:
    """Whether these are a cumulative histogram: ascending, ending at +Inf with the count, all numbers."""
    counts = [below for _, below in buckets]
    whole = bool(buckets) and math.isinf(buckets[-1][0]) and counts[-1] == count and counts == sorted(counts) and counts[0] >= 0
    return whole and all(map(math.isfinite, (total, count, *counts))) and not any(math.isnan(edge) for edge, _ in buckets)


def _model_name(families: Families) -> str | None:
    """The model that all series name; None when they name several (a router) or none."""
    names = {s.labels["model_name"] for f in families.values() for s in f.samples if "model_name" in s.labels}
    return names.pop() if len(names) == 1 else None


def _started_at(families: Families) -> datetime | None:
    """Start of the server's process. Several API processes do not expose it: then the oldest series' creation stands for it.

    Either moves only when the server restarts, which is all it is used for.
    """
    exposed = [s.value for s in _numbers(families.get(metrics.PROCESS_START))]
    born = [family for name, family in families.items() if name.startswith(metrics.PREFIX) and name.endswith("_created")]
    created = [s.value for family in born for s in _numbers(family)]
    times = [seconds for seconds in (exposed or created) if 0 < seconds < YEAR_3000]
    return datetime.fromtimestamp(min(times), UTC) if times else None


def _cache_config(families: Families) -> dict[str, str]:
    """The labels as text, of the first engine; `engine` itself is left out."""
    family = families.get(metrics.CACHE_CONFIG)
    labels = family.samples[0].labels if family and family.samples else {}
    return {name: value for name, value in labels.items() if name != "engine"}
