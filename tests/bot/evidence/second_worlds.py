"""Second family: the live state of an engine, as flat numbers, as metrics with labels, as machines, and as before and after."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from second_facts import CET, Told, calc, facts

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


def moments(rng: Random, number: int) -> list[datetime]:
    """Distinct minutes of the last days, oldest first."""
    return sorted(NOW - timedelta(minutes=m) for m in rng.sample(range(17, 6000), number))


def distinct(rng: Random, low: int, high: int, number: int) -> list[int]:
    return rng.sample(range(low, high), number)


def flat(rng: Random) -> Told:
    """One flat dict: units in the keys, epoch seconds, a share without a word for it."""
    p50, p90, p99 = sorted(distinct(rng, 150, 4000, 3))
    itl, e2e = rng.randint(9, 90), rng.randint(5000, 60000)
    running, waiting, swapped, paused = distinct(rng, 3, 64, 4)
    kv, hit = rng.randint(210, 995) / 1000, rng.randint(20, 190) / 1000
    since, deployed = moments(rng, 2)
    rate, tps, rps = rng.choice([1.35, 5.4, 10.8, 9.6]), rng.uniform(200, 4000), rng.uniform(1.2, 9)
    context, up, version = (
        rng.choice([8192, 16384, 32768, 65536]),
        rng.randint(3000, 200000),
        rng.choice(["0.26.1rc1", "0.32.0", "0.31.2"]),
    )
    flat_result: dict[str, Any] = {
        "deployment": "prod",
        "ready": True,
        "degraded_reason": None,
        "ttft_p50_ms": p50,
        "ttft_p90_ms": p90,
        "ttft_p99_ms": p99,
        "itl_p90_ms": itl,
        "e2e_p90_ms": e2e,
        "requests_running": running,
        "requests_waiting": waiting,
        "requests_swapped": swapped,
        "preempted_last_minute": paused,
        "kv_cache_usage": kv,
        "prefix_cache_hit_rate": hit,
        "generation_tokens_per_s": round(tps, 2),
        "requests_per_s": round(rps, 2),
        "usd_per_hour": rate,
        "uptime_s": up,
        "max_model_len": context,
        "port": 8000,
        "num_layers": 60,
        "slow_since": since.isoformat(),
        "deployed_at_epoch": int(deployed.timestamp()),
        "vllm_version": version,
        "machine": "prod-1",
        "zone": "us-east5-a",
        "accelerator": "v6e-4",
        "model": "google/gemma-4-31B-it",
    }
    told = facts(
        ms={"p50": p50, "p90": p90, "p99": p99, "itl": itl, "e2e": e2e},
        n={"running": running, "waiting": waiting, "paused": paused},
        share={"kv": kv},
        percent={"hit": hit},
        tps={"tps": tps},
        rps={"rps": rps},
        rate={"rate": rate},
        dur={"up": up},
        ctx={"context": context},
        when={"since": since, "deployed": deployed},
        version={"version": version},
        name={"machine": "prod-1", "zone": "us-east5-a", "slice": "v6e-4", "model": "gemma-4-31B-it"},
    )
    total = running + waiting
    told["total"] = calc(str(total), str(total + 3), str(total - 2), str(total + 10))
    told["factor"] = calc(f"{p99 / p50:.1f}", f"{p99 / p50 * 1.5:.1f}", f"{p99 / p50 * 0.7 + 9:.1f}")
    told["night"] = calc(f"${rate * 8:.2f}", f"${rate * 7.5:.2f}", f"${rate * 9:.2f}", f"${rate * 8 + 10:.2f}")
    lines = [
        "First token is slow: p90 {p90}, p50 {p50}.",
        "p90 TTFT = {p90}, p99 TTFT = {p99}",
        "ttft p50/p90/p99: {p50} / {p90} / {p99}",
        "- **TTFT p90:** {p90}\n- **TTFT p99:** {p99}\n- **ITL p90:** {itl}",
        "The median time to first token sits at {p50}; the 90th percentile at {p90}, the 99th at {p99}.",
        "1 in 100 users waits {p99} or longer for the first token.",
        "Between tokens it takes {itl} at p90.",
        "90 % of requests finish within {e2e}.",
        "{running} requests are running and {waiting} are waiting.",
        "running {running}, waiting {waiting}, KV {kv}",
        "Right now: {running} in flight, {waiting} queued ({kv} of the cache used).",
        "1. Running: {running}\n2. Waiting: {waiting}\n3. Preempted in the last minute: {paused}",
        "{paused} requests were paused (preempted) in the last minute.",
        "| running | waiting | cache |\n| --- | --- | --- |\n| {running} | {waiting} | {kv} |",
        "The KV cache is {kv} full.",
        "Cache usage {kv}; only {hit} of prompt tokens come from the prefix cache.",
        "Prefix cache hit rate is {hit}.",
        "It generates {tps} at {rps}.",
        "Throughput: {tps}.",
        "It costs {rate} and has been up for {up}.",
        "Uptime {up}, port 8000, {context} context.",
        "Context limit is {context} tokens.",
        "slow since {since}; last deploy {deployed}",
        "It got slow at {since}.",
        "Deployed {deployed} with vLLM {version}.",
        "vLLM {version} on {slice} in {zone}",
        "{machine} ({slice}, {zone}) serves {model}.",
        "`{running}` + `{waiting}` = {total} requests in the engine.",
        "p99 first token ({p99}) is {factor} times p50 ({p50})." if p99 / p50 > 1.3 else "TTFT p99 {p99}",
        "At {rate} that is {night} for 8 h.",
        "For an 8-hour night at {rate} you pay {night}.",
    ]
    return Told([flat_result], told, lines)


def prometheus(rng: Random) -> Told:
    """A list of metrics with labels, two models beside each other."""
    small, large = "gemma-4-E4B-it", "gemma-4-31B-it"
    run_a, run_b, wait_a, wait_b = distinct(rng, 2, 70, 4)
    kv_a, kv_b = (n / 1000 for n in distinct(rng, 101, 989, 2))
    good, failed, length = distinct(rng, 300, 30000, 3)
    pre_a, pre_b = distinct(rng, 1, 90, 2)
    p90_a, p90_b = distinct(rng, 120, 5000, 2)

    def metric(name: str, model: str, value: float, **labels: str) -> dict[str, Any]:
        return {"metric": f"vllm:{name}", "labels": {"model_name": model, **labels}, "value": value}

    samples = [
        metric("num_requests_running", large, run_a),
        metric("num_requests_running", small, run_b),
        metric("num_requests_waiting", large, wait_a),
        metric("num_requests_waiting", small, wait_b),
        metric("kv_cache_usage_perc", large, kv_a),
        metric("kv_cache_usage_perc", small, kv_b),
        metric("num_preemptions_total", large, pre_a),
        metric("num_preemptions_total", small, pre_b),
        metric("request_success_total", large, good, finished_reason="stop"),
        metric("request_success_total", large, length, finished_reason="length"),
        metric("request_success_total", large, failed, finished_reason="abort"),
        metric("time_to_first_token_seconds", large, p90_a / 1000, quantile="0.9"),
        metric("time_to_first_token_seconds", small, p90_b / 1000, quantile="0.9"),
    ]
    told = facts(
        n={"run_a": run_a, "run_b": run_b, "wait_a": wait_a, "wait_b": wait_b, "pre_a": pre_a, "pre_b": pre_b},
        share={"kv_a": kv_a, "kv_b": kv_b},
        big={"good": good, "failed": failed, "length": length},
        ms={"p90_a": p90_a, "p90_b": p90_b},
        name={"large": large, "small": small},
    )
    both = run_a + run_b
    told["both"] = calc(str(both), str(both + 2), str(both + 11), str(both - 1))
    lines = [
        f"{large}: {{run_a}} running, {{wait_a}} waiting, KV cache {{kv_a}}.",
        f"{small}: {{run_b}} running, {{wait_b}} waiting, KV cache {{kv_b}}.",
        f"- {large}: {{run_a}} running\n- {small}: {{run_b}} running",
        "{large} and {small} are both served.",
        f"{small} has {{wait_b}} requests waiting, {large} {{wait_a}}.",
        f"On {large}, {{good}} requests stopped normally, {{length}} hit the length limit, {{failed}} were aborted.",
        f"{{failed}} requests to {large} were aborted.",
        f"The p90 of the first token is {{p90_a}} for {large} and {{p90_b}} for {small}.",
        f"{large} preempted {{pre_a}} times, {small} {{pre_b}} times.",
        f"{{pre_a}} preemptions ({large})",
        f"KV usage: {{kv_a}} ({large}), {{kv_b}} ({small}).",
        "{run_a} + {run_b} = {both} requests run at the moment.",
        f"vllm:num_requests_waiting is {{wait_b}} for {small}",
    ]
    return Told([{"id": "m1", "scraped_at": NOW.isoformat(), "samples": samples}], told, lines)


def fleet(rng: Random) -> Told:
    """Machines as records, and which leases end when."""
    zones = rng.sample(["us-east5-a", "us-east5-b", "europe-west4-b", "us-central1-c", "asia-northeast1-b"], 3)
    names = [f"prod-{rng.randint(1, 4)}", f"bench-{rng.randint(10, 40)}", f"dev-{rng.randint(5, 9)}"]
    slices, rates = rng.sample([("v6e-4", 5.4), ("v5e-8", 9.6), ("v6e-1", 1.35), ("v5p-8", 16.8), ("v6e-8", 10.8)], 3), []
    rates = [rate for _, rate in slices]
    made, ends = moments(rng, 3), [NOW + timedelta(minutes=m) for m in distinct(rng, 40, 900, 3)]
    ups = [int((NOW - at).total_seconds()) for at in made]
    errors = distinct(rng, 1, 40, 3)
    records = [
        {
            "name": names[i],
            "zone": zones[i],
            "accelerator_type": slices[i][0],
            "state": rng.choice(["READY", "CREATING"]),
            "healthy": True,
            "create_time": made[i].astimezone(CET).isoformat(),
            "lease_ends": ends[i].isoformat().replace("+00:00", "Z"),
            "hourly_cost": {"value": rates[i], "unit": "USD/h", "at": NOW.isoformat(), "source": "list price"},
            "uptime": {"value": ups[i], "unit": "s", "at": NOW.isoformat(), "source": "tpu.googleapis.com"},
            "errors_last_hour": errors[i],
            "chips": int(slices[i][0].split("-")[1]),
            "external_ip": None,
        }
        for i in range(3)
    ]
    told = facts(
        name={
            f"{k}{i}": v[i] for i in range(3) for k, v in {"name": names, "zone": zones, "slice": [s for s, _ in slices]}.items()
        },
        rate={f"rate{i}": rates[i] for i in range(3)},
        when={f"{k}{i}": v[i] for i in range(3) for k, v in {"made": made, "ends": ends}.items()},
        dur={f"up{i}": ups[i] for i in range(3)} | {f"left{i}": (ends[i] - NOW).total_seconds() for i in range(3)},
        n={f"errors{i}": errors[i] for i in range(3)},
    )
    total = sum(rates)
    told["all_rates"] = calc(f"${total:.2f}/h", f"${total + 1.2:.2f}/h", f"${total * 0.8:.2f}/h", f"${total + 0.5:.2f}/h")
    a, b, c = names
    lines = [
        f"{a} is a {{slice0}} in {{zone0}}, {{rate0}}, up for {{up0}}.",
        f"{b}: {{slice1}} · {{zone1}} · {{rate1}} · ends {{ends1}}",
        f"{c} was created {{made2}} and its lease ends {{ends2}}.",
        f"- {a}: {{zone0}}, {{rate0}}\n- {b}: {{zone1}}, {{rate1}}\n- {c}: {{zone2}}, {{rate2}}",
        f"| name | type | price |\n|---|---|---|\n| {a} | {{slice0}} | {{rate0}} |\n| {b} | {{slice1}} | {{rate1}} |",
        "You have 3 machines: {name0}, {name1} and {name2}.",
        "{name0} ends at {ends0}.",
        f"Lease of {b} ends {{ends1}}.",
        f"{a} logged {{errors0}} errors in the last hour, {b} {{errors1}}, {c} {{errors2}}.",
        f"{{errors2}} errors on {c} within the last hour",
        f"{c} is up since {{made2}}.",
        f"{b} has been running for {{up1}}",
        "All three together: {rate0} + {rate1} + {rate2} = {all_rates}.",
        f"{a} costs {{rate0}}; {b} is {{rate1}}.",
        f"Machine 2 of 3, {b}, sits in {{zone1}}.",
    ]
    return Told([{"now": NOW.isoformat(), "instances": records, "count": 3}], told, lines)


def shift(rng: Random) -> Told:
    """Before and after, and the settings that changed."""
    before, after = sorted(distinct(rng, 200, 3000, 2))
    short, long = sorted(distinct(rng, 300, 9000, 2))
    wait_before, wait_after = rng.randint(0, 3), rng.randint(9, 60)
    at, changed, restarted = moments(rng, 3)
    old, new = rng.sample(["0.26.1", "0.27.0", "0.31.2", "0.32.0", "0.26.1rc1"], 2)
    results: list[dict[str, Any]] = [
        {
            "metric": "ttft_p90",
            "onset": at.isoformat(),
            "now": {"value": after / 1000, "unit": "s", "at": NOW.isoformat(), "source": "vLLM /metrics"},
            "baseline": {"value": before / 1000, "unit": "s", "at": NOW.isoformat(), "source": "history"},
        },
        {"metric": "prompt_tokens_median", "now": long, "baseline": short},
        {"metric": "requests_waiting", "now": wait_after, "baseline": wait_before},
        {
            "recent_changes": [
                {"at": changed.isoformat(), "what": "max_model_len", "old": 32768, "new": 65536, "by": "anna"},
                {
                    "at": restarted.isoformat(),
                    "what": "image",
                    "old": f"vllm/vllm-tpu:v{old}",
                    "new": f"vllm/vllm-tpu:v{new}",
                    "by": "ben",
                },
            ],
            "looked_back_hours": 24,
        },
    ]
    told = facts(
        ms={"before": before, "after": after},
        tok={"short": short, "long": long},
        n={"wait_before": wait_before, "wait_after": wait_after},
        when={"at": at, "changed": changed, "restarted": restarted},
        version={"old": old, "new": new},
    )
    ratio, more = after / before, (long / short - 1) * 100
    told["ratio"] = calc(f"{ratio:.1f}", f"{ratio * 1.6:.1f}", f"{ratio + 2:.1f}")
    told["more"] = calc(f"{more:.0f} %", f"{more * 1.4 + 3:.0f} %", f"{more * 0.6 + 40:.0f} %")
    lines = [
        "TTFT p90 went up from {before} to {after} at {at}.",
        "First token p90: {before} → {after}",
        "The 90th percentile of the first token is now {after} (baseline {before}).",
        "TTFT p90 rose from {before} to {after}, that is {ratio} times as much.",
        "Prompts grew: {short} → {long} (median).",
        "The median prompt went from {short} to {long}, that is {more} more.",
        "Waiting went up from {wait_before} to {wait_after}.",
        "{wait_after} requests wait now, usually {wait_before}.",
        "It began at {at}.",
        "anna set max_model_len from 32768 to 65536 at {changed}.",
        "Anna doubled the context from 32K to 64K ({changed}).",
        "The image changed from {old} to {new} at {restarted}." if "rc" not in old + new else "Image {old} → {new}",
        "vLLM {old} → {new} ({restarted}, by ben)",
        "I looked at the last 24 h of changes and found 2.",
    ]
    return Told(results, told, lines)


WORLDS = (flat, prometheus, fleet, shift)
