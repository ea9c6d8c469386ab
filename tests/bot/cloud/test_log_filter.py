"""Filters for Cloud Logging: whatever somebody searches for stays inside its quotes."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cloud.log_filter import LONGEST, filter_of, moment, quoted
from bot.ports import LogSearch
from sandbox.google.log_filter import parse

SINCE, UNTIL = datetime(2026, 11, 30, 2, 0, tzinfo=UTC), datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
WORKER = {"type": "tpu_worker", "labels": {"node_id": "prod-1", "zone": "us-east5-a"}}
HOSTILE = [
    '" OR severity>=DEFAULT OR "',
    "\\",
    '\\" OR timestamp>="2020-01-01T00:00:00Z',
    'a") OR ("',
    "line\nOR true",
    '\\\\"',
    "'; rm -rf / #",
    "\u202e\x00",
]


def search(**changes: Any) -> LogSearch:
    fields: dict[str, Any] = {"zone": "us-east5-a", "nodes": ("prod-1", "4000"), "since": SINCE, "until": UNTIL}
    return LogSearch(**(fields | changes))


def entry(**changes: object) -> dict[str, object]:
    made: dict[str, object] = {"timestamp": "2026-11-30T02:30:00Z", "severity": "ERROR", "resource": WORKER}
    return made | {"textPayload": "TPU is unhealthy"} | changes


def test_an_entry_of_the_machine_in_this_time_is_taken() -> None:
    takes = parse(filter_of(search()))
    assert takes(entry())
    assert takes(entry(resource={"type": "tpu_worker", "labels": {"node_id": "4000", "zone": "us-east5-a"}}))


@pytest.mark.parametrize(
    "changes",
    [
        {"timestamp": "2026-11-30T01:59:59.9Z"},
        {"timestamp": "2026-11-30T03:00:01Z"},
        {"resource": {"type": "tpu_worker", "labels": {"node_id": "prod-10", "zone": "us-east5-a"}}},
        {"resource": {"type": "tpu_worker", "labels": {"node_id": "prod-1", "zone": "us-east5-b"}}},
        {"resource": {"type": "gce_instance", "labels": {"node_id": "prod-1", "zone": "us-east5-a"}}},
    ],
    ids=["before", "after", "a longer name", "another zone", "another kind"],
)
def test_everything_else_is_left(changes: dict[str, object]) -> None:
    assert not parse(filter_of(search()))(entry(**changes))


@pytest.mark.parametrize(("name", "taken"), [("prod-1", True), ("prod-10", False), ("xprod-1", False)])
def test_what_was_done_to_the_machine_is_taken_by_its_whole_name(name: str, *, taken: bool) -> None:
    deed = {"serviceName": "tpu.googleapis.com", "resourceName": f"projects/p/locations/us-east5-a/nodes/{name}"}
    audit = entry(resource={"type": "audited_resource", "labels": {}}, protoPayload=deed)
    assert parse(filter_of(search()))(audit) is taken


def test_severity_and_words_narrow_it() -> None:
    takes = parse(filter_of(search(at_least="WARNING", words="Unhealthy")))
    assert takes(entry())
    assert not takes(entry(severity="INFO"))
    assert not takes(entry(textPayload="all well"))


def test_a_severity_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no severity"):
        filter_of(search(at_least='ERROR OR "'))


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_cannot_leave_the_string(words: str) -> None:
    stays_inside(words)


@given(st.text(min_size=1, max_size=400))
def test_no_words_at_all_can_leave_the_string(words: str) -> None:
    stays_inside(words)


def stays_inside(words: str) -> None:
    """The filter still asks for this machine, this time and these very words; whatever stands in them changes nothing else."""
    made = filter_of(search(words=words))
    printed = "".join(letter if letter.isprintable() else " " for letter in words)
    takes = parse(made)
    assert len(made) < LONGEST
    assert takes(entry(textPayload=f"before {printed} after"))
    assert not takes(entry(textPayload=printed, timestamp="2026-11-29T02:30:00Z"))
    assert not takes(entry(textPayload=printed, resource={"type": "k8s_pod"}))


@given(st.text(max_size=60), st.text(max_size=60))
def test_names_of_machines_and_zones_stay_in_their_strings_too(node: str, zone: str) -> None:
    takes = parse(filter_of(search(nodes=(node,), zone=zone)))
    assert not takes(entry(resource={"type": "k8s_pod"}))


def test_times_are_rfc_3339_in_utc_whatever_zone_they_came_in() -> None:
    berlin = SINCE.astimezone(timezone(timedelta(hours=1)))
    assert moment(berlin) == "2026-11-30T02:00:00.000000Z"
    with pytest.raises(ValueError, match="its zone"):
        moment(datetime(2026, 11, 30, 2, 0))  # noqa: DTZ001 that it has none is the point


def test_quotes_and_backslashes_are_escaped() -> None:
    assert quoted('say "hi" \\ bye') == '"say \\"hi\\" \\\\ bye"'
