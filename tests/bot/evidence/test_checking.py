"""What the check catches and what it lets pass, measured on generated answers and on sentences of the product."""

import time
from datetime import datetime
from typing import Any

import pytest
from evidence_sentences import Case, false, right
from evidence_slots import CLASSES
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence import Evidence, check, mark, remove

AT = "2026-11-30T03:00:00+00:00"
PLANTED = 500


def quantity(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit, "at": AT, "source": "test"}


STATUS: list[dict[str, Any]] = [
    {
        "id": "status-1",
        "engine": {
            "running": quantity(14, "requests"),
            "waiting": quantity(23, "requests"),
            "kv_cache": quantity(0.97, "share"),
            "first_token": {"p90": quantity(2.9, "s"), "usual_p90": quantity(0.4, "s")},
            "slow_since": "2026-11-30T02:38:40Z",
            "last_change": "2026-11-24T14:02:00Z",
            "version": "0.26.1",
            "starts_min": [9, 11, 14],
        },
        "machine": {"name": "prod-1", "zone": "us-east5-a", "accelerator": "v6e-4", "price": quantity(5.40, "USD/h")},
    },
    {"id": "cost-1", "hours": 257, "spent": quantity(1387.8, "USD"), "idle": {"hours": 96, "cost": quantity(518.4, "USD")}},
    {"id": "mem-1", "weights": quantity(57.2, "GiB"), "users_by_context": {"8192": 8, "65536": 1}, "layers": 60},
    {"id": "log-1", "example": "Attempting to allocate 384.11M. There are 346.77M free.", "exit_code": 137},
]


CHECKERS: dict[int, Evidence] = {}


def evidence(case: Case) -> Evidence:
    """The generators keep their worlds, so each world's results are read once."""
    key = id(case.results)
    if key not in CHECKERS:
        CHECKERS[key] = Evidence(case.results)
    return CHECKERS[key]


def unsupported(answer: str, results: list[dict[str, Any]] | None = None) -> list[str]:
    return [f.text for f in check(answer, STATUS if results is None else results) if not f.supported]


@pytest.mark.parametrize("kind", CLASSES)
def test_of_500_planted_figures_99_in_100_are_caught(kind: str) -> None:
    missed = 0
    for seed in range(PLANTED):
        case = false(seed, kind)
        assert case.planted
        start, end = case.planted
        found = [f for f in evidence(case).check(case.answer) if f.span[0] < end and start < f.span[1]]
        missed += not any(not f.supported for f in found)
    assert missed <= PLANTED * 0.01


def test_of_500_right_answers_at_most_1_in_100_is_flagged() -> None:
    cases = [right(seed) for seed in range(PLANTED)]
    assert sum(not all(f.supported for f in evidence(case).check(case.answer)) for case in cases) <= PLANTED * 0.01


@pytest.mark.parametrize(
    "answer",
    [
        "▲ **prod is slow, not down**: first token 2.9 s (usual 0.4) since 02:38",
        "Engine ready · 14 running, 23 waiting · cache 97 % full. Machine prod-1, us-east5-a.",
        "There are 14 requests in flight and another 23 queued.",
        "First token p90 is 2,900 ms, about 7 times the usual 0.4 s.",
        "KV cache usage stands at 0.97.",
        "Last change: Tue 14:02. $5.40/h on a v6e-4.",
        "$1,387.80 = 257 h of v6e-4 flex at $5.40",
        "257 h × $5.40 = $1,387.80",
        "We spent about $1,390 on it; 96 h ran without a request: $518.40.",
        "14 + 23 = 37 requests are in the system.",
        "14 running and 23 waiting, 37 in total.",
        "First token rose from 0.4 s to 2.9 s, by 2.5 s.",
        "It wanted 384.11M, 346.77M was free: 37M short.",
        "The last starts: 9, 11 and 14 min.",
        "64K: 1 user. 8K: 8 users. All 60 layers.",
        "57 GiB of weights (61.4 GB).",
        "vLLM 0.26.1 exited with code 137.",
        "1. Look at prod-1.\n2. Restart it.\n\nOption 3: wait. It serves 24/7, the 2nd try may work (95 % confidence).",
        "Is Gemma 4 slow? It serves Gemma on TPU.",
    ],
)
def test_right_sentences_pass(answer: str) -> None:
    assert unsupported(answer) == []


