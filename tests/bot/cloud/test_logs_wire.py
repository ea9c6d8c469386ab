"""Cloud Logging over the wire: pages, bounds, the quota, and what it refuses."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.cloud.logs import MOST_PAGES, CloudLogs, NoLogs
from bot.errors import NotConnectedError, PersonMovesNext, RetryLater
from bot.nouns import LogsFound
from bot.ports import LogSearch
from sandbox.google.faults import Fault, FaultKind
from tests.bot.cloud.wired import NOW, Google

pytestmark = pytest.mark.wire
WORKER = {"type": "tpu_worker", "labels": {"node_id": "prod-1", "zone": "us-east5-a", "worker_id": "0"}}


class Turns:
    """Turns that are counted, and refused when there are `left` no more."""

    def __init__(self, left: int = 1000) -> None:
        self.left = left
        self.taken: list[str] = []

    async def turn(self, service: str) -> None:
        if len(self.taken) >= self.left:
            raise RetryLater("The reads are used up.", arrived=False)
        self.taken.append(service)


def search(**changes: Any) -> LogSearch:
    fields: dict[str, Any] = {"zone": "us-east5-a", "nodes": ("prod-1",), "since": NOW - timedelta(hours=1), "until": NOW}
    return LogSearch(**(fields | changes))


def write(google: Google, count: int, **fields: Any) -> None:
    """Entries a second apart, the last one a second old."""
    for n in range(count):
        google.standin.logs.write(
            ago_s=count - n, **({"resource": WORKER, "severity": "INFO", "textPayload": f"line {n}"} | fields)
        )


async def find(
    google: Google, *, turns: Turns | None = None, page_size: int = 500, time_s: float = 8.0, **wanted: Any
) -> LogsFound:
    async with google.rest() as rest:
        logs = CloudLogs(rest, google.clock, turns or Turns(), page_size=page_size, time_s=time_s)
        return await logs.find(search(**wanted))


async def test_entries_come_the_newest_first_and_whole(wired: Google) -> None:
    write(wired, 3)
    found = await find(wired)
    assert [one.text for one in found.entries] == ["line 2", "line 1", "line 0"]
    assert (found.stopped, found.pages, found.entries[0].at) == (None, 1, NOW - timedelta(seconds=1))
    assert (found.entries[0].resource, found.entries[0].log) == (
        "tpu_worker",
        "tpu.googleapis.com%2Fruntime_monitor".replace("%2F", "/"),
    )


async def test_many_pages_give_the_same_as_one_and_each_takes_a_turn(wired: Google) -> None:
    write(wired, 25)
    whole, turns = await find(wired), Turns()
    paged = await find(wired, turns=turns, page_size=10)
    assert paged.entries == whole.entries
    assert (paged.pages, paged.stopped) == (3, None)
    assert turns.taken == ["logging.googleapis.com"] * 3


async def test_pages_may_be_empty_before_something_is_found(wired: Google) -> None:
    write(wired, 2)
    wired.standin.logs.empty_pages = 2
    found = await find(wired)
    assert (len(found.entries), found.pages, found.stopped) == (2, 3, None)


async def test_only_so_many_are_read_and_it_is_said(wired: Google) -> None:
    write(wired, 30)
    found = await find(wired, page_size=10, most=15)
    assert [one.text for one in found.entries] == [f"line {n}" for n in range(29, 14, -1)]
    assert found.stopped == "only the newest 15 entries were read"


async def test_all_that_was_wanted_and_nothing_beyond_is_whole(wired: Google) -> None:
    write(wired, 10)
    assert (await find(wired, page_size=10, most=10)).stopped is None


async def test_a_search_without_end_is_given_up_after_so_many_pages(wired: Google) -> None:
    wired.standin.logs.empty_pages = 100
    found = await find(wired)
    assert (found.entries, found.pages, found.stopped) == ((), MOST_PAGES, f"reading stopped after {MOST_PAGES} pages")


async def test_when_the_turns_end_half_way_what_was_read_counts(wired: Google) -> None:
    write(wired, 30)
    found = await find(wired, turns=Turns(2), page_size=10)
    assert (len(found.entries), found.stopped) == (20, "The reads are used up")


async def test_without_a_turn_nothing_is_asked(wired: Google) -> None:
    with pytest.raises(RetryLater, match="used up"):
        await find(wired, turns=Turns(0))
    assert wired.calls("ListLogEntries") == []


async def test_googles_own_limit_half_way_keeps_what_was_read(wired: Google) -> None:
    write(wired, 30)
    wired.standin.logs.reads_per_minute = 2
    found = await find(wired, page_size=10)
    assert len(found.entries) == 20
    assert found.stopped is not None
    assert "limit was reached" in found.stopped


async def test_googles_own_limit_at_once_is_for_later(wired: Google) -> None:
    wired.standin.logs.reads_per_minute = 0
    with pytest.raises(RetryLater) as refused:
        await find(wired)
    assert refused.value.after_s == 60


async def test_silence_ends_after_its_time_with_what_was_read(wired: Google) -> None:
    write(wired, 30)
    wired.standin.faults.plan(Fault(FaultKind.HANG, method="ListLogEntries", nth=3))
    found = await find(wired, page_size=10, time_s=0.5)
    assert (len(found.entries), found.stopped) == (20, "reading stopped after 0 s")


async def test_silence_from_the_start_is_an_error_and_not_an_empty_log(wired: Google) -> None:
    wired.standin.faults.plan(Fault(FaultKind.HANG, method="ListLogEntries"))
    with pytest.raises(RetryLater, match="did not answer in time"):
        await find(wired, time_s=0.2)


async def test_an_outage_is_tried_again_though_it_is_a_post(wired: Google) -> None:
    write(wired, 1)
    wired.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, method="ListLogEntries", nth=1))
    assert len((await find(wired)).entries) == 1
    assert len(wired.calls("ListLogEntries")) == 2


async def test_a_missing_role_is_named(wired: Google) -> None:
    wired.standin.faults.plan(Fault(FaultKind.PERMISSION_DENIED, method="ListLogEntries"))
    with pytest.raises(PersonMovesNext) as refused:
        await find(wired)
    assert "roles/logging.viewer" in refused.value.telling.next_step


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({"jsonPayload": {"message": "hot", "level": 3}}, "hot"),
        ({"jsonPayload": {"b": 1, "a": "x"}}, '{"a":"x","b":1}'),
        ({"textPayload": ""}, "(an entry without text)"),
        ({"textPayload": "token hf_" + "a" * 34}, "token [hidden: Hugging Face token]"),
        ({"textPayload": "x" * 9000}, "x" * 8000),
    ],
)
async def test_payloads_become_text_without_secrets(wired: Google, payload: dict[str, Any], said: str) -> None:
    wired.standin.logs.write(ago_s=1, **({"resource": WORKER} | payload))
    (one,) = (await find(wired)).entries
    assert (one.text, one.severity) == (said, "DEFAULT")


async def test_who_did_it_is_not_told_only_what_was_done(wired: Google) -> None:
    wired.standin.logs.write(
        ago_s=1,
        log="cloudaudit.googleapis.com%2Factivity",
        severity="NOTICE",
        resource={"type": "audited_resource", "labels": {}},
        protoPayload={
            "serviceName": "tpu.googleapis.com",
            "methodName": "google.cloud.tpu.v2alpha1.Tpu.DeleteNode",
            "resourceName": "projects/p/locations/us-east5-a/nodes/prod-1",
            "authenticationInfo": {"principalEmail": "someone@example.com"},
            "status": {"message": "preempted"},
        },
    )
    (one,) = (await find(wired)).entries
    assert one.text == "DeleteNode prod-1: preempted"


async def test_without_a_project_it_says_what_to_set() -> None:
    with pytest.raises(NotConnectedError, match="Cloud Logging: not connected, set GOOGLE_CLOUD_PROJECT"):
        await NoLogs().find(search())


async def test_searches_at_once_share_nothing(wired: Google) -> None:
    write(wired, 30)
    one, two = await asyncio.gather(find(wired, page_size=7), find(wired, page_size=11, words="line 2"))
    assert len(one.entries) == 30
    assert {entry.text for entry in two.entries} == {"line 2", *(f"line {n}" for n in range(20, 30))}
