"""Results of two more shapes, for sentences by hand."""

from typing import Any

AT = "2026-11-30T03:00:12+00:00"
Json = dict[str, Any]


def q(value: float, unit: str) -> Json:
    return {"value": value, "unit": unit, "at": AT, "source": "test"}


METRICS: list[Json] = [
    {
        "operation": "metrics",
        "window": {"since": "2026-11-30T02:00:00Z", "until": "2026-11-30T03:00:00Z"},
        "requests_per_s": q(5.06, "requests/s"),
        "output_tokens_per_s": q(1139.73, "tokens/s"),
        "ttft": {"p50": q(0.61, "s"), "p90": q(0.98, "s"), "p99": None, "n": 18240},
        "itl": {"p50": q(0.0144, "s"), "p90": q(0.051, "s")},
        "e2e": {"p50": q(7.09, "s"), "p90": q(12.4, "s")},
        "queue_time": {"mean": q(0.35, "s")},
        "preemptions": q(31, "preemptions"),
        "prefix_hit": q(0.34, "share"),
        "kv_cache_usage": q(0.915, "share"),
        "running": q(38, "requests"),
        "waiting": q(5, "requests"),
        "finished": {"stop": 17950, "length": 230, "error": 60},
    },
    {
        "operation": "machines",
        "machines": [
            {
                "name": "prod-1",
                "zone": "us-east5-a",
                "slice": "v6e-4",
                "state": "ready",
                "usd_per_hour": 5.4,
                "up_hours": 26.2,
                "created_at": "2026-11-29T00:48:00Z",
                "ends_at": "2026-11-30T18:50:00Z",
            },
            {
                "name": "dev-7",
                "zone": "europe-west4-b",
                "slice": "v5e-8",
                "state": "creating",
                "usd_per_hour": 9.6,
                "up_hours": 0.4,
                "created_at": "2026-11-30T02:36:00Z",
                "ends_at": None,
            },
        ],
        "zones_asked": 22,
        "unreachable": {"us-south1-a": "timed out"},
    },
    {"operation": "budget", "limit_usd": 500, "spent_usd": 415, "used_share": 0.83, "days_left": 1},
    {
        "operation": "errors",
        "lines_read": 4312,
        "window_s": 3600,
        "patterns": [
            {
                "text": "HF 403 Forbidden",
                "count": 6,
                "first": "2026-11-30T02:11:09Z",
                "last": "2026-11-30T02:47:31Z",
                "new": True,
            },
            {
                "text": "Engine core died",
                "count": 2,
                "first": "2026-11-30T02:31:00Z",
                "last": "2026-11-30T02:33:00Z",
                "new": False,
            },
        ],
    },
    {
        "operation": "changes",
        "changes": [
            {"at": "2026-11-28T16:20:00Z", "kind": "flag", "flag": "max_model_len", "from": "32768", "to": "65536", "by": "Anna"},
            {"at": "2026-11-27T09:05:00Z", "kind": "restart", "took": q(640, "s")},
        ],
    },
    {
        "operation": "memory",
        "model": "google/gemma-4-31B-it",
        "hbm_per_chip": q(31.25, "GiB"),
        "weights_per_chip": q(14.56, "GiB"),
        "kv_per_chip": q(14.18, "GiB"),
        "num_gpu_blocks": 526,
        "block_size": 128,
        "kv_cache_size_tokens": 67328,
        "max_concurrency": 1.03,
        "gpu_memory_utilization": 0.92,
        "bytes_per_token": q(901120, "B/token"),
    },
    {
        "operation": "model",
        "version": "0.32.0",
        "id": "gemma-4-31B",
        "context": 65536,
        "params": q(30.7e9, "parameters"),
        "layers": 60,
        "kv_heads": {"sliding": 16, "global": 4},
    },
]

STATUS: list[Json] = [
    {
        "id": "r1",
        "operation": "status",
        "deployment": "prod",
        "state": "degraded",
        "load": {
            "requests_running": q(14, "requests"),
            "requests_waiting": q(23, "requests"),
            "kv_cache_usage": q(0.97, "share"),
            "preemptions_per_minute": q(31, "1/min"),
        },
        "latency": {"first_token_p90": q(0.98, "s"), "first_token_p90_hour_before": q(0.42, "s")},
        "prompt_tokens_p50": {"now": q(4700, "tokens"), "hour_before": q(900, "tokens")},
        "machine": {"name": "prod-1", "created": "2026-11-29T01:00:00+01:00", "chips": 4},
        "engine": {"image": "vllm/vllm-tpu:v0.26.1", "up": q(93600, "s"), "restarts": 2},
    },
    {
        "id": "r2",
        "operation": "cost",
        "items": [
            {"deployment": "prod", "hours": q(257, "h"), "rate": q(5.4, "USD/h"), "total": q(1387.8, "USD")},
            {"deployment": "dev-2", "hours": q(31.5, "h"), "rate": q(1.35, "USD/h"), "total": q(42.53, "USD")},
        ],
        "sum": q(1430.33, "USD"),
        "output_token_price": q(1.21, "USD per million tokens"),
    },
    {
        "id": "r3",
        "operation": "logs",
        "lines": 4312,
        "patterns": [
            {
                "id": "P1",
                "pattern": "Ran out of memory in memory space hbm",
                "count": 12,
                "first_seen": "2026-11-30T02:38:01Z",
                "example": "Ran out of memory in memory space hbm. Used 31.62G of 31.25G hbm. Exceeded hbm capacity by 379.81M.",
            }
        ],
    },
    {
        "id": "r4",
        "operation": "zones",
        "zones": {
            "us-east5-a": {"quota": q(16, "chips"), "used": q(4, "chips")},
            "us-east5-b": {"quota": q(8, "chips"), "used": q(0, "chips")},
        },
        "no_hardware": 11,
    },
]
