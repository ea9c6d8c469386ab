"""Second family: benchmark rows, log patterns, bills, memory sums and zone searches."""

from random import Random
from typing import Any

from second_facts import Told, calc, facts
from second_worlds import NOW, distinct, moments


def quantity(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit, "at": NOW.isoformat(), "source": "measured"}


def bench(rng: Random) -> Told:
    """Rows of one benchmark, its title holds numbers too."""
    users = [1, 4, 16, 64]
    tps = sorted(rng.uniform(60, 3000) for _ in users)
    p90 = sorted(distinct(rng, 90, 6000, 4))
    itl = sorted(distinct(rng, 8, 95, 4))
    cost = sorted((rng.randint(90, 990) / 100 for _ in users), reverse=True)
    work, runs, when = f"bench-{rng.randint(10, 30)}", rng.randint(3, 6), moments(rng, 1)[0]
    rows = [
        {
            "concurrency": n,
            "output_throughput": quantity(tps[i], "tokens/s"),
            "ttft_p90": quantity(p90[i] / 1000, "s"),
            "itl_p50_ms": itl[i],
            "failed": 0,
            "usd_per_million_output_tokens": cost[i],
        }
        for i, n in enumerate(users)
    ]
    title = f"{work}: 31B on v6e-4, 1024 in / 128 out, {runs} runs each"
    results: list[dict[str, Any]] = [
        {"work_id": work, "title": title, "finished_at": when.isoformat(), "runs": runs, "input_tokens": 1024, "rows": rows}
    ]
    told = facts(
        tps={f"tps{i}": tps[i] for i in range(4)},
        ms={f"{k}{i}": v[i] for i in range(4) for k, v in {"p90_": p90, "itl_": itl}.items()},
        cents={f"cost{i}": cost[i] for i in range(4)},
        n={"runs": runs},
        name={"work": work},
        when={"finished": when},
    )
    gain = tps[3] / tps[2]
    told["gain"] = calc(f"{gain:.1f}x", f"{gain * 1.5 + 0.3:.1f}x", f"{gain + 1.2:.1f}x")
    per_user = tps[2] / 16
    told["each"] = calc(f"{per_user:.0f}", f"{per_user * 1.3 + 2:.0f}", f"{per_user * 0.6:.0f}")
    lines = [
        "At 16 users: {tps2}, first token p90 {p90_2}.",
        "64 users: {tps3}, TTFT p90 {p90_3}, ITL p50 {itl_3}",
        "- 1 user: {tps0}\n- 4 users: {tps1}\n- 16 users: {tps2}\n- 64 users: {tps3}",
        "With one user it makes {tps0}, with 64 {tps3}.",
        "| users | tokens/s | TTFT p90 |\n|---|---|---|\n| 4 | {tps1} | {p90_1} |\n| 64 | {tps3} | {p90_3} |",
        "Concurrency 4 gives {tps1} at {p90_1} p90 TTFT.",
        "p90 first token at 16 users: {p90_2}; at 64 users: {p90_3}.",
        "The median inter-token latency grows from {itl_0} (1 user) to {itl_3} (64 users).",
        "A million output tokens costs {cost2} at 16 users and {cost3} at 64.",
        "{work} finished {finished}, {runs} runs each, no failures.",
        "{work} ran 4 levels (1 to 64 users) with 1024 input tokens.",
        "From 16 to 64 users throughput goes from {tps2} to {tps3}, {gain}."
        if gain > 1.5
        else "16 users: {tps2}; 64 users: {tps3}",
        "{tps2} / 16 users = {each} tokens/s for each.",
    ]
    return Told(results, told, lines)


def logs(rng: Random) -> Told:
    """Patterns of an engine log with raw examples in which times, ports, sizes and codes stand."""
    lines_read, new, old = rng.randint(2000, 300000), *distinct(rng, 2, 400, 2)
    wanted, had = round(rng.uniform(380, 900), 2), round(rng.uniform(100, 370), 2)
    first, last, old_first = moments(rng, 3)
    stamp = f"ERROR {first:%m-%d %H:%M:%S} [engine.py:{rng.randint(50, 900)}]"
    results: list[dict[str, Any]] = [
        {
            "query": "severity>=ERROR",
            "window_minutes": 60,
            "lines": lines_read,
            "patterns": [
                {
                    "title": "HTTP 503 Service Unavailable",
                    "count": new,
                    "first_seen": first.isoformat(),
                    "last_seen": last.isoformat(),
                    "is_new": True,
                    "example": f"{stamp} POST http://10.0.0.7:8000/v1/chat/completions 503 commit 3fa9c1e",
                },
                {
                    "title": "Ran out of memory in memory space hbm",
                    "count": old,
                    "first_seen": old_first.isoformat(),
                    "last_seen": None,
                    "is_new": False,
                    "example": f"jit_step: Attempting to allocate {wanted}M. That was not possible. There are {had}M free.",
                },
            ],
        },
        {"container": "vllm", "exit_code": 137, "restarts": 3},
    ]
    told = facts(
        big={"lines": lines_read},
        n={"new": new, "old": old, "code": 137},
        mega={"wanted": wanted, "had": had},
        when={"first": first, "last": last, "old_first": old_first},
    )
    short = wanted - had
    told["short"] = calc(f"{short:.2f}M", f"{short + 1:.2f}M", f"{short * 0.9:.2f}M", f"{short * 1.2:.2f}M")
    together = new + old
    told["together"] = calc(str(together), str(together + 1), str(together + 10), str(together - 3))
    lines = [
        "I read {lines} lines of the last 60 min.",
        "HTTP 503 came {new} times, first at {first}, last at {last}.",
        "{new} × HTTP 503 since {first} (new)",
        "- `503 Service Unavailable`: {new} times\n- out of memory: {old} times",
        "**503s:** {new} in the last hour; new.",
        "HBM ran out {old} times, first seen {old_first}.",
        "It tried to allocate {wanted} while {had} were free.",
        "{wanted} wanted, {had} free: {short} short.",
        "The container exited with code {code} and was restarted 3 times.",
        "Two patterns: 503 ({new}x) and out of memory ({old}x).",
        "{new} + {old} = {together} errors in {lines} lines.",
        "Requests to port 8000 got HTTP 503; the first one at {first}.",
        "The build is commit 3fa9c1e.",
        "The last 503 was at {last}.",
    ]
    return Told(results, told, lines)


