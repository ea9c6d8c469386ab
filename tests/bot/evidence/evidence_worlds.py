"""Random but realistic results of operations, as the model would get them, in two styles of keys."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

ZONES = ["us-east5-a", "us-east5-b", "us-central1-b", "europe-west4-a", "us-east1-d", "asia-northeast1-b"]
SLICES = {"v6e-1": 1, "v6e-4": 4, "v6e-8": 8, "v5e-4": 4, "v5p-8": 4}
MODELS = ["E2B", "E4B", "12B", "26B", "31B"]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
Result = dict[str, Any]


@dataclass
class World:
    """The true values by a short name, and the results that hold them."""

    rng: Random
    values: dict[str, Any] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


def quantity(value: float, unit: str, at: datetime, source: str = "vLLM /metrics") -> Result:
    return {"value": value, "unit": unit, "at": at.isoformat(), "source": source}


def world(seed: int) -> World:
    """One world; the same seed gives the same world."""
    rng = Random(seed)
    w = World(rng)
    v = w.values
    v["now"] = NOON + timedelta(minutes=rng.randrange(60 * 24 * 20), seconds=rng.randrange(60))
    v["model"], v["slice"] = rng.choice(MODELS), rng.choice(list(SLICES))
    v["chips"] = SLICES[v["slice"]]
    v["machine"], v["zone"] = f"{rng.choice(['prod', 'dev', 'night'])}-{rng.randint(1, 29)}", rng.choice(ZONES)
    v["version"] = f"0.{rng.randint(20, 34)}.{rng.randint(0, 9)}"
    v["old_version"] = f"0.{int(v['version'].split('.')[1]) - rng.randint(1, 6)}.{rng.randint(0, 9)}"
    for part in (_load, _memory, _cost, _changes, _logs, _runs):
        part(w)
    order = list(range(len(w.results)))
    rng.shuffle(order)
    w.results = [w.results[i] for i in order]
    return w


def _distinct(rng: Random, count: int, low: int, high: int) -> list[int]:
    return rng.sample(range(low, high), count)


def _load(w: World) -> None:
    r, v, at = w.rng, w.values, w.now
    v["running"], v["waiting"], v["users"], v["preempted"] = _distinct(r, 4, 2, 90)
    v["kv"] = round(r.uniform(0.31, 0.99), 3)
    v["hit"] = round(v["kv"] - r.uniform(0.08, 0.25), 3)
    v["ttft"], v["ttft_usual"] = round(r.uniform(1.2, 9), 3), round(r.uniform(0.11, 0.9), 3)
    v["itl"], v["e2e"] = round(r.uniform(0.011, 0.09), 4), round(r.uniform(11, 60), 2)
    v["rps"], v["tps"] = round(r.uniform(2, 40), 2), round(r.uniform(300, 4000), 1)
    v["since"] = at - timedelta(minutes=r.randint(7, 400))
    v["ends"] = at + timedelta(minutes=r.randint(61, 1300))
    v["left_s"] = int((v["ends"] - at).total_seconds())
    if r.random() < 0.5:
        load: Result = {
            "deployment": "prod",
            "running": quantity(v["running"], "requests", at),
            "waiting": quantity(v["waiting"], "requests", at),
            "preempted": quantity(v["preempted"], "requests", at),
            "users": quantity(v["users"], "users", at, "access log"),
            "kv_cache_usage": quantity(v["kv"], "share", at),
            "prefix_hit_share": quantity(v["hit"], "share", at),
            "ttft_p90": quantity(v["ttft"], "s", at),
            "usual": {"ttft_p90": quantity(v["ttft_usual"], "s", at)},
            "itl_mean": quantity(v["itl"], "s", at),
            "e2e_p90": quantity(v["e2e"], "s", at),
            "requests_rate": quantity(v["rps"], "requests/s", at),
            "generation_rate": quantity(v["tps"], "tokens/s", at),
            "slow_since": v["since"].isoformat(),
        }
    else:
        load = {
            "num_requests_running": v["running"],
            "num_requests_waiting": v["waiting"],
            "num_preemptions": v["preempted"],
            "active_users": v["users"],
            "kv_cache_usage_perc": v["kv"],
            "prefix_cache_hit_rate": v["hit"],
            "time_to_first_token_seconds": {"p90": v["ttft"], "baseline_p90": v["ttft_usual"]},
            "inter_token_latency_ms": {"mean": v["itl"] * 1000},
            "e2e_latency_seconds_p90": v["e2e"],
            "requests_per_second": v["rps"],
            "generation_tokens_per_s": v["tps"],
            "slow_since": v["since"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    machine: Result = {
        "name": v["machine"],
        "zone": {"name": v["zone"]} if r.random() < 0.5 else v["zone"],
        "accelerator": v["slice"],
        "model": f"google/gemma-4-{v['model']}-it",
        "image": f"vllm/vllm-tpu:v{v['version']}",
        "state": "ready",
        "chips": v["chips"],
        "ends_at": v["ends"].isoformat(),
        "time_left": quantity(v["left_s"], "s", at, "computed"),
    }
    w.results += [{"id": "r1", "status": load}, {"id": "r2", "machines": [machine]}]


def _memory(w: World) -> None:
    r, v, at = w.rng, w.values, w.now
    v["blocks"] = r.randint(200, 19_000)
    v["block_size"] = r.choice([32, 64, 128])
    v["cache_tokens"] = v["blocks"] * v["block_size"]
    v["context"] = r.choice([8192, 16384, 32768, 65536])
    v["weights"], v["hbm"] = round(r.uniform(8.6, 57.9), 2), round(r.uniform(64, 125), 2)
    v["free"] = round(r.uniform(0.3, 7.9), 2)
    v["layers"], v["fits"] = r.randint(61, 99), r.randint(3, 40)
    w.results.append(
        {
            "id": "r3",
            "memory": {
                "weights": quantity(v["weights"], "GiB", at, "checkpoint"),
                "hbm_total_gib": v["hbm"],
                "free_per_chip": quantity(v["free"], "GiB", at, "start-up log"),
                "cache_tokens": quantity(v["cache_tokens"], "tokens", at, "start-up log"),
                "num_gpu_blocks": v["blocks"],
                "block_size": v["block_size"],
                "max_model_len": v["context"],
                "layers": v["layers"],
                "max_concurrency": quantity(v["fits"], "users", at, "computed"),
            },
        }
    )


def _cost(w: World) -> None:
    r, v, at = w.rng, w.values, w.now
    v["price"] = round(r.uniform(1.2, 30), 2)
    v["hours"], v["idle_hours"] = r.randint(131, 400), r.randint(11, 120)
    v["spent"], v["idle_cost"] = round(v["hours"] * v["price"], 2), round(v["idle_hours"] * v["price"], 2)
    v["forecast"], v["budget_used"] = round(v["spent"] * r.uniform(1.2, 1.9), 2), round(r.uniform(0.2, 0.95), 2)
    v["price_date"] = at - timedelta(days=r.randint(2, 9))
    quantities = r.random() < 0.5
    w.results.append(
        {
            "id": "r4",
            "cost": {
                "price": quantity(v["price"], "USD/h", v["price_date"], "list price"),
                "hours": quantity(v["hours"], "h", at, "store") if quantities else v["hours"],
                "spent_usd": v["spent"],
                "idle": {"hours": v["idle_hours"], "usd": v["idle_cost"]},
                "forecast": quantity(v["forecast"], "USD", at, "computed"),
                "budget_used_percent": round(v["budget_used"] * 100, 1),
            },
        }
    )


def _changes(w: World) -> None:
    r, v, at = w.rng, w.values, w.now
    v["deploy_at"] = at - timedelta(days=r.randint(1, 6), minutes=r.randint(1, 700))
    v["prompt_before"], v["prompt_after"] = r.randint(300, 999), r.randint(2100, 9000)
    v["restart_minutes"] = r.randint(6, 19)
    w.results.append(
        {
            "id": "r5",
            "changes": [
                {
                    "at": v["deploy_at"].isoformat(),
                    "kind": "deploy",
                    "text": f"image vllm/vllm-tpu:v{v['old_version']} -> vllm/vllm-tpu:v{v['version']}",
                },
            ],
            "prompt_tokens_median": {"before": v["prompt_before"], "after": v["prompt_after"]},
            "restart_time": quantity(v["restart_minutes"] * 60, "s", at, "last starts"),
        }
    )


def _logs(w: World) -> None:
    r, v = w.rng, w.values
    v["errors"], v["lines"] = r.randint(101, 199), r.randint(20_100, 99_000)
    v["wanted_m"], v["had_m"] = round(r.uniform(350, 500), 2), round(r.uniform(110, 340), 2)
    v["first_error"] = w.now - timedelta(minutes=r.randint(401, 700))
    w.results.append(
        {
            "id": "r6",
            "lines_read": v["lines"],
            "patterns": [
                {
                    "pattern": "Ran out of memory in memory space hbm",
                    "count": v["errors"],
                    "first": v["first_error"].isoformat(),
                    "example": f"Attempting to allocate {v['wanted_m']}M. That was not possible. There are {v['had_m']}M free.",
                    "level": "ERROR",
                }
            ],
            "errors": {"total": v["errors"]},
        }
    )


def _runs(w: World) -> None:
    r, v = w.rng, w.values
    v["gain"], v["gain_low"], v["gain_high"] = r.randint(21, 28), r.randint(11, 19), r.randint(30, 39)
    v["bench_p99"], v["bench_p99_old"] = round(r.uniform(2.5, 4.4), 2), round(r.uniform(1.1, 2.2), 2)
    w.results.append(
        {
            "id": "r7",
            "compare": {
                "users": 64,
                "tokens_per_s_change_percent": {"value": v["gain"], "low": v["gain_low"], "high": v["gain_high"]},
                "ttft_p99_s": {"before": v["bench_p99_old"], "after": v["bench_p99"]},
                "runs_each": 3,
            },
        }
    )
