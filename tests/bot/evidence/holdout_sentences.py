"""A hold-out by hand: sentences as the product says them. The rules are never changed because of one of these.

In FALSE the false figure stands between « and ».
"""

from typing import Any

AT = "2026-11-30T03:00:00+00:00"


def q(value: float, unit: str, source: str = "vLLM /metrics") -> dict[str, Any]:
    return {"value": value, "unit": unit, "at": AT, "source": source}


RESULTS: list[dict[str, Any]] = [
    {
        "id": "status:1",
        "deployment": "prod",
        "state": "slow",
        "since": "2026-11-30T02:38:00Z",
        "ttft": {"p90": q(2.9, "s"), "usual": q(0.4, "s")},
        "running": q(14, "requests"),
        "waiting": q(23, "requests"),
        "kv_cache": q(0.97, "share"),
        "machine": {"name": "prod-1", "zone": "us-east5-a", "accelerator": "v6e-4", "health": "HEALTHY"},
        "last_change": {"at": "2026-11-24T14:02:00Z", "what": "restart"},
        "price": q(5.4, "USD/h", "list price 2026-11-20"),
        "ends_at": "2026-11-30T07:10:00Z",
    },
    {
        "id": "search:3",
        "accelerator": "v6e-4",
        "zone": "us-east5-b",
        "granted_at": "2026-11-29T04:12:00Z",
        "serving_at": "2026-11-29T04:31:00Z",
        "zones_asked": 22,
        "searched": q(22320, "s"),
        "cancelled_requests": 3,
        "refusals": {"no_quota": 9, "no_capacity": 6, "no_flex": 3},
        "max_cost": q(43.2, "USD"),
    },
    {
        "id": "startup:2",
        "failed_program": "jit_structured_decode_fn",
        "wanted": q(384.11, "MiB"),
        "free": q(346.77, "MiB"),
        "utilization": 0.95,
        "alternatives": [
            {"utilization": 0.92, "frees_gib": 0.94, "fits_64k": True},
            {"utilization": 0.9, "frees_gib": 1.56, "fits_64k": False},
        ],
        "cache_needed": q(13.75, "GiB"),
        "cache_available": q(14.18, "GiB"),
        "last_starts_min": [9, 11, 14],
    },
    {
        "id": "memory:4",
        "model": "gemma-4-31B-it",
        "cache_tokens": q(67328, "tokens"),
        "layers": 60,
        "users": {"8192": 8, "16384": 4, "32768": 2, "65536": 1},
        "users_fp8": {"65536": 2},
        "weights": q(57.2, "GiB"),
        "hbm_per_chip": q(31.25, "GiB"),
    },
    {
        "id": "cost:5",
        "month": "2026-11",
        "hours": 257,
        "spent": q(1387.8, "USD"),
        "forecast": q(2082, "USD"),
        "idle": {"hours": 96, "cost": q(518.4, "USD")},
        "budget": {"limit": 2500, "used": q(0.555, "share")},
    },
    {
        "id": "compare:6",
        "old": {"version": "0.26.1", "p99_first_token_64": q(2.1, "s"), "usd_per_million_16": 1.21},
        "new": {"version": "0.32.0", "p99_first_token_64": q(2.9, "s"), "usd_per_million_16": 1.11},
        "gain_16": {"mean": q(9, "%"), "low": q(6, "%"), "high": q(12, "%")},
        "runs": 3,
        "busiest_hour_users": 19,
    },
    {
        "id": "errors:7",
        "lines_read": 4312,
        "found": [{"text": "HF 403", "count": 6, "first": "2026-11-24T09:15:00Z"}],
        "engine_exited_at": "2026-11-30T03:11:00Z",
        "no_answer_since": "2026-11-30T03:12:00Z",
        "signs": {"matched": 4, "of": 4},
    },
    {
        "id": "report:8",
        "week": 47,
        "requests": 18240,
        "up": q(0.99, "share"),
        "planned_hours": 42,
        "incidents": 1,
        "downtime": q(24, "min"),
    },
]