def bill(rng: Random) -> Told:
    """What was spent, by deployment and by day."""
    rate, hours, idle = rng.choice([5.4, 10.8, 9.6, 1.35]), rng.randint(100, 700), rng.randint(10, 90)
    spent, idle_cost = round(rate * hours, 2), round(rate * idle, 2)
    other, budget, heading = (
        round(rng.uniform(20, 900), 2),
        rng.choice([1500, 2500, 4000, 9000]),
        round(rng.uniform(1000, 9000), 2),
    )
    listed, busiest = moments(rng, 2)
    share = spent / budget
    results: list[dict[str, Any]] = [
        {
            "period": "2026-11",
            "by_deployment": [
                {"deployment": "prod", "hours": hours, "usd": spent, "accelerator": "v6e-4"},
                {"deployment": "dev-2", "hours": 31, "usd": other, "accelerator": "v6e-1"},
            ],
            "price": quantity(rate, "USD/h") | {"source": "list price", "at": listed.isoformat()},
            "idle_hours": idle,
            "idle_usd": idle_cost,
            "forecast_month_usd": heading,
            "budget": {"limit": quantity(budget, "USD"), "used": quantity(share, "share")},
            "busiest_day": f"{busiest:%Y-%m-%d}",
        }
    ]
    told = facts(
        usd={"spent": spent, "idle_cost": idle_cost, "other": other, "heading": heading},
        rate={"rate": rate},
        n={"hours": hours, "idle": idle},
        percent={"share": share},
        day={"listed": listed, "busiest": busiest},
    )
    told["budget"] = calc(f"${budget:,}", f"${budget + 700:,}", f"${budget - 300:,}")
    told["product"] = calc(f"${spent:,.2f}", f"${spent + 10:,.2f}", f"${spent * 1.1:,.2f}", f"${spent - 0.6:,.2f}")
    told["both"] = calc(f"${spent + other:,.2f}", f"${spent + other + 1:,.2f}", f"${(spent + other) * 1.1:,.2f}")
    told["left"] = calc(f"${budget - spent:,.2f}", f"${budget - spent + 20:,.2f}", f"${(budget - spent) * 0.9:,.2f}")
    told["part"] = calc(f"{idle / hours * 100:.0f} %", f"{idle / hours * 140 + 2:.0f} %", f"{idle / hours * 60 + 30:.0f} %")
    lines = [
        "prod in November so far: {spent}.",
        "prod cost {spent} this month, dev-2 {other}.",
        "{hours} h × {rate} = {product}",
        "prod ran {hours} hours at {rate}, which makes {product}.",
        "{idle} of {hours} hours were idle ({part}); idle time cost {idle_cost}.",
        "Idle: {idle} h, {idle_cost}.",
        "Heading for {heading} by the end of the month.",
        "The forecast for the month is {heading}; the budget is {budget}.",
        "You have used {share} of the {budget} budget.",
        "{spent} + {other} = {both} for both deployments.",
        "Budget " + "{budget} − {spent} = {left} left." if budget > spent + 50 else "Budget {budget}.",
        "List price of {listed}: {rate}.",
        "The busiest day was {busiest}.",
        "- prod: {spent}\n- dev-2: {other}",
    ]
    plain = [line for line in lines if "= " not in line or "{spent}" not in line]
    exact = [
        line.replace("{spent}", f"${spent:,.2f}").replace("{other}", f"${other:,.2f}") for line in lines if line not in plain
    ]
    return Told(results, told, plain + exact)