@pytest.mark.parametrize(
    ("answer", "figure"),
    [
        ("first token 3.9 s (usual 0.4)", "3.9 s"),
        ("First token p90 is 2.8 s", "2.8 s"),
        ("First token p90 is 2.9 ms", "2.9 ms"),
        ("p99 first token is 2.9 s", "2.9 s"),
        ("the usual first token is 2.9 s", "2.9 s"),
        ("the inter-token latency is 2.9 s", "2.9 s"),
        ("23 running", "23"),
        ("14 users are active", "14"),
        ("60 errors in the log", "60"),
        ("137 requests are running", "137"),
        ("cache 79 % full", "79 %"),
        ("$5.40/day", "$5.40/day"),
        ("we spent $518.40", "$518.40"),
        ("257 h × $5.40 = $1,487.80", "$1,487.80"),
        ("14 + 23 = 38 requests", "38"),
        ("First token rose from 0.4 s to 2.9 s, by 3.1 s.", "3.1 s"),
        ("vLLM 0.26.2", "0.26.2"),
        ("vLLM 0.27", "0.27"),
        ("prod-12 is healthy", "prod-12"),
        ("us-east5-c", "us-east5-c"),
        ("on a v6e-8", "v6e-8"),
        ("slow since 02:39", "02:39"),
        ("last change Wed 14:02", "Wed 14:02"),
        ("weights take 57.2 GB", "57.2 GB"),
        ("exit code 139", "139"),
        ("rose by 9,000 %", "9,000 %"),
    ],
)
def test_false_figures_are_caught(answer: str, figure: str) -> None:
    assert figure in unsupported(answer)


def test_a_shown_calculation_needs_supported_inputs() -> None:
    assert unsupported("300 h × $5.40 = $1,620.00") == ["300 h", "$1,620.00"]


def test_support_names_its_source() -> None:
    found = {f.text: f.by for f in check("14 running; 14 + 23 = 37 requests", STATUS)}
    assert found["14"] == "status-1.engine.running"
    assert found["37"] == "calculation: 14 + 23"


def test_two_machines_keep_their_own_prices() -> None:
    results = [
        {"machines": [{"name": "prod-1", "price": quantity(5.4, "USD/h")}, {"name": "prod-2", "price": quantity(1.35, "USD/h")}]}
    ]
    assert unsupported("prod-1 costs $5.40/h, prod-2 costs $1.35/h.", results) == []
    assert unsupported("prod-1 costs $1.35/h.", results) == ["$1.35/h"]


def test_without_results_nothing_is_supported() -> None:
    assert unsupported("14 running on prod-1 with 0.26.1 since 02:38", []) == ["14", "prod-1", "0.26.1", "02:38"]


def test_a_span_is_where_the_figure_stands() -> None:
    answer = "Cache 97 % full, 23 waiting, $5.40/h, v6e-4, Tue 14:02."
    assert all(answer[f.span[0] : f.span[1]] == f.text for f in check(answer, STATUS))


def test_marking_and_removing_touch_only_what_is_not_supported() -> None:
    answer = "14 running, 99 waiting."
    figures = check(answer, STATUS)
    assert mark(answer, figures) == "14 running, 99 (not checked) waiting."
    assert remove(answer, figures) == "14 running, [?] waiting."


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("2026-11-30T02:38:40Z") | st.just("1e999"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
hostile = (
    st.text() | st.text(alphabet="0123456789.,:%$KMG/h -+×=~pmso\n()[]`\"'") | st.from_regex(r"(\d{1,30}[a-z:%. /-]{0,3}){1,20}")
)


@settings(deadline=None, max_examples=120)
@given(hostile, st.lists(st.dictionaries(st.text(max_size=12), json_values, max_size=4), max_size=3))
def test_hostile_text_never_raises(answer: str, results: list[dict[str, Any]]) -> None:
    figures = check(answer, results)
    assert all(answer[f.span[0] : f.span[1]] == f.text for f in figures)
    assert mark(answer, figures, sign="") == answer


@pytest.mark.parametrize(
    "pattern",
    ["14 running, ", "9", "9 ", "1:2", "4 h 10 min ", "a-1", "$5 = ", "1 + ", "`", "from 1 to 2 s ", "1,", "23.", "\n1) "],
)
def test_ten_times_the_text_takes_no_hundred_times_the_work(pattern: str) -> None:
    def took(times: int) -> float:
        start = time.process_time()
        check(pattern * times, STATUS)
        return time.process_time() - start

    small, large = took(200), took(2000)
    assert large < max(small, 0.01) * 60


def test_times_in_another_zone_of_the_result_are_read_as_written_and_as_utc() -> None:
    results = [{"ends_at": datetime.fromisoformat("2026-11-30T18:50:00+01:00")}]
    assert unsupported("It ends at 18:50, that is 17:50 UTC.", results) == []
    assert unsupported("It ends at 19:50.", results) == ["19:50"]
