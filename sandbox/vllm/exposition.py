"""The text of /metrics: the recorded one of a real vLLM 0.32.0, line by line, with the engine model's figures in it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from prometheus_client.utils import floatToGoString

from sandbox.vllm.engine_model import EngineModel, Observations

SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
go_float: Callable[[float], str] = floatToGoString
BUILD_UP_S = 38.6
"""Seconds from the process's start to the creation of its metrics, as in the recording."""
BY_LENGTH = (
    "request_prompt_tokens",
    "request_generation_tokens",
    "request_max_num_generation_tokens",
    "request_params_max_tokens",
    "request_prefill_kv_computed_tokens",
)
"""Histograms whose edges (1, 2, 5, 10, …) end at the longest request that the window allows."""


@dataclass(frozen=True)
class Line:
    """One sample line: its name, labels in their order, and the value as recorded."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: str


@dataclass(frozen=True)
class Family:
    """One family: its comment lines word for word, and its samples."""

    name: str
    kind: str
    comments: tuple[str, ...]
    lines: tuple[Line, ...]


@cache
def recorded_families(text: str) -> tuple[Family, ...]:
    """The families of a recorded exposition, in order. (A recorded one is trusted: it is not parsed as hostile text.)"""
    families: list[Family] = []
    for block in re.split(r"(?m)^(?=# HELP )", text):
        rows = block.splitlines()
        if not rows:
            continue
        comments = tuple(row for row in rows if row.startswith("#"))
        _, _, name, kind = comments[1].split(" ")
        families.append(Family(name, kind, comments, tuple(_line(row) for row in rows if not row.startswith("#"))))
    return tuple(families)


def _line(row: str) -> Line:
    """One sample row taken apart."""
    found = SAMPLE.match(row)
    if found is None:
        raise ValueError(f"not a sample: {row[:80]}")
    return Line(found[1], tuple(LABEL.findall(found[2] or "")), found[3])


def bucket_edges(families: Sequence[Family], window: int) -> dict[str, Sequence[float]]:
    """Edges of each of vLLM's histograms, without +Inf, by its name without `vllm:`."""
    edges: dict[str, Sequence[float]] = {
        family.name.removeprefix("vllm:"): tuple(
            float(dict(line.labels)["le"])
            for line in family.lines
            if line.name.endswith("_bucket") and dict(line.labels)["le"] != "+Inf"
        )
        for family in families
        if family.kind == "histogram" and family.name.startswith("vllm:")
    }
    return edges | {name: one_two_five(window) for name in BY_LENGTH if name in edges}


def one_two_five(limit: int) -> tuple[float, ...]:
    """1, 2, 5, 10, 20, 50, … up to `limit`: how vLLM spreads edges of request lengths."""
    steps = [mantissa * 10**power for power in range(len(str(limit))) for mantissa in (1, 2, 5)]
    return tuple(float(step) for step in steps if step <= limit)


class Exposition:
    """Renders one engine's /metrics."""

    def __init__(self, families: Sequence[Family], model: str, window: int) -> None:
        """`model` is the served name, `window` the context in tokens."""
        self._families = families
        self._model = model
        self._window = window

    def render(self, engine: EngineModel, now: datetime, calls: dict[tuple[str, str, str], int]) -> bytes:
        """The body at `now`. `calls` counts answered calls by (handler, method, status class)."""
        rows: list[str] = []
        for family in self._families:
            rows.extend(family.comments)
            rows.extend(self._samples(family, engine, now, calls))
        return ("\n".join(rows) + "\n").encode()

    def _samples(
        self, family: Family, engine: EngineModel, now: datetime, calls: dict[tuple[str, str, str], int]
    ) -> Iterator[str]:
        """The family's rows."""
        short = family.name.removeprefix("vllm:")
        if family.name == "http_requests_total":
            for (handler, method, status), count in calls.items():
                yield _row(family.name, {"handler": handler, "method": method, "status": status}, float(count))
        elif family.kind == "histogram" and short in engine.histograms:
            yield from self._histogram(family.name, engine.histograms[short])
        else:
            for line in family.lines:
                yield _row(line.name, self._labels(line, engine), self._value(line, engine, now))

    def _histogram(self, name: str, observed: Observations) -> Iterator[str]:
        """Cumulative buckets, count and sum, in the order of prometheus_client."""
        below = 0
        for edge, count in zip((*observed.edges, float("inf")), observed.counts, strict=True):
            below += count
            yield _row(f"{name}_bucket", {"engine": "0", "le": go_float(edge), "model_name": self._model}, float(below))
        yield _row(f"{name}_count", {"engine": "0", "model_name": self._model}, float(below))
        yield _row(f"{name}_sum", {"engine": "0", "model_name": self._model}, observed.total)

    def _labels(self, line: Line, engine: EngineModel) -> dict[str, str]:
        """The recorded labels with this server's model and cache."""
        labels = dict(line.labels)
        if "model_name" in labels:
            labels["model_name"] = self._model
        if line.name == "vllm:cache_config_info":
            labels |= self._cache(engine)
        return labels

    def _cache(self, engine: EngineModel) -> dict[str, str]:
        """What differs from the recorded cache: a TPU plans its memory itself, and has one KV group (tokens = blocks x size)."""
        shape = engine.cache
        size = str(shape.block_tokens)
        return {
            "block_size": size,
            "effective_attention_block_size": size,
            "num_gpu_blocks": str(shape.blocks),
            "kv_cache_size_tokens": str(shape.tokens),
            "kv_cache_max_concurrency": str(shape.tokens / self._window),
            "kv_cache_memory_bytes": "None",
        }

    def _value(self, line: Line, engine: EngineModel, now: datetime) -> float:
        """The engine's figure when it has one, else the recorded one."""
        started = engine.started.timestamp()
        if line.name.endswith("_created"):
            return started + BUILD_UP_S
        if line.name == "process_start_time_seconds":
            return started
        if line.name == "process_cpu_seconds_total":
            return round(11 + 0.04 * (now.timestamp() - started), 2)
        return self._engine_value(line, engine)

    def _engine_value(self, line: Line, engine: EngineModel) -> float:
        """Gauges and counters of the engine model."""
        short = line.name.removeprefix("vllm:")
        gauges = engine.gauges()
        labels = dict(line.labels)
        if short == "num_requests_waiting_by_reason":
            return gauges["num_requests_waiting"] if labels["reason"] == "capacity" else 0.0
        if short in gauges:
            return gauges[short]
        own = tuple((name, value) for name, value in line.labels if name not in ("engine", "model_name"))
        counted = engine.counters.get((short.removesuffix("_total"), own))
        return counted if counted is not None else float(line.value)


def _row(name: str, labels: dict[str, str], value: float) -> str:
    """One sample row in the text format; label values are escaped as it demands (quotes, backslashes, line feeds)."""
    inside = ",".join(f"{key}={_quoted(text)}" for key, text in labels.items())
    return f"{name}{{{inside}}} {go_float(value)}" if labels else f"{name} {go_float(value)}"


def _quoted(text: str) -> str:
    """A label value in quotes."""
    return json.dumps(text, ensure_ascii=False) if any(c in text for c in '"\\\n') else f'"{text}"'
