"""What vLLM's metrics are called here and there: one canonical name, and the names that versions of the server gave it.

Names of vLLM 0.32.0 come from recorded scrapes; the older ones (0.5 to 0.10, V0 and early V1) from vLLM's
history of its metrics. Families are named as prometheus_client's parser names them: without the `_total` of a counter.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

RUNNING: Final = "running"
"""Gauge: requests in execution batches, summed over engines."""
WAITING: Final = "waiting"
"""Gauge: requests that wait to be scheduled, summed over engines."""
KV_CACHE_USAGE: Final = "kv_cache_usage"
"""Gauge: share 0..1 of the KV cache in use. Of several engines the fullest one's, for there requests are preempted."""
PROMPT_TOKENS: Final = "prompt_tokens"
"""Counter: prompt tokens processed."""
GENERATION_TOKENS: Final = "generation_tokens"
"""Counter: tokens generated, reasoning included."""
PREFIX_CACHE_QUERIES: Final = "prefix_cache_queries"
"""Counter: tokens looked up in the prefix cache (blocks before vLLM 0.9: only the ratio to the hits is comparable)."""
PREFIX_CACHE_HITS: Final = "prefix_cache_hits"
"""Counter: tokens found in the prefix cache."""
PREEMPTIONS: Final = "preemptions"
"""Counter: times that a running request was put back because the KV cache was full."""
REQUESTS_FINISHED: Final = "requests_finished"
"""Counter family: `requests_finished.<reason>`, reason stop, length, abort, error or repetition."""
TTFT: Final = "ttft"
"""Histogram, seconds: from tokenization to the first token, without network and client."""
ITL: Final = "itl"
"""Histogram, seconds: between two tokens of one request."""
E2E: Final = "e2e"
"""Histogram, seconds: from arrival to the last token."""
QUEUE_TIME: Final = "queue_time"
"""Histogram, seconds: from arrival until first scheduled."""
PROMPT_TOKENS_PER_REQUEST: Final = "prompt_tokens_per_request"
"""Histogram, tokens: prompt length of finished requests."""
GENERATION_TOKENS_PER_REQUEST: Final = "generation_tokens_per_request"
"""Histogram, tokens: answer length of finished requests."""

GAUGES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        RUNNING: ("vllm:num_requests_running",),
        WAITING: ("vllm:num_requests_waiting",),
        KV_CACHE_USAGE: ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
        "swapped": ("vllm:num_requests_swapped",),
    }
)
"""Canonical gauge -> families, the newest first; the first one exposed counts."""

COUNTERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        PROMPT_TOKENS: ("vllm:prompt_tokens",),
        GENERATION_TOKENS: ("vllm:generation_tokens",),
        PREFIX_CACHE_QUERIES: ("vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"),
        PREFIX_CACHE_HITS: ("vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"),
        PREEMPTIONS: ("vllm:num_preemptions", "vllm:num_preemption"),
    }
)
"""Canonical counter -> families, the newest first."""

LABELLED_GAUGES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {WAITING: ("vllm:num_requests_waiting_by_reason", "reason")},
)
"""Prefix -> (family, label): one gauge `prefix.<label value>` for each value, such as `waiting.capacity`."""

LABELLED_COUNTERS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        REQUESTS_FINISHED: ("vllm:request_success", "finished_reason"),
        PROMPT_TOKENS: ("vllm:prompt_tokens_by_source", "source"),
        "admission_rejections": ("vllm:admission_rejections", "reason"),
        "tool_call_parser": ("vllm:tool_call_parser_invocations", "outcome"),
    }
)
"""Prefix -> (family, label): one counter `prefix.<label value>` for each value, such as `requests_finished.stop`."""

HISTOGRAMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        TTFT: ("vllm:time_to_first_token_seconds",),
        ITL: ("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"),
        E2E: ("vllm:e2e_request_latency_seconds",),
        QUEUE_TIME: ("vllm:request_queue_time_seconds", "vllm:time_in_queue_requests"),
        PROMPT_TOKENS_PER_REQUEST: ("vllm:request_prompt_tokens",),
        GENERATION_TOKENS_PER_REQUEST: ("vllm:request_generation_tokens",),
        "prefill_time": ("vllm:request_prefill_time_seconds",),
        "decode_time": ("vllm:request_decode_time_seconds",),
    }
)
"""Canonical histogram -> families, the newest first. vLLM renamed time_per_output_token to inter_token_latency; both are gaps."""

CACHE_CONFIG: Final = "vllm:cache_config_info"
"""Info family (value 1.0) whose labels hold the KV cache's configuration as text, "None" included."""
PROCESS_START: Final = "process_start_time_seconds"
"""Gauge, seconds since the epoch: start of the API server's process."""
PREFIX: Final = "vllm:"
"""What each family of a vLLM starts with."""
