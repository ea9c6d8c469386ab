"""Our own figures in Prometheus' text format: counters of all processes from Redis, gauges read at the scrape."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from bot.services import Runtime

LABELS = {"requests": "door", "answers": "path", "samples": "deployment", "samples_missed": "deployment"}
"""What the one label of each counter is called."""


class _Figures:
    """A collector over values that were read before."""

    def __init__(self, counters: dict[tuple[str, str], float], open_work: int) -> None:
        self._counters = counters
        self._open_work = open_work

    def collect(self) -> Iterator[Metric]:
        """One family a counter name."""
        yield GaugeMetricFamily("gemma_open_work", "Work that is accepted and has no final message yet.", self._open_work)
        for name in sorted({name for name, _ in self._counters}):
            family = CounterMetricFamily(f"gemma_{name}", f"Counted {name}, over all processes.", labels=[LABELS.get(name, "of")])
            for (found, label), value in sorted(self._counters.items()):
                if found == name:
                    family.add_metric([label], value)
            yield family


async def figures(runtime: Runtime) -> str:
    """The whole text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(await runtime.counters.read(), await runtime.work.unfinished()))
    return generate_latest(registry).decode()
