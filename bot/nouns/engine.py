"""What a serving engine says about itself at one moment."""

from datetime import datetime

from pydantic import Field

from bot.nouns.base import Noun


class Histogram(Noun):
    """A cumulative Prometheus histogram, summed over engines: pairs (upper bound, observations at or below it), +Inf last.

    Shape: `buckets` ascends in both parts and its last count equals `count`. `sum` is in the histogram's unit (seconds, tokens).
    """

    buckets: tuple[tuple[float, float], ...]
    sum: float
    count: float


class EngineSample(Noun):
    """One scrape. Names are canonical (see `bot.model.metrics`), whatever the version of the server calls them.

    A metric that the server did not expose is absent from its dict: absent means unknown, never 0.
    `gauges` are as scraped (requests, shares 0..1); `counters` only ever grow until a restart; `started_at` is the server's
    process start when it says so; `cache_config` holds the labels of `vllm:cache_config_info` as text.
    """

    at: datetime
    model_name: str | None = None
    started_at: datetime | None = None
    gauges: dict[str, float] = Field(default_factory=dict)
    counters: dict[str, float] = Field(default_factory=dict)
    histograms: dict[str, Histogram] = Field(default_factory=dict)
    cache_config: dict[str, str] = Field(default_factory=dict)


class ServedModel(Noun):
    """One model id that the server lists. `context` is its window in tokens, `root` the checkpoint it was loaded from."""

    id: str
    root: str | None = None
    context: int | None = None
