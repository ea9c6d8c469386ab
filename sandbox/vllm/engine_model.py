"""A serving engine without a model: background traffic that moves its counters with the clock, and real calls on top."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sandbox.vllm.scenarios import Scenario

Labels = tuple[tuple[str, str], ...]
SPREAD = tuple(1.1673039782614187**-power for power in (1, 2, 3, 4))
"""Multiples of these, modulo 1, fill four dimensions evenly from the first: short windows show the scenario's quantiles.

Powers of the root of x^5 = x + 1: the R4 sequence (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences")."""
AT_MOST = 400
"""Requests worked out one by one for one step of the clock; more are represented by these, with weights."""


@dataclass(frozen=True)
class CacheShape:
    """The KV cache: blocks and tokens a block. Default: 31B on v6e-4 in bf16, 526 blocks of 128 tokens, 67,328 tokens."""

    blocks: int = 526
    block_tokens: int = 128

    @property
    def tokens(self) -> int:
        """What the whole cache holds, in tokens (one KV group, as TPU builds have it)."""
        return self.blocks * self.block_tokens


@dataclass
class Observations:
    """One histogram: counts between edges (not cumulative; the last beyond all edges), and the sum of values."""

    edges: Sequence[float]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        """Start at nothing observed."""
        self.counts = self.counts or [0] * (len(self.edges) + 1)

    def observe(self, value: float, times: int = 1) -> None:
        """Count this value, which falls into the first bucket whose edge it does not exceed."""
        self.counts[bisect_left(self.edges, value)] += times
        self.total += value * times


@dataclass
class LiveRequest:
    """A real call in execution."""

    arrived: datetime
    prompt_tokens: int


class EngineModel:
    """Counters, histograms and gauges under vLLM's names (without `vllm:`), as they stand at the last `advance`.

    `edges` gives each histogram's bucket edges in seconds or tokens. Nothing here waits or draws chance: the same steps of the
    clock give the same figures.
    """

    def __init__(self, started: datetime, edges: Mapping[str, Sequence[float]], cache: CacheShape, scenario: Scenario) -> None:
        """Start at `started` with nothing counted."""
        self.edges = edges
        self.cache = cache
        self.scenario = scenario
        self.restart(started)

    def restart(self, started: datetime) -> None:
        """A new process: all counters at zero, no call survives."""
        self.started = started
        self._advanced = started
        self.counters: dict[tuple[str, Labels], float] = defaultdict(float)
        self.histograms = {name: Observations(edges) for name, edges in self.edges.items()}
        self.live: list[LiveRequest] = []
        self._due: dict[str, float] = defaultdict(float)
        self.worked_out = 0

    def switch(self, scenario: Scenario, now: datetime) -> None:
        """Other traffic from now on."""
        self.advance(now)
        self.scenario = scenario

    def advance(self, now: datetime) -> None:
        """Let the background traffic run until `now`."""
        elapsed = max(0.0, (now - self._advanced).total_seconds())
        self._advanced = max(self._advanced, now)
        self._spread(self._whole("requests", elapsed * self.scenario.requests_per_s))
        self._count("num_preemptions", self._whole("preemptions", elapsed * self.scenario.preemptions_per_s))

    def gauges(self) -> dict[str, float]:
        """Requests running and waiting, and the share 0..1 of cache blocks in use."""
        held = self.scenario.running * self.scenario.resident_tokens + sum(live.prompt_tokens for live in self.live)
        blocks = min(self.cache.blocks, math.ceil(held / self.cache.block_tokens))
        return {
            "num_requests_running": float(self.scenario.running + len(self.live)),
            "num_requests_waiting": float(self.scenario.waiting),
            "kv_cache_usage_perc": blocks / self.cache.blocks,
        }

    def begin(self, prompt_tokens: int, now: datetime) -> LiveRequest:
        """A real call starts executing."""
        request = LiveRequest(now, prompt_tokens)
        self.live.append(request)
        return request

    def finish(
        self, request: LiveRequest, *, answer_tokens: int, reason: str, first_token: datetime | None, now: datetime
    ) -> None:
        """A real call ends, for `reason` (stop, length, abort). `first_token` is when the first one was sent, if any."""
        if request not in self.live:  # the engine was restarted meanwhile
            return
        self.live.remove(request)
        if first_token is None:  # vLLM observes no times of a call that was given up before its first token
            self._count("request_success", 1, (("finished_reason", reason),))
            return
        e2e = (now - request.arrived).total_seconds()
        ttft = (first_token - request.arrived).total_seconds()
        itl = (e2e - ttft) / (answer_tokens - 1) if answer_tokens > 1 else 0.0
        self._observe(ttft=ttft, itl=itl, queue=0.0, prompt=request.prompt_tokens, answer=answer_tokens, reason=reason)

    def _whole(self, what: str, more: float) -> int:
        """Whole events that have become due; the rest is carried on."""
        self._due[what] += more
        whole = int(self._due[what])
        self._due[what] -= whole
        return whole

    def _spread(self, requests: int) -> None:
        """Let so many background requests finish, at evenly spread places of their distributions."""
        worked_out = min(requests, AT_MOST)
        for i in range(worked_out):
            self.worked_out += 1
            places = [(self.worked_out * step) % 1 for step in SPREAD]
            s, times = self.scenario, requests // worked_out + (1 if i < requests % worked_out else 0)
            self._observe(
                ttft=s.ttft.at(places[0]),
                queue=s.queue.at(places[0]),
                itl=s.itl.at(places[1]),
                prompt=round(s.prompt.at(places[2])),
                answer=round(s.answer.at(places[3])),
                reason="length" if places[3] > 1 - s.length_share else "stop",
                times=times,
                hit_share=s.hit_share,
            )

    def _observe(
        self,
        *,
        ttft: float,
        itl: float,
        queue: float,
        prompt: int,
        answer: int,
        reason: str,
        times: int = 1,
        hit_share: float = 0.0,
    ) -> None:
        """Count `times` finished requests of this kind."""
        hits = int(prompt * hit_share) // self.cache.block_tokens * self.cache.block_tokens
        self._tokens(prompt * times, hits * times, answer * times)
        self._count("request_success", times, (("finished_reason", reason),))
        decode = itl * max(0, answer - 1)
        seconds = {
            "time_to_first_token_seconds": ttft,
            "e2e_request_latency_seconds": ttft + decode,
            "request_queue_time_seconds": queue,
            "request_prefill_time_seconds": max(0.0, ttft - queue),
            "request_decode_time_seconds": decode,
            "request_inference_time_seconds": max(0.0, ttft - queue) + decode,
            "request_time_per_output_token_seconds": itl,
        }
        tokens = {
            "request_prompt_tokens": prompt,
            "request_generation_tokens": answer,
            "request_max_num_generation_tokens": answer,
            "request_prefill_kv_computed_tokens": prompt - hits,
            "request_params_n": 1,
            "request_num_preemptions": 0,
        }
        for name, value in {**seconds, **tokens}.items():
            self.histograms[name].observe(value, times)
        self.histograms["inter_token_latency_seconds"].observe(itl, times * max(0, answer - 1))

    def _tokens(self, prompt: int, hits: int, answer: int) -> None:
        """Token counters; the prefix cache is asked for every prompt token."""
        self._count("prompt_tokens", prompt)
        self._count("generation_tokens", answer)
        self._count("prefix_cache_queries", prompt)
        self._count("prefix_cache_hits", hits)
        self._count("prompt_tokens_cached", hits)
        self._count("prompt_tokens_cached_by_source", hits, (("source", "device"),))
        self._count("prompt_tokens_by_source", prompt - hits, (("source", "local_compute"),))
        self._count("prompt_tokens_by_source", hits, (("source", "local_cache_hit"),))

    def _count(self, name: str, by: float, labels: Labels = ()) -> None:
        """Let one counter grow."""
        self.counters[name, labels] += by