def memory(rng: Random) -> Told:
    """What fits: a mix of Quantities and bare integers close to each other."""
    weights, cache = round(rng.uniform(9, 60), 2), round(rng.uniform(3, 40), 2)
    blocks, layers = rng.randint(200, 3000), 60
    tokens, per_token = blocks * 128, rng.choice([901120, 16384, 491520])
    fits = {str(1024 * 2**n): max(1, tokens // (1024 * 2**n)) for n in range(3, 7)}
    util = rng.choice([0.9, 0.92, 0.95])
    results: list[dict[str, Any]] = [
        {
            "planner": "all_layers_full",
            "weights": quantity(weights, "GiB"),
            "kv_cache": quantity(cache, "GiB"),
            "hbm_per_chip": quantity(31.25, "GiB"),
            "chips": 4,
            "num_gpu_blocks": blocks,
            "block_size": 128,
            "cache_tokens": quantity(tokens, "tokens"),
            "bytes_per_token": per_token,
            "layers": layers,
            "sliding_layers": 50,
            "kv_heads": 16,
            "gpu_memory_utilization": util,
            "users_at": fits,
            "fp8": False,
        }
    ]
    told = facts(
        gib={"weights": weights, "cache": cache},
        n={
            "blocks": blocks,
            "layers": layers,
            "sliding": 50,
            "heads": 16,
            "chips": 4,
            "at8": fits["8192"],
            "at16": fits["16384"],
        },
        tok={"tokens": tokens},
        big={"per_token": per_token},
    )
    whole = weights + cache
    told["whole"] = calc(f"{whole:.2f} GiB", f"{whole + 0.4:.2f} GiB", f"{whole * 1.2:.2f} GiB", f"{whole - 2:.2f} GiB")
    told["product"] = calc(f"{tokens:,}", f"{tokens + 128:,}", f"{tokens * 2:,}", f"{tokens - 1000:,}")
    told["mib"] = calc(f"{per_token / 1024:,.0f} KiB", f"{per_token / 1000 * 2.1:,.0f} KiB", f"{per_token / 1024 * 0.8:,.0f} KiB")
    lines = [
        "Weights take {weights}, the cache {cache}.",
        f"{weights:.2f} GiB + {cache:.2f} GiB = {{whole}}",
        "The cache has room for {tokens}.",
        "{blocks} blocks × 128 tokens = {product}",
        "KV cache: {cache} = {tokens}",
        "It has {layers} layers, {sliding} of them sliding, and {heads} KV heads.",
        "Each token needs {mib} of cache.",
        "{chips} chips with 31.25 GiB each.",
        "8K context: {at8} users at once; 16K: {at16}.",
        "- 8K: {at8}\n- 16K: {at16}",
        "At 16K it serves {at16} users.",
        f"Utilization is {util}.",
        f"gpu_memory_utilization={util}, block size 128, {{blocks}} blocks",
        f"{util * 100:.0f} % of HBM may be used.",
    ]
    return Told(results, told, lines)


def search(rng: Random) -> Told:
    """A search for capacity: outcomes counted and listed."""
    quota, none, flex = distinct(rng, 2, 30, 3)
    asked, took = quota + none + flex + 1, rng.randint(2000, 40000)
    found = moments(rng, 1)[0]
    zones = rng.sample(["us-east5-a", "us-east5-b", "europe-west4-b", "us-central1-c", "asia-northeast1-b"], 2)
    granted, limit = distinct(rng, 4, 64, 2)
    results: list[dict[str, Any]] = [
        {
            "work": "search-7",
            "zones_asked": asked,
            "refused": {"no_quota": quota, "no_capacity": none, "no_flex_start": flex},
            "granted": {"zone": zones[0], "at": found.isoformat().replace("+00:00", "Z"), "accelerator": "v6e-4"},
            "duration": quantity(took, "s"),
            "max_spend_usd": 43.2,
        },
        {"quotas": {zones[0]: {"limit": limit, "used": 4}, zones[1]: {"limit": granted, "used": 0}}, "unit": "chips"},
    ]
    told = facts(
        n={"asked": asked, "quota": quota, "none": none, "flex": flex, "limit": limit, "other": granted},
        when={"found": found},
        dur={"took": took},
        name={"zone": zones[0], "work": "search-7", "slice": "v6e-4"},
    )
    refused = quota + none + flex
    told["refused"] = calc(str(refused), str(refused + 2), str(refused - 3), str(refused + 9))
    lines = [
        "Got a {slice} at {found} in {zone} (asked {asked} zones in {took}).",
        "Refused: {quota} no quota, {none} no capacity, {flex} without flex-start.",
        "{none} zones had no capacity and {quota} no quota.",
        "- no quota: {quota}\n- no capacity: {none}\n- no flex-start: {flex}",
        "{quota} + {none} + {flex} = {refused} zones refused.",
        "{work} asked {asked} zones and took {took}.",
        f"Quota in {zones[0]}: {{limit}} chips, 4 used.",
        f"{zones[1]} allows {{other}} chips, none are used.",
        "It can cost at most $43.20.",
        "At {found} {zone} said yes.",
    ]
    return Told(results, told, lines)


RECORDS = (bench, logs, bill, memory, search)