RIGHT = """
prod is slow, not down: first token 2.9 s (usually 0.4 s) since 02:38.
p90 TTFT: 2.9s, normally 400 ms
14 requests are running and 23 are waiting; the cache is 97 % full.
The queue holds 23 requests.
prod-1 in us-east5-a is healthy.
prod runs on a v6e-4 and costs $5.40 an hour.
The last change was a restart on Tue 24 Nov at 14:02.
Nothing changed since Tuesday 14:02.
It ends at 07:10 UTC, in 4 h 10 min.
At $5.40/h, 8 hours cost $43.20.
37 requests are in the engine (14 running + 23 waiting).
First token takes about 7 times longer than usual (2.9 s against 0.4 s).
The KV cache is nearly full (97%).
I got a v6e-4 at 04:12 in us-east5-b.
prod answers since 04:31, 19 min after the zone said yes.
I asked 22 zones in 6 h 12 min.
The search took 6.2 hours.
Three other requests are cancelled.
Refused: 9 no quota, 6 no capacity, 3 no flex.
9 + 6 + 3 = 18 refusals
Only this one bills: at most $43.20.
Six zones had no capacity.
jit_structured_decode_fn wanted 384.11M, 346.77M was free: 37M short.
It needed 384 MiB but only 347 MiB were free.
384.11 − 346.77 = 37.34 MiB missing.
Utilization is 0.95 now.
Utilization 0.92 frees 0.94 GiB per chip.
With 0.90 you would free 1.56 GiB, but 64K would not fit.
One 64K request needs 13.75 of 14.18 GiB.
The last 3 starts took 9, 11 and 14 min.
A start takes about 11 min.
The cache holds 67,328 tokens.
About 67K tokens fit in the cache.
At 64K it serves 1 user, with an fp8 cache 2.
8K: 8 users · 16K: 4 · 32K: 2 · 64K: 1
All 60 layers are kept at full length.
Weights are 57.2 GiB, one chip has 31.25 GiB.
The weights (57 GiB) need at least two chips of 31 GiB.
November so far: $1,387.80 for 257 h.
257 h × $5.40 = $1,387.80
You are heading for $2,082 this month.
96 of 257 hours were idle (37 %), which cost $518.40.
$1.4K spent so far.
55.5 % of the $2,500 budget is used.
$2,500 − $1,387.80 = $1,112.20 is left.
That is the list price of 20 Nov.
vLLM 0.26.1 → 0.32.0, 3 runs each.
At 64 users the p99 first token rose from 2.1 to 2.9 s.
16 users: +9 % (6 to 12 %)
A million output tokens costs $1.11 instead of $1.21 at 16 users.
Price per million tokens fell by 8 % (1.21 → 1.11 USD).
Your busiest hour had 19 users.
I read 4,312 log lines.
"HF 403" came 6 times, first on 24 Nov at 09:15.
The engine exited at 03:11; no answer since 03:12.
4 of 4 signs match.
Week 47: 18,240 requests, 99 % up of 42 planned hours.
There was 1 incident of 24 minutes.
About 18K requests were served in week 47.
- running: **14**\\n- waiting: **23**\\n- cache: **97 %**
"""

FALSE = """
prod is slow: first token «3.9 s» (usually 0.4 s).
p90 TTFT: 2.9s, normally «600 ms»
14 requests are running and «14» are waiting.
The queue holds «97» requests.
«prod-2» in us-east5-a is healthy.
prod runs on a «v6e-8».
prod costs «$5.40 a day».
The last change was on Tue 24 Nov at «14:20».
Nothing changed since «Monday 14:02».
It ends at «08:10 UTC».
It ends in «3 h 10 min».
At $5.40/h, 8 hours cost «$45.20».
«39» requests are in the engine (14 running + 23 waiting).
First token takes about «5 times» longer than usual (2.9 s against 0.4 s).
The KV cache is «79 %» full.
I got a v6e-4 at «04:31» in us-east5-b.
I got a v6e-4 in «us-east4-b».
I asked «19» zones.
The search took «6.8 hours».
The search took «6 h 21 min».
Refused: «6» no quota.
Refused: 9 no quota, «3» no capacity.
9 + 6 + 3 = «19» refusals
It bills at most «$34.20».
jit_structured_decode_fn wanted «348.11M».
Only «347.8 MiB» were free.
384.11 − 346.77 = «47.34 MiB» missing.
Utilization is «0.92» now.
Utilization 0.92 frees «0.94 MiB» per chip.
One 64K request needs «14.18» of 14.18 GiB.
The last 3 starts took 9, 11 and «16 min».
The cache holds «67,382 tokens».
About «76K tokens» fit in the cache.
At 64K it serves «4 users».
16K: «8» users
All «57» layers are kept at full length.
Weights are «57.2 GB».
One chip has «13.25 GiB».
November so far: «$1,378.80».
257 h × $5.40 = «$1,487.80»
You are heading for «$2,500» this month.
«97» of 257 hours were idle.
Idle time cost «$581.40».
96 of 257 hours were idle («47 %»).
«65.5 %» of the budget is used.
$2,500 − $1,387.80 = «$1,212.20» is left.
That is the list price of «21 Nov».
vLLM «0.26.2» → 0.32.0.
vLLM 0.26.1 → «0.33.0»
At 64 users the p99 first token rose from «2.9» to 2.9 s.
16 users: «+12 %» on average
A million output tokens costs «$1.12» now.
Your busiest hour had «16» users.
I read «4,213» log lines.
"HF 403" came «47» times.
"HF 403" came first on «25 Nov».
The engine exited at «03:12».
«3» of 4 signs match.
Week 47: «18,420» requests.
There was 1 incident of «42 minutes».
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]
